#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scripted/script.h"

namespace headroom::scripted {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::StartsWith;

TEST(ScriptParser, ReadsWhatTheFluentScriptSays) {
  auto script = parse_script(
      "# a comment\n"
      "on get,set delay 1ms,2ms\n"
      "on SET every 2 error OOM full  # every other\n"
      "connection 3 nth 4 close within 5\n"
      "from 9 raw \\x00\\r\\n\n"
      "on PING cut 1,2 pause 5ms\n"
      "stall 1s every 10s\n"
      "banner hello\n"
      "spin\n");
  ASSERT_TRUE(script) << script.error().message;
  EXPECT_EQ(script->treat("GET", 0).delay, 1ms);
  const Treatment set = script->treat("SET", 0);
  EXPECT_EQ(set.delay, 2ms);
  EXPECT_EQ(set.reply, "-OOM full\r\n");
  EXPECT_FALSE(script->treat("SET", 0).reply);
  const Treatment ping = script->treat("PING", 0);
  EXPECT_THAT(ping.cuts, ElementsAre(1U, 2U));
  EXPECT_EQ(ping.pause, 5ms);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(script->treat("X", 3).ending, Ending::kStaysOpen);
  EXPECT_EQ(script->treat("X", 3).ending, Ending::kClosedWithin);
  EXPECT_EQ(script->treat("X", 0).reply, std::string("\0\r\n", 3));
  EXPECT_EQ(script->stalls()->period, 10s);
  EXPECT_EQ(script->banner(), "hello");
  EXPECT_TRUE(script->spins());
}

TEST(ScriptParser, NamesTheLineThatItCannotRead) {
  for (const char* bad : {"delay", "delay 5", "every 0 nil", "jump", "cut 3,1 pause 1ms", "close",
                          "nil and more", "raw \\q", "stall 2s every 1s", "on GET"}) {
    const auto script = parse_script(std::string("spin\n") + bad + "\n");
    ASSERT_FALSE(script) << bad;
    EXPECT_THAT(script.error().message, StartsWith("script line 2: ")) << bad;
  }
}

}  // namespace
}  // namespace headroom::scripted
