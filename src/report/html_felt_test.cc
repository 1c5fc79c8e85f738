// What the HTML page shows of latency: response where there is a schedule, else service; and of a
// run that goes.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "report/html.h"
#include "report/html_series.h"
#include "tests/support/sample_runs.h"

namespace headroom::report {
namespace {

using headroom::testing::LoadSecond;
using headroom::testing::RunBuilder;
using nlohmann::json;
using ::testing::SizeIs;

json data_of(const record::Run& run) {
  return json::parse(page_data(run, analysis::summarize(run), {"x.run", Seal::kSealed, "ab"}));
}

// Everybody waits 20 ms in the third second, and nobody in the others.
RunBuilder open_loop() {
  RunBuilder builder;
  builder.measure(5).asked(3'300).load([](std::int64_t second) {
    LoadSecond load;
    load.due = 1'100;
    load.late = second == 2 ? 1'000 : 0;
    load.waited = std::chrono::milliseconds{second == 2 ? 20 : 0};
    return load;
  });
  return builder;
}

TEST(HtmlFelt, DrawsResponseBesideServiceAndTheScheduleOfAnOpenLoop) {
  const json series = data_of(open_loop().build())["time"]["series"];
  EXPECT_NEAR(series["response_p99_ns"]["value"][2].get<double>(), 20.12e6, 0.03e6);
  EXPECT_NEAR(series["p99_ns"]["value"][2].get<double>(), 0.12e6, 0.001e6);
  EXPECT_EQ(series["asked_per_s"]["value"][0], 3'300);
  EXPECT_EQ(series["backlog"]["value"][2], 3'000);
  EXPECT_EQ(series["schedule_lag_max_ns"]["value"][2], 20'000'000);
}

TEST(HtmlFelt, HasNoScheduleInClosedLoop) {
  const json series = data_of(RunBuilder().build())["time"]["series"];
  for (const char* name : {"response_p99_ns", "asked_per_s", "backlog", "schedule_lag_max_ns"})
    EXPECT_FALSE(series.contains(name)) << name;
}

TEST(HtmlFelt, CountsInTheHeatMapWhatUsersWaited) {
  const json heat = data_of(open_loop().build())["heat_map"];
  const json& column = heat["columns"][2];
  const std::size_t lowest = column["first"];
  EXPECT_GE(heat["row_ns"][lowest].get<double>(), 16e6);
}

TEST(HtmlFelt, ListsTheSlowestRequestsFirst) {
  const json slowest = data_of(open_loop().build())["slowest"];
  ASSERT_THAT(slowest, SizeIs(kSlowest));
  EXPECT_EQ(slowest[0]["ns"], 20'120'000);
  EXPECT_EQ(slowest[0]["operation"], "SET");
  EXPECT_EQ(slowest[0]["from"], "intended");
  EXPECT_EQ(slowest[0]["begin_s"], 2);
  EXPECT_EQ(slowest[0]["end_s"], 3);
  for (std::size_t i = 1; i < slowest.size(); ++i)
    EXPECT_LE(slowest[i]["ns"], slowest[i - 1]["ns"]);
  EXPECT_EQ(data_of(RunBuilder().build())["slowest"][0]["from"], "send");
}

TEST(HtmlFelt, SaysOfARunThatGoesThatItRuns) {
  const record::Run run = RunBuilder().measure(40).killed_after(7).build();
  const analysis::Summary summary = analysis::summarize(run);
  const Source source{"x.run", Seal::kRunning, ""};
  const Served served{
      .list = {}, .events = "/events", .phase = "measure", .left = std::chrono::seconds{33}};
  const json data = json::parse(page_data(run, summary, source, served));
  EXPECT_EQ(data["words"]["state"], "running");
  EXPECT_EQ(data["words"]["left_behind"], nullptr);
  EXPECT_EQ(data["served"]["events"], "/events");
  EXPECT_EQ(data["served"]["left_s"], 33);
  // Only such a page may ask anybody for anything.
  EXPECT_NE(render_html(run, summary, source, served).find("connect-src 'self'"),
            std::string::npos);
  EXPECT_EQ(render_html(run, summary, source).find("connect-src"), std::string::npos);
}

TEST(HtmlFelt, HasNothingToSayBeforeMeasuringBegan) {
  const record::Run run = RunBuilder().warmup(10).measure(40).killed_after(3).build();
  const json data =
      json::parse(page_data(run, analysis::summarize(run), {"x.run", Seal::kRunning, ""}));
  EXPECT_EQ(data["words"]["headline"], "Not measuring yet");
}

}  // namespace
}  // namespace headroom::report
