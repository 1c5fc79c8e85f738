#include "report/node_shapes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace headroom::report {
namespace {

using ::testing::HasSubstr;

TEST(NodeShapesTable, HasALineForEach) {
  const auto shapes = scenario::filter_node_shapes("");
  const std::string text = render_node_shapes(shapes, "2026-01-02");
  std::size_t found = 0;
  for (const auto line : split(text, '\n')) {
    found += line.starts_with("cache.") ? 1 : 0;
  }
  EXPECT_EQ(found, shapes.size());
  EXPECT_THAT(text, HasSubstr("cache.t4g.micro         512 MiB    384 MiB      2       0.2"));
  EXPECT_THAT(text, HasSubstr("As of 2026-01-02."));
}

TEST(NodeShapesTable, IsJsonForPrograms) {
  const auto shapes = scenario::filter_node_shapes("large");
  const auto json = nlohmann::json::parse(node_shapes_json(shapes, "2026-01-02"));
  EXPECT_EQ(json.at("as_of"), "2026-01-02");
  ASSERT_EQ(json.at("shapes").size(), shapes.size());
  EXPECT_TRUE(json.at("shapes").at(0).at("credits_max").is_null());
  const auto micro =
      nlohmann::json::parse(node_shapes_json(scenario::filter_node_shapes("t4g.micro"), "x"));
  EXPECT_EQ(micro.at("shapes").at(0).at("maxmemory_bytes"), 402'653'184);
  EXPECT_EQ(micro.at("shapes").at(0).at("credits_per_hour"), 12);
}

}  // namespace
}  // namespace headroom::report
