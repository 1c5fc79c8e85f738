// Latency by value size and popularity, single requests, and cache-aside, as they are shown.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "analysis/summary.h"
#include "report/csv.h"
#include "report/json.h"
#include "report/terminal.h"
#include "tests/support/golden.h"
#include "tests/support/json_schema.h"
#include "tests/support/run_builder.h"

namespace headroom::report {
namespace {

using headroom::testing::RunBuilder;
using record::LatencyKind;
using record::Outcome;
using record::Split;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;

stats::Histogram times(Nanos value, std::uint64_t count) {
  stats::Histogram histogram;
  histogram.record(value, count);
  return histogram;
}

record::Run run_with_single_requests() {
  return RunBuilder()
      .measure(3)
      .edit([](record::Run& run) {
        const auto get = [](Split split, std::uint64_t part, Outcome outcome) {
          return record::SplitKey{split, part, {1, outcome, LatencyKind::kService}};
        };
        run.splits = {
            {get(Split::kValueSize, 128, Outcome::kHit), times(microseconds{100}, 200)},
            {get(Split::kValueSize, 4096, Outcome::kHit), times(microseconds{300}, 50)},
            {get(Split::kKeys, record::kColdKeys, Outcome::kHit), times(microseconds{200}, 90)},
            {get(Split::kKeys, record::kColdKeys, Outcome::kMiss), times(microseconds{150}, 10)},
            {get(Split::kKeys, record::kHotKeys, Outcome::kHit), times(microseconds{90}, 160)}};
        for (int i = 0; i < 7; ++i) {
          run.slowest.push_back({.sent = RunBuilder::kLoadBegin + milliseconds{100 * i},
                                 .worker = 2,
                                 .connection = 1,
                                 .operation = 1,
                                 .outcome = Outcome::kHit,
                                 .key = "0123456789abcdef-0123456789abcdef-" + std::to_string(i),
                                 .value_bytes = 2048,
                                 .service = milliseconds{50 - i}});
        }
      })
      .build();
}

std::string page_of(const record::Run& run) {
  return render_terminal(run, analysis::summarize(run), {}, TerminalOptions{false});
}

TEST(SplitsOnTheTerminal, AreARowForEachOperationAndPart) {
  const std::string page = page_of(run_with_single_requests());
  EXPECT_THAT(page, HasSubstr("BY VALUE SIZE"));
  EXPECT_THAT(page, HasSubstr("GET, 65B to 128B"));
  EXPECT_THAT(page, HasSubstr("GET, 2049B to 4KiB"));
  EXPECT_THAT(page, HasSubstr("HOT AND COLD KEYS"));
  const std::size_t cold = page.find("GET, cold");
  ASSERT_NE(cold, std::string::npos);
  const std::string row = page.substr(cold, page.find('\n', cold) - cold);
  EXPECT_TRUE(row.ends_with(" 100")) << row;  // hits and misses together
  EXPECT_THAT(page, Not(HasSubstr("SET, cold")));
}

TEST(SplitsOnTheTerminal, AreNotThereWhereThereIsOnlyOnePart) {
  const std::string page = page_of(RunBuilder().measure(3).build());
  EXPECT_THAT(page, Not(HasSubstr("BY VALUE SIZE")));
  EXPECT_THAT(page, Not(HasSubstr("HOT AND COLD")));
  EXPECT_THAT(page, Not(HasSubstr("SLOWEST REQUESTS")));
  EXPECT_THAT(page, Not(HasSubstr("cache-aside")));
}

TEST(SlowestOnTheTerminal, AreTheFirstFiveWithKeysCutInTheMiddle) {
  const std::string page = page_of(run_with_single_requests());
  EXPECT_THAT(page, HasSubstr("5 of 7 kept"));
  EXPECT_THAT(page, HasSubstr("0123456789abc...56789abcdef-4"));
  EXPECT_THAT(page, Not(HasSubstr("abcdef-5")));
  EXPECT_THAT(page, HasSubstr("2.00 KiB"));
}

TEST(SingleRequestsInJson, HaveAllThatIsKept) {
  const record::Run run = run_with_single_requests();
  const auto json = nlohmann::json::parse(render_json(run, analysis::summarize(run), {}));
  const auto path = headroom::testing::source_folder() / "docs" / "schema" / "summary.schema.json";
  const headroom::testing::SchemaChecker schema(
      nlohmann::json::parse(headroom::testing::read_whole(path)));
  EXPECT_THAT(schema.check(json), ::testing::IsEmpty());
  ASSERT_EQ(json["slowest"].size(), 7U);
  EXPECT_EQ(json["slowest"][1]["sent_ns"], 100'000'000);
  EXPECT_EQ(json["slowest"][1]["service_ns"], 49'000'000);
  EXPECT_TRUE(json["slowest"][1]["response_ns"].is_null());
  ASSERT_EQ(json["splits"].size(), 4U);
  EXPECT_EQ(json["splits"][0]["part"], "65B to 128B");
  EXPECT_EQ(json["splits"][0]["most_bytes"], 128);
  EXPECT_EQ(json["splits"][3]["part"], "hot");
  EXPECT_TRUE(json["splits"][3]["most_bytes"].is_null());
  EXPECT_TRUE(json["cache_aside"].is_null());
}

TEST(CacheAside, IsShownBesideTheHitRatio) {
  const record::Run run = RunBuilder()
                              .measure(3)
                              .edit([](record::Run& made) {
                                made.header.scenario.workload.backend_time = Nanos{milliseconds{2}};
                                for (record::MergedInterval& interval : made.intervals) {
                                  interval.cache_aside = record::CacheAside{
                                      400, 390, 6, 4, times(milliseconds{3}, 390)};
                                }
                              })
                              .build();
  const std::string page = page_of(run);
  EXPECT_THAT(page, HasSubstr("cache-aside ok"));
  EXPECT_THAT(page, HasSubstr("1,200 misses began one, 18 failed, 12\n"));
  const auto json = nlohmann::json::parse(render_json(run, analysis::summarize(run), {}));
  EXPECT_EQ(json["cache_aside"]["filled"], 1170);
}

TEST(RequestCsv, HasEmptyCellsWhereThereIsNoValue) {
  EXPECT_EQ(
      request_csv_header(),
      "sent_s,operation,outcome,key,value_bytes,service_ns,response_ns,worker,connection\r\n");
  const record::RequestRecord lost{.sent = milliseconds{1500},
                                   .worker = 3,
                                   .connection = 4,
                                   .operation = 1,
                                   .outcome = Outcome::kLost,
                                   .key = "a,\"b"};
  EXPECT_EQ(request_csv_line({"SET", "GET"}, lost), "1.500000000,GET,lost,\"a,\"\"b\",,,,3,4\r\n");
}

}  // namespace
}  // namespace headroom::report
