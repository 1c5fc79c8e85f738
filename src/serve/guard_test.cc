#include "serve/guard.h"

#include <gtest/gtest.h>

namespace headroom::serve {
namespace {

const OwnName kUs{"127.0.0.1", 8379};

HttpRequest asking(std::string host) {
  HttpRequest request;
  request.method = "GET";
  request.path = "/";
  request.host = std::move(host);
  return request;
}

int status_of(const HttpRequest& request) {
  const auto refused = refusal(kUs, request);
  return refused ? refused->status : 200;
}

TEST(Guard, AnswersToAddressesAndToLocalhostUnderItsPort) {
  for (const char* host :
       {"127.0.0.1:8379", "localhost:8379", "LOCALHOST:8379", "[::1]:8379", "192.168.1.7:8379"})
    EXPECT_TRUE(is_ours(kUs, host)) << host;
  for (const char* host :
       {"", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:83790", "127.0.0.1:8379x", "127.0.0.1:", "[::1",
        "evil.example:8379", "127.0.0.1.evil.example:8379", "localhost.evil:8379", "a b"})
    EXPECT_FALSE(is_ours(kUs, host)) << host;
}

TEST(Guard, AnswersToTheNameThatTheUserGave) {
  const OwnName named{"Lab.Example", 8379};
  EXPECT_TRUE(is_ours(named, "lab.example:8379"));
  EXPECT_FALSE(is_ours(named, "evil.example:8379"));
}

TEST(Guard, LeavesOutThePortThatBrowsersLeaveOut) {
  EXPECT_TRUE(is_ours({"127.0.0.1", 80}, "127.0.0.1"));
}

TEST(Guard, RefusesANameThatWasMadeToStandForUs) {
  EXPECT_EQ(status_of(asking("127.0.0.1:8379")), 200);
  EXPECT_EQ(status_of(asking("evil.example:8379")), 421);
  HttpRequest request = asking("127.0.0.1:8379");
  request.host.reset();
  EXPECT_EQ(status_of(request), 400);
}

TEST(Guard, RefusesPagesOfOtherSitesButNotTheirLinks) {
  HttpRequest request = asking("127.0.0.1:8379");
  request.origin = "http://127.0.0.1:8379";
  EXPECT_EQ(status_of(request), 200);
  for (const char* origin : {"http://evil.example", "https://127.0.0.1:8379", "null",
                             "http://127.0.0.1:8380", "http://localhost:8379"}) {
    request.origin = origin;
    EXPECT_EQ(status_of(request), 403) << origin;
  }
  request.origin.reset();
  request.fetch_site = "cross-site";
  request.fetch_mode = "no-cors";
  EXPECT_EQ(status_of(request), 403);
  request.fetch_mode = "navigate";
  EXPECT_EQ(status_of(request), 200);
}

TEST(Guard, ChangesNothingForAnybody) {
  HttpRequest request = asking("127.0.0.1:8379");
  for (const char* method : {"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "get", ""}) {
    request.method = method;
    EXPECT_EQ(status_of(request), 405) << method;
  }
  request.method = "HEAD";
  EXPECT_EQ(status_of(request), 200);
  request.has_body = true;
  EXPECT_EQ(status_of(request), 413);
  request.has_body = false;
  request.has_range = true;
  EXPECT_EQ(status_of(request), 416);
}

}  // namespace
}  // namespace headroom::serve
