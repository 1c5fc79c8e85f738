#include "analysis/prose.h"

#include <gtest/gtest.h>

namespace headroom::analysis {
namespace {

TEST(Percent, ShowsWhatAPersonNeedsAndNeverRoundsUpToFull) {
  const std::pair<double, const char*> cases[] = {
      {0, "0 %"},       {0.00001, "<0.01 %"}, {0.0005, "0.05 %"}, {0.0099, "0.99 %"},
      {0.091, "9.1 %"}, {0.9, "90 %"},        {0.973, "97.3 %"},  {0.99996, "99.9 %"},
      {1, "100 %"},     {1.2346, "123.5 %"},  {-0.012, "-1.2 %"},
  };
  for (const auto& [ratio, text] : cases) EXPECT_EQ(percent(ratio), text);
}

TEST(Counted, UsesTheRightNumber) {
  EXPECT_EQ(counted(0, "key"), "0 keys");
  EXPECT_EQ(counted(1, "key"), "1 key");
  EXPECT_EQ(counted(12'345, "key"), "12,345 keys");
  EXPECT_EQ(counted(2, "reply", "replies"), "2 replies");
  EXPECT_EQ(counted(1, "reply", "replies"), "1 reply");
}

}  // namespace
}  // namespace headroom::analysis
