#include "serve/live_run.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <map>
#include <thread>

#include "base/file.h"
#include "report/html.h"
#include "tests/support/run_builder.h"
#include "tests/support/run_files.h"

namespace headroom::serve {
namespace {

using headroom::testing::RunBuilder;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr Nanos kPatience = std::chrono::seconds{20};

// Tells a follower all of a run that its file would hold, up to the end of `seconds` of load.
void tell(record::Follower& follower, const record::Run& run, std::size_t seconds) {
  for (const auto& [key, value] : run.facts) follower.fact(key, value);
  const Nanos until = run.intervals.at(seconds - 1).interval.end;
  for (const record::PhaseSpan& span : run.phases) {
    if (span.begin >= until) continue;
    follower.phase_began(span.phase, span.begin);
    if (span.end && *span.end < until) follower.phase_ended(span.phase, *span.end);
  }
  for (std::size_t i = 0; i < seconds; ++i) follower.interval(run.intervals[i]);
  for (const record::WorkerCounts& counts : run.workers) {
    if (counts.interval.end <= until) follower.worker_counts(counts);
  }
  std::map<Nanos, record::SampleBatch> batches;
  for (const record::MetricSeries& series : run.metrics) {
    for (const record::Point& point : series.points) {
      if (point.time > until) continue;
      batches[point.time].time = point.time;
      batches[point.time].samples.push_back(
          {record::metric(series.metric), series.label, point.value});
    }
  }
  for (const auto& [time, batch] : batches) follower.samples(batch);
}

HttpResponse ask(LiveRun& live, const std::string& path) {
  HttpRequest request;
  request.method = "GET";
  request.path = path;
  return live.answer(request);
}

struct Event {
  std::string name;
  nlohmann::json data;
};

// The next event that a stream sends; heartbeats are passed over.
std::optional<Event> next_event(const NextEvents& events) {
  const Nanos deadline = real_clock().now() + kPatience;
  while (real_clock().now() < deadline) {
    const auto bytes = events(std::chrono::milliseconds{200});
    if (!bytes) return std::nullopt;
    if (bytes->empty()) continue;
    const std::size_t line = bytes->find("\ndata: ");
    return Event{bytes->substr(7, line - 7),
                 nlohmann::json::parse(bytes->substr(line + 7, bytes->size() - line - 9))};
  }
  ADD_FAILURE() << "no event came";
  return std::nullopt;
}

class LiveRunTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = TempDir::create("headroom-live");
    ASSERT_TRUE(made);
    dir_.emplace(std::move(*made));
  }
  [[nodiscard]] std::filesystem::path file() const { return dir_->path() / "a.run"; }

  std::optional<TempDir> dir_;
  LiveRun live_;
};

TEST_F(LiveRunTest, ShowsWhatTheRunFileWouldSaySoFar) {
  const record::Run run = RunBuilder().measure(10).build();
  live_.began(run.header, file());
  tell(live_, run, 4);
  const HttpResponse page = ask(live_, "/");
  ASSERT_EQ(page.status, 200);
  EXPECT_TRUE(report::is_html_report(page.body));
  EXPECT_NE(page.body.find("connect-src 'self'"), std::string::npos);
  const NextEvents events = ask(live_, "/events").events;
  const auto grown = next_event(events);
  ASSERT_TRUE(grown);
  EXPECT_EQ(grown->name, "grown");
  EXPECT_EQ(grown->data["words"]["state"], "running");
  EXPECT_EQ(grown->data["served"]["phase"], "measure");
  EXPECT_EQ(grown->data["served"]["left_s"], 6);
  EXPECT_THAT(grown->data["time"]["end_s"], SizeIs(4));
  for (const auto& warning : grown->data["summary"]["warnings"])
    EXPECT_NE(warning["kind"], "interrupted");
  EXPECT_EQ(grown->data["summary"]["measure"]["completed"], 4 * 3 * 1'100);
}

TEST_F(LiveRunTest, SendsWhatCameSince) {
  const record::Run run = RunBuilder().measure(10).build();
  live_.began(run.header, file());
  tell(live_, run, 2);
  const NextEvents events = ask(live_, "/events").events;
  ASSERT_THAT(next_event(events)->data["time"]["end_s"], SizeIs(2));
  live_.interval(run.intervals[2]);
  EXPECT_THAT(next_event(events)->data["time"]["end_s"], SizeIs(3));
}

TEST_F(LiveRunTest, EndsWithWhatTheSealedFileSays) {
  const record::Run run = RunBuilder().measure(5).build();
  live_.began(run.header, file());
  tell(live_, run, 3);
  NextEvents events = ask(live_, "/events").events;
  ASSERT_EQ(next_event(events)->name, "grown");
  headroom::testing::write_run_file(file(), run);
  live_.ended(record::RunEnd::kComplete, "");
  std::thread closer([&] { live_.close(kPatience); });
  const auto last = next_event(events);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->name, "last");
  EXPECT_EQ(last->data["summary"]["run"]["seal"], "sealed");
  EXPECT_EQ(last->data["summary"]["run"]["complete"], true);
  EXPECT_THAT(last->data["time"]["end_s"], SizeIs(5));
  EXPECT_EQ(last->data["served"]["events"], nullptr);
  EXPECT_EQ(events(kPatience), std::nullopt);  // the stream ends
  events = nullptr;                            // the viewer leaves: closing waits for no longer
  closer.join();
}

TEST_F(LiveRunTest, SaysOfARunWithoutSealThatItIsIncomplete) {
  const record::Run run = RunBuilder().measure(5).build();
  live_.began(run.header, file());
  tell(live_, run, 3);
  live_.close(kPatience);
  const HttpResponse page = ask(live_, "/");
  EXPECT_NE(page.body.find("INCOMPLETE: never finished"), std::string::npos);
  EXPECT_EQ(page.body.find("connect-src"), std::string::npos);
}

TEST_F(LiveRunTest, OffersMetricsInTheFormatOfPrometheus) {
  const record::Run run = RunBuilder().measure(5).build();
  live_.began(run.header, file());
  tell(live_, run, 2);
  const HttpResponse metrics = ask(live_, "/metrics");
  EXPECT_EQ(metrics.content_type, "application/openmetrics-text; version=1.0.0; charset=utf-8");
  EXPECT_THAT(metrics.body, StartsWith("# TYPE headroom_run info\n"));
  EXPECT_THAT(metrics.body,
              HasSubstr("headroom_requests_total{operation=\"GET\",outcome=\"hit\"} 5400\n"));
}

TEST_F(LiveRunTest, HasNothingElse) {
  for (const char* path : {"/run/a.run", "/runs.json", "/../etc/passwd", "/metrics/"})
    EXPECT_EQ(ask(live_, path).status, 404) << path;
}

}  // namespace
}  // namespace headroom::serve
