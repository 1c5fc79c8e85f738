#include "report/group.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "base/text.h"
#include "report/text.h"
#include "tests/support/golden.h"
#include "tests/support/json_schema.h"
#include "tests/support/sample_groups.h"

namespace headroom::report {
namespace {

using headroom::testing::boundary_group;
using headroom::testing::expect_golden;
using headroom::testing::RunBuilder;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

GroupMember member(const record::Run& run, const std::string& file) {
  return member_of(run, analysis::summarize(run),
                   {file, run.end ? Seal::kSealed : Seal::kIncomplete, ""});
}

Group group_of(const std::vector<record::Run>& runs) {
  std::vector<GroupMember> members;
  for (const record::Run& run : runs)
    members.push_back(member(run, std::to_string(members.size() + 1) + ".run"));
  return make_group(std::move(members));
}

RunBuilder with_throughput(std::uint64_t hits) {
  RunBuilder builder;
  builder.measure(5).load([hits](std::int64_t) {
    headroom::testing::LoadSecond load;
    load.hits = hits;
    return load;
  });
  return builder;
}

const GroupFigure& figure(const Group& group, const std::string& key) {
  const auto found = std::ranges::find(group.figures, key, &GroupFigure::key);
  EXPECT_NE(found, group.figures.end()) << key;
  return *found;
}

TEST(Group, ShowsFiveRunsInEveryFormat) {
  const Group group = group_of(boundary_group());
  expect_golden("group_boundary.txt", render_group_terminal(group, {}));
  expect_golden("group_boundary.md", render_group_markdown(group));
}

TEST(Group, IsNoWiderThanATerminal) {
  const std::string text = render_group_terminal(group_of(boundary_group()), {});
  for (const std::string_view line : split(text, '\n'))
    EXPECT_LE(display_width(line), Page::kWidth) << line;
}

TEST(Group, FitsItsSchema) {
  const auto path = headroom::testing::source_folder() / "docs" / "schema" / "group.schema.json";
  const headroom::testing::SchemaChecker schema(json::parse(headroom::testing::read_whole(path)));
  for (const Group& group :
       {group_of(boundary_group()),
        group_of({RunBuilder().build(), headroom::testing::killed_run().build(),
                  headroom::testing::failed_run().build()}),
        group_of({headroom::testing::open_loop_run().build(),
                  headroom::testing::open_loop_run().build()})}) {
    EXPECT_THAT(schema.check(json::parse(render_group_json(group))), IsEmpty());
  }
}

TEST(Group, HasTheRangeOfEveryFigureThatAnyRunKnows) {
  const Group group = group_of({with_throughput(900).build(), with_throughput(700).build(),
                                with_throughput(800).without_telemetry().build()});
  const GroupFigure& throughput = figure(group, "throughput_per_s");
  EXPECT_EQ(throughput.spread.min, 2'700);
  EXPECT_EQ(throughput.spread.median, 3'000);
  EXPECT_EQ(throughput.spread.max, 3'300);
  EXPECT_THAT(throughput.values, ElementsAre(3'300, 2'700, 3'000));
  const GroupFigure& evictions = figure(group, "evictions");
  EXPECT_EQ(evictions.spread.runs, 2);
  EXPECT_THAT(evictions.values, ElementsAre(0, 0, std::nullopt));
}

TEST(Group, DrawsTheMedianOfTheRunsInEachSecond) {
  const Group group = group_of({with_throughput(900).build(), with_throughput(700).build(),
                                with_throughput(800).measure(3).build()});
  // Behind its end the short run has no say.
  EXPECT_THAT(median_line(group, GroupLine::kThroughput),
              ElementsAre(3'000, 3'000, 3'000, 3'000, 3'000));
  const Group two =
      group_of({with_throughput(900).build(), with_throughput(700).build(),
                with_throughput(500).build(), with_throughput(800).measure(3).build()});
  EXPECT_EQ(median_line(two, GroupLine::kThroughput).at(4), 2'700);
}

TEST(Group, SaysWhatTheRunsAgreeOnAndWhatNot) {
  const Group same = group_of({RunBuilder().build(), RunBuilder().build()});
  EXPECT_EQ(group_headline(same), "2 runs agree: headroom; what limited them is unclear");
  EXPECT_THAT(same.differences, IsEmpty());
  RunBuilder other;
  other.edit([](record::Run& run) { run.header.scenario.load.pipeline = 4; });
  const Group mixed = group_of({RunBuilder().build(), other.build()});
  ASSERT_FALSE(mixed.differences.empty());
  const auto found = std::ranges::find(mixed.differences, "load.pipeline", &GroupDifference::key);
  ASSERT_NE(found, mixed.differences.end());
  EXPECT_THAT(found->values, ElementsAre("1", "4"));
  EXPECT_NE(group_tone(mixed), Tone::kGood);
  const Group regimes = group_of({RunBuilder().build(), headroom::testing::boundary_run().build()});
  EXPECT_THAT(group_headline(regimes), HasSubstr("neither on their regime"));
}

TEST(Group, ShowsWhatUsersWaitForInOpenLoop) {
  const Group group = group_of(
      {headroom::testing::open_loop_run().build(), headroom::testing::open_loop_run().build()});
  EXPECT_GT(figure(group, "response_p99_ns").spread.median,
            figure(group, "latency_p99_ns").spread.median);
  EXPECT_THAT(render_group_terminal(group, {}), HasSubstr("response p99"));
}

TEST(Group, ShowsMarkupAsText) {
  constexpr std::string_view kEvil = "</script><script>alert(1)</script>";
  RunBuilder builder;
  builder.edit([&](record::Run& run) {
    run.header.scenario.name = kEvil;
    run.facts["engine.version"] = kEvil;
  });
  const record::Run evil = builder.build();
  const Group group = make_group({member(evil, std::string(kEvil)), member(evil, "b.run")});
  for (const std::string& text : {render_group_html(group), render_group_markdown(group)})
    EXPECT_EQ(text.find(kEvil), std::string::npos);
  EXPECT_TRUE(is_html_report(render_group_html(group)));
}

TEST(Group, StaysSmallForFiveRunsOfAnHour) {
  std::vector<GroupMember> members;
  for (int i = 0; i < 5; ++i) {
    RunBuilder builder;
    builder.measure(3'600);
    members.push_back(member(builder.build(), std::to_string(i) + ".run"));
  }
  EXPECT_LT(render_group_html(make_group(std::move(members))).size(), 1'000'000);
}

}  // namespace
}  // namespace headroom::report
