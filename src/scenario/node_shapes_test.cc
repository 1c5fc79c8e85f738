#include "scenario/node_shapes.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace headroom::scenario {
namespace {

constexpr std::string_view kHeader =
    "# as of 2026-01-02\nnode_type,memory_gib,vcpus,architecture,cpu,burst_credits_per_hour,"
    "burst_max_credits,burst_baseline_pct_per_vcpu\n";

TEST(NodeShapes, HoldTheWholeCatalogueWithItsDate) {
  EXPECT_EQ(node_catalogue().shapes.size(), 73U);
  EXPECT_EQ(node_catalogue().as_of.size(), std::string_view("2026-11-30").size());
  std::set<std::string_view> names;
  for (const NodeShape& shape : node_catalogue().shapes) {
    EXPECT_TRUE(names.insert(shape.name).second) << shape.name;
    EXPECT_TRUE(shape.name.starts_with("cache.")) << shape.name;
    EXPECT_GT(shape.memory_bytes, std::uint64_t{500} << 20U) << shape.name;
    EXPECT_GE(shape.vcpus, 1) << shape.name;
    EXPECT_EQ(shape.credits.has_value(), shape.name.starts_with("cache.t")) << shape.name;
    if (!shape.credits) continue;
    EXPECT_EQ(shape.credits->max, 24 * shape.credits->per_hour) << shape.name;
  }
}

TEST(NodeShapes, AreFoundByName) {
  const NodeShape* micro = find_node_shape("cache.t4g.micro");
  ASSERT_NE(micro, nullptr);
  EXPECT_EQ(micro->memory_bytes, std::uint64_t{512} << 20U);
  EXPECT_EQ(micro->vcpus, 2);
  EXPECT_EQ(micro->architecture, "arm64");
  EXPECT_EQ(micro->credits, (CreditRule{12, 288}));
  ASSERT_NE(find_node_shape("cache.t3.small"), nullptr);
  EXPECT_EQ(find_node_shape("cache.t3.small")->memory_bytes, 1'471'026'299U);  // 1.37 GiB
  EXPECT_EQ(find_node_shape("cache.r7g.large")->credits, std::nullopt);
  EXPECT_EQ(find_node_shape("t4g.micro"), nullptr);
  EXPECT_EQ(find_node_shape(""), nullptr);
}

TEST(NodeShapes, AreFilteredByEveryWord) {
  EXPECT_EQ(filter_node_shapes("").size(), 73U);
  EXPECT_EQ(filter_node_shapes("T4G").size(), 3U);
  EXPECT_EQ(filter_node_shapes("burst arm64").size(), 3U);
  EXPECT_EQ(filter_node_shapes("graviton3 large").size(), filter_node_shapes("graviton3").size());
  EXPECT_TRUE(filter_node_shapes("t4g x86_64").empty());
}

TEST(NodeShapes, ARowThatIsNotWholeOrContradictsItselfSpoilsTheTable) {
  const std::string header(kHeader);
  EXPECT_TRUE(parse_node_shapes(header + "cache.a,1,2,arm64,X,,,\n"));
  EXPECT_TRUE(parse_node_shapes(header + "cache.a,1,2,arm64,X,12,288,10\n"));
  for (const char* bad :
       {"cache.a,1,2,arm64,X,,\n", "cache.a,one,2,arm64,X,,,\n", "cache.a,1,2,arm64,X,12,,\n",
        ",1,2,arm64,X,,,\n", "cache.a,1,2,arm64,X,12,288,20\n"}) {
    EXPECT_FALSE(parse_node_shapes(header + bad)) << bad;
  }
  EXPECT_FALSE(parse_node_shapes("cache.a,1,2,arm64,X,,,\n")) << "no header, no date";
  EXPECT_FALSE(parse_node_shapes(""));
}

}  // namespace
}  // namespace headroom::scenario
