#include "interop/endpoint_uri.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headroom::interop {
namespace {

using testing::HasSubstr;

TEST(EndpointUri, HasAllParts) {
  const auto uri = parse_endpoint_uri("rediss://bob:p%40ss@[::1]:7000/3");
  ASSERT_TRUE(uri) << uri.error().message;
  EXPECT_TRUE(uri->tls);
  EXPECT_EQ(uri->username, "bob");
  EXPECT_EQ(uri->password, "p@ss");
  EXPECT_EQ(uri->host, "::1");
  EXPECT_EQ(uri->port, "7000");
  EXPECT_EQ(uri->database, "3");
}

TEST(EndpointUri, NeedsOnlyAHost) {
  const auto uri = parse_endpoint_uri("valkey://cache.example");
  ASSERT_TRUE(uri);
  EXPECT_FALSE(uri->tls);
  EXPECT_EQ(uri->host, "cache.example");
  EXPECT_EQ(uri->username + uri->password + uri->port + uri->database, "");
  EXPECT_TRUE(parse_endpoint_uri("valkeys://x")->tls);
}

TEST(EndpointUri, TakesPasswordsThatNobodyEncoded) {
  EXPECT_EQ(parse_endpoint_uri("redis://:a@b:c@host")->password, "a@b:c");
  EXPECT_EQ(parse_endpoint_uri("redis://:a@b:c@host")->username, "");
}

TEST(EndpointUri, SaysWhatIsWrongAndNeverThePassword) {
  for (const char* text : {"http://bob:hunter2@x", "bob:hunter2@x", "redis://bob:hunter2%4@x",
                           "redis://bob:hunter2@[::1", "redis://bob:hunter2@:7"}) {
    const auto uri = parse_endpoint_uri(text);
    ASSERT_FALSE(uri) << text;
    EXPECT_THAT(uri.error().message, testing::Not(HasSubstr("hunter2")));
  }
}

}  // namespace
}  // namespace headroom::interop
