#include "record/metric.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace headroom::record {
namespace {

TEST(MetricCatalogueTest, FindsEveryMetricByItsName) {
  MetricId id = 0;
  for (const MetricInfo& info : metric_catalogue()) {
    EXPECT_EQ(metric_by_name(info.name), id) << info.name;
    EXPECT_EQ(metric(info.name), id);
    ++id;
  }
}

TEST(MetricCatalogueTest, KnowsNoOtherName) {
  EXPECT_EQ(metric_by_name("CurrItem"), std::nullopt);
  EXPECT_EQ(metric_by_name(""), std::nullopt);
}

TEST(MetricCatalogueTest, ExplainsEveryMetricInOneSentenceWithAUnit) {
  const std::set<std::string_view> units = {"bytes", "seconds",      "count",       "ratio",
                                            "flag",  "milliseconds", "microseconds"};
  for (const MetricInfo& info : metric_catalogue()) {
    EXPECT_TRUE(info.help.ends_with('.')) << info.name;
    EXPECT_GT(info.help.size(), 20U) << info.name;
    EXPECT_TRUE(units.contains(info.unit)) << info.name << ": " << info.unit;
  }
}

TEST(MetricCatalogueDeathTest, AbortsOnANameThatOurOwnCodeGotWrong) {
  EXPECT_DEATH((void)metric("no such metric"), "no such metric in the catalogue");
}

}  // namespace
}  // namespace headroom::record
