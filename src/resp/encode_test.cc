#include "resp/encode.h"

#include <gtest/gtest.h>

#include <array>

namespace headroom::resp {
namespace {

using namespace std::string_view_literals;

TEST(AppendCommandTest, WritesLengthsInBytesAndKeepsEveryByte) {
  std::string out = "before";
  constexpr std::array kCommand = {"SET"sv, ""sv, "a\r\n\0b"sv};
  append_command(out, kCommand);
  EXPECT_EQ(out, "before*3\r\n$3\r\nSET\r\n$0\r\n\r\n$5\r\na\r\n\0b\r\n"sv);
}

}  // namespace
}  // namespace headroom::resp
