#include "net/address.h"

#include <gtest/gtest.h>

namespace headroom::net {
namespace {

TEST(AddressTest, PrintsAHostAndItsPort) {
  EXPECT_EQ((Address{"cache.example", 6379, ""}.text()), "cache.example:6379");
}

TEST(AddressTest, PutsALiteralIpv6AddressInBrackets) {
  EXPECT_EQ((Address{"::1", 6379, ""}.text()), "[::1]:6379");
}

TEST(AddressTest, PrintsAUnixSocketByItsPath) {
  EXPECT_EQ((Address{"", 0, "/run/valkey.sock"}.text()), "unix:/run/valkey.sock");
}

}  // namespace
}  // namespace headroom::net
