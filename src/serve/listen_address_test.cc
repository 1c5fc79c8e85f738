#include "serve/listen_address.h"

#include <gmock/gmock.h>

namespace headroom::serve {
namespace {

using ::testing::HasSubstr;

TEST(ListenAddress, ReadsAddressAndPort) {
  EXPECT_EQ(parse_listen_address("127.0.0.1:9000").value().text(), "127.0.0.1:9000");
  EXPECT_EQ(parse_listen_address("[::1]:0").value().text(), "[::1]:0");
  EXPECT_EQ(parse_listen_address("0.0.0.0").value().text(), "0.0.0.0:8379");
  EXPECT_EQ(parse_listen_address("lab.example:80").value().url(), "http://lab.example:80/");
  EXPECT_EQ(ListenAddress().text(), kDefaultListen);
}

TEST(ListenAddress, RefusesWhatIsNone) {
  for (const char* text : {"", ":9000", "9000:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:9x",
                           "::1:9000", "[::1:9000", "[host]:9000", "runs/a.run:1", "a b:1"}) {
    const auto address = parse_listen_address(text);
    ASSERT_FALSE(address) << text;
    EXPECT_EQ(address.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(address.error().message, HasSubstr("write ADDR:PORT"));
  }
}

TEST(ListenAddress, KnowsWhatOthersCanReach) {
  for (const char* text : {"127.0.0.1", "127.8.0.1:1", "[::1]:1", "localhost"})
    EXPECT_TRUE(parse_listen_address(text).value().is_loopback()) << text;
  for (const char* text : {"0.0.0.0", "10.0.0.1:1", "[::]:1", "lab.example"})
    EXPECT_FALSE(parse_listen_address(text).value().is_loopback()) << text;
}

}  // namespace
}  // namespace headroom::serve
