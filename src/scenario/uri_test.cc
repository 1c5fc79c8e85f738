#include "scenario/uri.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace headroom::scenario {
namespace {

using testing::HasSubstr;
using testing::Not;

Uri uri_of(std::string_view text) {
  const auto uri = parse_uri(text);
  EXPECT_TRUE(uri) << text << ": " << (uri ? "" : uri.error().message);
  return uri.value_or(Uri{});
}

std::string error_of(std::string_view text) {
  const auto uri = parse_uri(text);
  EXPECT_FALSE(uri) << text;
  return uri ? std::string("(accepted)") : uri.error().message;
}

TEST(Uri, ReadsAllOfItsParts) {
  const Uri uri = uri_of("valkeys://app@cache.example:7000/3");
  EXPECT_TRUE(uri.tls);
  EXPECT_EQ(uri.username, "app");
  EXPECT_EQ(uri.host, "cache.example");
  EXPECT_EQ(uri.port, 7000);
  EXPECT_EQ(uri.database, 3U);
  EXPECT_TRUE(uri.socket.empty());
}

TEST(Uri, LeavesOpenWhatItDoesNotSay) {
  const Uri uri = uri_of("redis://cache");
  EXPECT_FALSE(uri.tls);
  EXPECT_TRUE(uri.username.empty());
  EXPECT_EQ(uri.port, 6379);
  EXPECT_EQ(uri.database, std::nullopt);
  EXPECT_EQ(uri_of("redis://cache/").database, std::nullopt);
}

TEST(Uri, KnowsItsSchemes) {
  EXPECT_FALSE(uri_of("valkey://h").tls);
  EXPECT_FALSE(uri_of("redis://h").tls);
  EXPECT_TRUE(uri_of("valkeys://h").tls);
  EXPECT_TRUE(uri_of("rediss://h").tls);
  EXPECT_THAT(error_of("valky://h"), HasSubstr("did you mean valkey?"));
  EXPECT_THAT(error_of("http://h"), HasSubstr("the scheme \"http\""));
  EXPECT_THAT(error_of("cache:6379"), HasSubstr("is no URI"));
}

TEST(Uri, TakesAddressesOfBothFamilies) {
  EXPECT_EQ(uri_of("redis://10.0.0.7:1").host, "10.0.0.7");
  const Uri uri = uri_of("redis://[2001:db8::1]:7000");
  EXPECT_EQ(uri.host, "2001:db8::1");
  EXPECT_EQ(uri.port, 7000);
  EXPECT_EQ(uri_of("redis://[::1]").port, 6379);
  EXPECT_THAT(error_of("redis://::1"), HasSubstr("without brackets"));
  EXPECT_THAT(error_of("redis://[::1"), HasSubstr("without \"]\""));
  EXPECT_THAT(error_of("redis://[::1]x"), HasSubstr("other than :port"));
}

TEST(Uri, TakesAUnixSocket) {
  const Uri uri = uri_of("unix:///run/my%20valkey.sock");
  EXPECT_EQ(uri.socket, "/run/my valkey.sock");
  EXPECT_TRUE(uri.host.empty());
  EXPECT_EQ(uri_of("unix://app@/run/v.sock").username, "app");
  EXPECT_EQ(uri_of("unix:///run/a@b.sock").socket, "/run/a@b.sock");
  EXPECT_THAT(error_of("unix://run/v.sock"), HasSubstr("absolute path"));
  EXPECT_THAT(error_of("unix:///" + std::string(107, 'x')), HasSubstr("at most 107 bytes"));
}

TEST(Uri, DecodesAUser) {
  EXPECT_EQ(uri_of("redis://a%40b@h").username, "a@b");
  EXPECT_THAT(error_of("redis://a%4@h"), HasSubstr("percent-encoded"));
  EXPECT_THAT(error_of("redis://a%zz@h"), HasSubstr("percent-encoded"));
  EXPECT_THAT(error_of("redis://a%20b@h"), HasSubstr("without spaces"));
  EXPECT_THAT(error_of("redis://@h"), HasSubstr("without a user"));
}

TEST(Uri, RefusesAPasswordWithoutShowingIt) {
  for (const char* text : {"redis://app:s3cret@h", "redis://:s3cret@h", "rediss://a:s3cret@h:1/0",
                           "unix://a:s3cret@/run/v.sock", "redis://a:s3cret@@h"}) {
    EXPECT_THAT(error_of(text), HasSubstr("target.password_file or target.password_env")) << text;
    EXPECT_THAT(error_of(text), Not(HasSubstr("s3cret"))) << text;
  }
}

TEST(Uri, RefusesWhatIsNoPortHostOrDatabase) {
  for (const char* port : {"0", "65536", "x", "", "-1", "1x", "99999999999"}) {
    EXPECT_THAT(error_of("redis://h:" + std::string(port)), HasSubstr("no port")) << port;
  }
  for (const char* database : {"65536", "x", "-1", "1/2", "0?a=b"}) {
    EXPECT_THAT(error_of("redis://h/" + std::string(database)), HasSubstr("no database"));
  }
  EXPECT_THAT(error_of("redis://"), HasSubstr("has no host"));
  EXPECT_THAT(error_of("redis://a b"), HasSubstr("no host name"));
}

}  // namespace
}  // namespace headroom::scenario
