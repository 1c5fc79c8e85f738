#include "serve/http_server.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/raw_client.h"

namespace headroom::serve {
namespace {

using headroom::testing::RawClient;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Serves what the test says and remembers what it was asked.
class HttpServerTest : public ::testing::Test {
 protected:
  void serve(HttpHandler handler) {
    auto started = HttpServer::start({"127.0.0.1", 0}, [this, handler](const HttpRequest& request) {
      ++asked_;
      return handler(request);
    });
    ASSERT_TRUE(started) << started.error().message;
    server_ = std::move(*started);
  }
  void serve_text() {
    serve([](const HttpRequest& request) { return plain_response(200, "path " + request.path); });
  }

  [[nodiscard]] Result<RawClient> connect() const {
    return RawClient::connect({"127.0.0.1", server_->address().port, ""});
  }
  // The whole answer to bytes as they stand.
  [[nodiscard]] std::string send(const std::string& bytes) const {
    auto client = connect();
    if (!client || !client->send(bytes)) return "no connection";
    return client->read_to_end();
  }
  [[nodiscard]] std::string get(const std::string& path, const std::string& headers = "") const {
    return send(fmt::format("GET {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{}\r\n", path,
                            server_->address().port, headers));
  }

  std::atomic<int> asked_{0};
  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, AnswersWithWhatTheHandlerSaysAndCloses) {
  serve_text();
  const std::string answer = get("/run/a%20b.run?x=1");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 "));
  EXPECT_THAT(answer, HasSubstr("\r\n\r\npath /run/a b.run\n"));
  EXPECT_THAT(answer, HasSubstr("Connection: close"));
}

TEST_F(HttpServerTest, TellsBrowsersToKeepToThemselves) {
  serve_text();
  const std::string answer = get("/");
  for (const char* header :
       {"Content-Security-Policy: default-src 'none'; frame-ancestors 'none'",
        "X-Content-Type-Options: nosniff", "X-Frame-Options: DENY", "Cache-Control: no-store",
        "Referrer-Policy: no-referrer", "Cross-Origin-Resource-Policy: same-origin"})
    EXPECT_THAT(answer, HasSubstr(header));
  EXPECT_THAT(answer, Not(HasSubstr("Access-Control-Allow-Origin")));
}

TEST_F(HttpServerTest, LetsNothingThroughThatTheGuardRefuses) {
  serve_text();
  const std::string port = std::to_string(server_->address().port);
  EXPECT_THAT(send("GET / HTTP/1.1\r\nHost: evil.example:" + port + "\r\n\r\n"),
              StartsWith("HTTP/1.1 421 "));
  EXPECT_THAT(get("/", "Origin: http://evil.example\r\n"), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(get("/", "Range: bytes=0-,0-,0-\r\n"), StartsWith("HTTP/1.1 416 "));
  EXPECT_THAT(send("DELETE / HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\n\r\n"),
              StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(
      send("POST / HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\nContent-Length: 3\r\n\r\nabc"),
      StartsWith("HTTP/1.1 405 "));
  EXPECT_THAT(
      send("GET / HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\nContent-Length: 3\r\n\r\nabc"),
      StartsWith("HTTP/1.1 413 "));
  EXPECT_EQ(asked_, 0);
}

TEST_F(HttpServerTest, RefusesWhatIsMalformedOrTooLarge) {
  serve_text();
  for (const std::string& bytes : {
           std::string("hello\r\n\r\n"),
           std::string("GET\r\n\r\n"),
           std::string("GET / HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n"),
           std::string("\0\1\2\3\r\n\r\n", 8),
           "GET /" + std::string(20'000, 'a') + " HTTP/1.1\r\n\r\n",
           "GET / HTTP/1.1\r\nX: " + std::string(20'000, 'a') + "\r\n\r\n",
       }) {
    const std::string answer = send(bytes);
    if (!answer.empty()) {
      EXPECT_THAT(answer, StartsWith("HTTP/1.1 4")) << bytes.substr(0, 40);
    }
  }
  EXPECT_EQ(asked_, 0);
  EXPECT_THAT(get("/"), StartsWith("HTTP/1.1 200 "));  // and goes on
}

TEST_F(HttpServerTest, StreamsEventsUntilTheyEnd) {
  serve([](const HttpRequest&) {
    HttpResponse response;
    response.events = [sent = 0](Nanos) mutable -> std::optional<std::string> {
      if (sent == 2) return std::nullopt;
      return event_text("count", std::to_string(++sent));
    };
    return response;
  });
  const std::string answer = get("/events");
  EXPECT_THAT(answer, HasSubstr("Content-Type: text/event-stream"));
  EXPECT_THAT(answer, HasSubstr("event: count\ndata: 1\n\n"));
  EXPECT_THAT(answer, HasSubstr("event: count\ndata: 2\n\n"));
}

TEST_F(HttpServerTest, HasRoomForSoManyStreamsAndForPagesBesideThem) {
  std::atomic<bool> ended{false};
  serve([&](const HttpRequest& request) {
    if (request.path == "/") return plain_response(200, "page");
    HttpResponse response;
    response.events = [&, first = true](Nanos) mutable -> std::optional<std::string> {
      if (ended) return std::nullopt;
      if (!std::exchange(first, false)) std::this_thread::sleep_for(std::chrono::milliseconds{5});
      return event_text("here", "");
    };
    return response;
  });
  std::vector<RawClient> viewers;
  for (std::size_t i = 0; i < HttpServer::kMostStreams; ++i) {
    viewers.push_back(connect().value());
    ASSERT_TRUE(viewers.back().send(fmt::format(
        "GET /events HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", server_->address().port)));
    ASSERT_THAT(viewers.back().read(15), StartsWith("HTTP/1.1 200 OK"));
  }
  EXPECT_THAT(get("/events"), StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(get("/"), StartsWith("HTTP/1.1 200 "));
  ended = true;
  for (RawClient& viewer : viewers) EXPECT_FALSE(viewer.read_to_end().empty());
}

TEST_F(HttpServerTest, EndsStreamsWhenItEnds) {
  serve([](const HttpRequest&) {
    HttpResponse response;
    response.events = [](Nanos) -> std::optional<std::string> {
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
      return std::string();
    };
    return response;
  });
  auto viewer = connect();
  ASSERT_TRUE(viewer);
  ASSERT_TRUE(viewer->send(
      fmt::format("GET / HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", server_->address().port)));
  ASSERT_THAT(viewer->read(15), StartsWith("HTTP/1.1 200 OK"));
  server_.reset();
  // Ended, not cut: the client sees the end and does not run into its patience.
  const Nanos before = real_clock().now();
  EXPECT_THAT(viewer->read_to_end(), Not(HasSubstr("event:")));
  EXPECT_LT(real_clock().now() - before, RawClient::kPatience);
}

TEST_F(HttpServerTest, SharesItsPortWithNobody) {
  serve_text();
  const auto second = HttpServer::start(
      server_->address(), [](const HttpRequest&) { return plain_response(200, "another"); });
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(second.error().message, HasSubstr("give another ADDR:PORT"));
}

TEST(HttpServer, RefusesAnAddressOfAnotherMachine) {
  const auto server = HttpServer::start({"192.0.2.1", 0},
                                        [](const HttpRequest&) { return plain_response(200, ""); });
  ASSERT_FALSE(server);
  EXPECT_THAT(server.error().message, HasSubstr("cannot listen on 192.0.2.1:0"));
}

}  // namespace
}  // namespace headroom::serve
