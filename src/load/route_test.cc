#include "load/route.h"

#include <gtest/gtest.h>

namespace headroom::load {
namespace {

const std::string kPrefix = key_prefix(7, 3);

Route route_of(std::string_view text) {
  const auto line = scenario::read_command_line(text);
  EXPECT_TRUE(line) << text;
  return {*line, kPrefix};
}

TEST(Route, LeadsToTheSlotOfTheKey) {
  const Route get = route_of("GET __key__");
  const Route tagged = route_of("MGET a{b__key1__c}d {b__key1__c}e");
  for (const std::uint64_t key : {0ULL, 7ULL, 99'999'999ULL, 1'234'567'890ULL}) {
    EXPECT_EQ(get.slot(key), resp::slot_of(key_text(7, 3, key)));
    EXPECT_EQ(tagged.slot(key), resp::slot_of("b" + key_text(7, 3, key) + "c"));
  }
}

TEST(Route, OfAFixedKeyIsFixed) {
  EXPECT_EQ(route_of("HSET profile __key__ __data__").slot(5), resp::slot_of("profile"));
  EXPECT_EQ(route_of("GET {tag}__key__").slot(6), resp::slot_of("tag"));
}

TEST(Route, KnowsWhatOnlyReads) {
  EXPECT_TRUE(route_of("GET __key__").reads());
  EXPECT_FALSE(route_of("SET __key__ __data__").reads());
}

}  // namespace
}  // namespace headroom::load
