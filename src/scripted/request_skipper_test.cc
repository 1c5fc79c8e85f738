#include "scripted/request_skipper.h"

#include <gtest/gtest.h>

#include <string>

namespace headroom::scripted {
namespace {

// The first letters of the requests, in order; "!" where the stream was refused.
std::string commands_in(std::string_view bytes, std::size_t piece) {
  RequestSkipper skipper;
  std::string seen;
  for (std::size_t begin = 0; begin < bytes.size(); begin += piece) {
    if (!skipper.feed(bytes.substr(begin, piece), [&](char first) { seen += first; }))
      return seen + "!";
  }
  return seen;
}

TEST(RequestSkipper, SeesTheSameRequestsHoweverTheyAreSplit) {
  const std::string bytes =
      "*2\r\n$3\r\nGET\r\n$4\r\n*1\r\n\r\n"  // a key that looks like a header
      "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$0\r\n\r\n"
      "*1\r\n$4\r\nPING\r\n"
      "*1\r\n$4\r\nPIN";
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece)
    EXPECT_EQ(commands_in(bytes, piece), "GSP") << piece;
}

TEST(RequestSkipper, RefusesWhatIsNoArrayOfBulkStrings) {
  for (const char* bytes :
       {"PING\r\n", "*\r\n", "*0\r\n", "*-1\r\n", "*1\n", "*1\r$", "*1\r\n:1\r\n", "*1\r\n$-1\r\n",
        "*1\r\n$\r\n", "*1048577\r\n", "*1\r\n$536870913\r\n", "*99999999999999999999\r\n"}) {
    EXPECT_EQ(commands_in(bytes, 1), "!") << bytes;
    EXPECT_EQ(commands_in(bytes, 64), "!") << bytes;
  }
}

TEST(RequestSkipper, AnEmptyCommandIsARequestToo) {
  EXPECT_EQ(commands_in("*1\r\n$0\r\n\r\n", 64), std::string(1, '\0'));
}

}  // namespace
}  // namespace headroom::scripted
