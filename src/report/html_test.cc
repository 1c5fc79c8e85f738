#include "report/html.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>

#include "report/html_series.h"
#include "report/json.h"
#include "tests/support/golden.h"
#include "tests/support/sample_runs.h"

namespace headroom::report {
namespace {

using headroom::testing::LoadSecond;
using headroom::testing::RunBuilder;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

std::string page_of(const record::Run& run) {
  return render_html(run, analysis::summarize(run), {"x.run", Seal::kSealed, "ab"});
}

// What stands in the page's block of data.
std::string block_of(const std::string& page) {
  static constexpr std::string_view kBegin = "id=\"headroom-data\">";
  const std::size_t begin = page.find(kBegin) + kBegin.size();
  return page.substr(begin, page.find("</script>", begin) - begin);
}

json data_of(const record::Run& run) { return json::parse(block_of(page_of(run))); }

std::size_t occurrences(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST(Html, CarriesTheCommittedPage) {
  const auto path = headroom::testing::source_folder() / "web" / "dist" / "report.html";
  EXPECT_EQ(headroom::testing::read_whole(path), html_template());
  EXPECT_EQ(occurrences(html_template(), "{{headroom-data}}"), 1U);
  EXPECT_TRUE(is_html_report(html_template()));
  EXPECT_FALSE(is_html_report("SQLite format 3"));
  EXPECT_FALSE(is_html_report(""));
}

TEST(Html, IsTheTemplateWithDataInIt) {
  const std::string page = page_of(headroom::testing::boundary_run().build());
  EXPECT_TRUE(is_html_report(page));
  EXPECT_THAT(page, Not(HasSubstr("{{headroom-data}}")));
  EXPECT_EQ(occurrences(page, "</html>"), 1U);
}

TEST(Html, HoldsTheFiguresOfTheJsonSummary) {
  for (auto builder : {headroom::testing::boundary_run(), headroom::testing::killed_run(),
                       headroom::testing::failed_run()}) {
    const record::Run run = builder.build();
    const std::string expected =
        render_json(run, analysis::summarize(run), {"x.run", Seal::kSealed, "ab"});
    EXPECT_EQ(data_of(run)["summary"], json::parse(expected)) << run.header.scenario.name;
  }
}

TEST(Html, LetsNoMarkupOfARunFileBegin) {
  const std::string evil = "</script><script>alert(1)</script><!-- & \xff";
  RunBuilder builder;
  builder.edit([&evil](record::Run& run) {
    run.header.scenario.name = evil;
    run.header.scenario_toml = evil;
    run.header.command_line = evil;
    run.header.operations[0] = evil;
    run.facts[evil] = evil;
    run.events.push_back({std::chrono::seconds{9}, record::EventKind::kEngineSilent, evil});
    run.warnings = {{record::WarningKind::kTelemetryAbsent, evil}};
    run.receipts = {{std::chrono::seconds{43}, evil, evil, false}};
    run.end = record::RunEnd::kFailed;
    run.end_reason = evil;
  });
  const record::Run run = builder.build();
  const std::string page = page_of(run);
  EXPECT_EQ(occurrences(page, "<script"), occurrences(html_template(), "<script"));
  EXPECT_EQ(occurrences(page, "</script"), occurrences(html_template(), "</script"));
  EXPECT_THAT(block_of(page), Not(::testing::ContainsRegex("[<>&]")));
  EXPECT_THAT(data_of(run)["summary"]["run"]["scenario_toml"].get<std::string>(),
              HasSubstr("</script><script>alert(1)</script><!-- & "));
}

TEST(Html, SaysTheVerdictInWords) {
  const auto headline = [](RunBuilder builder) {
    return data_of(builder.build())["words"]["headline"].get<std::string>();
  };
  EXPECT_EQ(headline(headroom::testing::boundary_run()), "Full after 20.5 s: evictions began");
  EXPECT_THAT(headline(headroom::testing::headroom_run()), HasSubstr("of memory was never used"));
  EXPECT_EQ(headline(headroom::testing::rejecting_run()), "Out of memory: writes were refused");
  EXPECT_EQ(headline(headroom::testing::failed_run()), "Nothing was measured");
  EXPECT_EQ(headline(RunBuilder()), "Not full yet: memory was still growing");
  EXPECT_EQ(headline(RunBuilder().without_telemetry()), "Cannot tell whether the node had room");
}

TEST(Html, SaysWhatARunWithoutAnEndMayHaveLeft) {
  EXPECT_THAT(
      data_of(headroom::testing::killed_run().build())["words"]["left_behind"].get<std::string>(),
      HasSubstr("ps -p 4711"));
  EXPECT_TRUE(data_of(RunBuilder().build())["words"]["left_behind"].is_null());
}

TEST(Html, OfAnHourIsSmallerThanAMegabyte) {
  const record::Run run = RunBuilder().workers(9).warmup(60).measure(3'600).build();
  EXPECT_LT(page_of(run).size(), 1'000'000U);
}

// --- columns -------------------------------------------------------------------------------------

TEST(HtmlSeries, HasAColumnForEachSecondOfAShortRun) {
  const json time = data_of(RunBuilder().warmup(2).measure(5).build())["time"];
  EXPECT_EQ(time["step_s"], 1);
  EXPECT_EQ(time["end_s"], json({-1, 0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(time["phase"][1], "warmup");
  EXPECT_EQ(time["phase"][2], "measure");
  EXPECT_EQ(time["series"]["throughput_per_s"]["value"][6], 3'300);
  EXPECT_FALSE(time["series"]["throughput_per_s"].contains("low"));
}

TEST(HtmlSeries, KeepsTheExtremesOfTheSecondsThatItJoins) {
  RunBuilder builder;
  builder.workers(1).measure(1'000).load([](std::int64_t second) {
    LoadSecond load;
    load.sets = 0;
    load.hits = second == 6 ? 5'000 : 1'000;
    load.misses = 0;
    load.get_latency = std::chrono::microseconds{second == 6 ? 900 : 100};
    return load;
  });
  const json time = data_of(builder.build())["time"];
  EXPECT_EQ(time["step_s"], 2);
  ASSERT_EQ(time["end_s"].size(), 500U);
  EXPECT_EQ(time["end_s"][3], 8);
  const json& throughput = time["series"]["throughput_per_s"];
  EXPECT_EQ(throughput["value"][3], 3'000);
  EXPECT_EQ(throughput["low"][3], 1'000);
  EXPECT_EQ(throughput["high"][3], 5'000);
  // Of the 6,000 requests of the column 5,000 were slow: the merged median is theirs, while the
  // mean of the two medians would be 500 us.
  EXPECT_NEAR(time["series"]["p50_ns"]["value"][3].get<double>(), 900'000, 900);
  EXPECT_NEAR(time["series"]["p50_ns"]["low"][3].get<double>(), 100'000, 100);
}

TEST(HtmlSeries, HasNoMoreColumnsThanItMay) {
  for (const std::int64_t seconds : {900, 901, 3'600, 40'000}) {
    record::Run run;
    for (std::int64_t i = 0; i < seconds; ++i) {
      record::MergedInterval interval;
      interval.interval = {record::Phase::kMeasure, i, std::chrono::seconds{i},
                           std::chrono::seconds{i + 1}};
      run.intervals.push_back(std::move(interval));
    }
    analysis::Summary summary;
    summary.complete = true;
    const std::vector<Column> columns = make_columns(run, summary);
    EXPECT_LE(columns.size(), kMaxColumns) << seconds;
    std::size_t covered = 0;
    for (const Column& column : columns) covered += column.count;
    EXPECT_EQ(covered, run.intervals.size());
  }
}

TEST(HtmlSeries, LeavesOutWhatIsTooShortAndWhatNotAllWorkersRecorded) {
  record::Run run;
  const auto add = [&](record::Phase phase, std::int64_t index, Nanos begin, Nanos end) {
    record::MergedInterval interval;
    interval.interval = {phase, index, begin, end};
    run.intervals.push_back(std::move(interval));
  };
  using std::chrono::milliseconds;
  add(record::Phase::kMeasure, 0, milliseconds{0}, milliseconds{1'000});
  add(record::Phase::kMeasure, 1, milliseconds{1'000}, milliseconds{2'000});
  add(record::Phase::kDrain, 0, milliseconds{2'000}, milliseconds{2'003});
  analysis::Summary summary;
  summary.complete = true;
  EXPECT_EQ(make_columns(run, summary).size(), 2U);
  summary.complete = false;
  summary.measure.window = {"measure", milliseconds{0}, milliseconds{1'000}};
  EXPECT_EQ(make_columns(run, summary).size(), 1U);
}

TEST(HtmlSeries, HasNoSeriesForWhatWasNotSampled) {
  const json series = data_of(RunBuilder().without_telemetry().build())["time"]["series"];
  EXPECT_FALSE(series.contains("keys"));
  EXPECT_FALSE(series.contains("memory_used_ratio"));
  EXPECT_FALSE(series.contains("rejected_per_s"));
  EXPECT_TRUE(series.contains("throughput_per_s"));
}

// --- latency -------------------------------------------------------------------------------------

TEST(HtmlLatency, CountsEachRequestOnceInTheHeatMap) {
  const record::Run run = headroom::testing::boundary_run().build();
  const json map = data_of(run)["heat_map"];
  std::uint64_t requests = 0;
  for (const json& column : map["columns"]) {
    EXPECT_LE(column["first"].get<std::size_t>() + column["counts"].size(),
              map["row_ns"].size() - 1);
    for (const json& count : column["counts"]) requests += count.get<std::uint64_t>();
  }
  EXPECT_EQ(requests, analysis::summarize(run).measure.completed);
  EXPECT_TRUE(std::ranges::is_sorted(map["row_ns"].get<std::vector<std::uint64_t>>()));
}

TEST(HtmlLatency, PutsEachRequestIntoTheRowOfItsLatency) {
  RunBuilder builder;
  builder.workers(1).measure(1).load([](std::int64_t) {
    return LoadSecond{0, 7, 0, Nanos{1}, std::chrono::microseconds{100}, 0.3};
  });
  const json map = data_of(builder.build())["heat_map"];
  const json& column = map["columns"][0];
  const std::size_t row = column["first"].get<std::size_t>();
  EXPECT_EQ(column["counts"], json({7}));
  EXPECT_LE(map["row_ns"][row].get<int>(), 100'000);
  EXPECT_GT(map["row_ns"][row + 1].get<int>(), 100'000);
}

TEST(HtmlLatency, DrawsTheQuantilesOfTheTable) {
  const record::Run run = headroom::testing::boundary_run().build();
  const json data = data_of(run);
  const json& latencies = data["summary"]["measure"]["latencies"];
  ASSERT_EQ(data["curves"].size(), latencies.size());
  for (std::size_t i = 0; i < latencies.size(); ++i) {
    const json& curve = data["curves"][i];
    const auto at = [&](double beyond) {
      const auto beyonds = curve["beyond"].get<std::vector<double>>();
      const auto found = std::ranges::find(beyonds, beyond);
      return found == beyonds.end()
                 ? json()
                 : curve["ns"][static_cast<std::size_t>(found - beyonds.begin())];
    };
    EXPECT_EQ(at(2), latencies[i]["p50_ns"]);
    EXPECT_EQ(at(100), latencies[i]["p99_ns"]);
    EXPECT_EQ(at(1'000), latencies[i]["p999_ns"]);
    EXPECT_EQ(curve["beyond"].back(), latencies[i]["count"]);
    EXPECT_EQ(curve["ns"].back(), latencies[i]["max_ns"]);
  }
}

// --- marks ---------------------------------------------------------------------------------------

TEST(HtmlMarks, JoinsWhatHappenedInOneColumn) {
  RunBuilder builder = headroom::testing::boundary_run();
  builder.edit([](record::Run& run) {
    for (int i = 0; i < 50; ++i)
      run.events.push_back({std::chrono::milliseconds{12'100 + i},
                            record::EventKind::kConnectionLost, "worker 1: reset"});
    run.events.push_back({std::chrono::seconds{30}, record::EventKind::kConnectionLost, "again"});
    run.events.push_back({std::chrono::seconds{31}, record::EventKind::kNote, "no mark"});
  });
  const json marks = data_of(builder.build())["marks"];
  EXPECT_EQ(marks["left_out"], 0);
  ASSERT_EQ(marks["list"].size(), 3U);
  EXPECT_EQ(marks["list"][0]["kind"], "connection-lost");
  EXPECT_EQ(marks["list"][0]["count"], 50);
  EXPECT_EQ(marks["list"][1]["kind"], "first-eviction");
  EXPECT_EQ(marks["list"][1]["time_s"], 20.5);
  EXPECT_EQ(marks["list"][2]["count"], 1);
}

TEST(HtmlMarks, ShowsTheFirstRefusalAndCountsWhatIsTooMany) {
  RunBuilder builder = headroom::testing::rejecting_run();
  builder.measure(400).edit([](record::Run& run) {
    for (int i = 0; i < 390; ++i)
      run.events.push_back({std::chrono::seconds{3 + i}, record::EventKind::kReconnected, ""});
  });
  const json marks = data_of(builder.build())["marks"];
  EXPECT_EQ(marks["list"].size(), kMaxMarks);
  EXPECT_EQ(marks["left_out"], 391 - static_cast<int>(kMaxMarks));
  EXPECT_EQ(marks["list"][0]["kind"], "first-refusal");
}

}  // namespace
}  // namespace headroom::report
