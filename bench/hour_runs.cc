// Makes run files of an hour each, of nine workers at 45,000 requests a second, as a comparison of
// many would read them.
//
//   hour_runs DIRECTORY COUNT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "record/metric.h"
#include "store/run_writer.h"
#include "tests/support/normal.h"
#include "tests/support/run_builder.h"

namespace {

using namespace headroom;  // NOLINT: a program, not a header

constexpr std::int64_t kHour = 3'600;

void must(const Status& status) {
  if (status) return;
  fmt::print(stderr, "hour_runs: {}\n", status.error().message);
  std::exit(1);
}

// Latencies of a second around 100 us with a long tail, a few of them to choose from.
std::vector<stats::Histogram> latencies_of_seconds(std::uint64_t requests, Random& random) {
  constexpr int kKinds = 40;
  std::vector<stats::Histogram> kinds(kKinds);
  for (stats::Histogram& histogram : kinds) {
    for (std::uint64_t i = 0; i < requests; ++i) {
      const double ns = 1e5 * std::exp(0.35 * headroom::testing::normal(random));
      histogram.record(Nanos{static_cast<std::int64_t>(ns)});
    }
    histogram = histogram.drain();
  }
  return kinds;
}

// The same shape for every run but for its level, which differs a little from run to run.
class Hours {
 public:
  void write(const std::filesystem::path& path, int number) {
    Random random(static_cast<std::uint64_t>(number) + 1);
    const double level = 1 + 0.02 * headroom::testing::normal(random);
    record::Run run = make(level, number);
    auto created = store::RunWriter::create(path, run.header);
    if (!created) must(fail(created.error()));
    store::RunWriter writer = std::move(*created);
    for (const auto& [key, value] : run.facts) must(writer.fact(key, value));
    for (const record::PhaseSpan& span : run.phases) {
      must(writer.phase_began(span.phase, span.begin));
      if (span.end) must(writer.phase_ended(span.phase, *span.end));
    }
    for (const record::WorkerCounts& counts : run.workers) must(writer.worker_counts(counts));
    for (const record::MergedInterval& interval : run.intervals) must(writer.interval(interval));
    for (const record::WorkerWindow& window : run.worker_windows)
      must(writer.worker_window(window));
    write_samples(writer, run);
    must(writer.seal(record::RunEnd::kComplete, ""));
  }

 private:
  record::Run make(double level, int number) {
    record::Run run =
        headroom::testing::RunBuilder()
            .workers(9)
            .measure(kHour)
            .load([level](std::int64_t second) {
              headroom::testing::LoadSecond load;
              const auto wobble = static_cast<double>(second * 7'919 % 101);
              load.sets = 500;
              load.hits = static_cast<std::uint64_t>(level * (3'900 + wobble));
              load.misses = 500;
              return load;
            })
            .metric("BytesUsedForCache",
                    [](double t) { return 2e6 + 3e5 * std::clamp(t, 0.0, 120.0); })
            .metric("CurrItems", [](double t) { return 200 * std::clamp(t, 0.0, 120.0); })
            .without("command_calls", "set")
            .without("command_calls", "get")
            .edit([&](record::Run& made) {
              made.header.run_id = fmt::format("{:032x}", number + 1);
              made.header.started = WallTime{std::chrono::hours{490'000 + 2 * number}};
              made.header.scenario_toml =
                  "name = \"hour\"\n[target]\nkind = \"local\"\nmaxmemory = \"64MiB\"\n"
                  "[load]\nworkers = 9\nconnections = 2\n[timing]\nmeasure = \"1h\"\n";
            })
            .build();
    add_latencies(run, static_cast<std::size_t>(number));
    return run;
  }

  void add_latencies(record::Run& run, std::size_t offset) const {
    std::vector<record::LatencySeries> all;
    for (record::MergedInterval& interval : run.intervals) {
      for (record::LatencySeries& series : interval.latencies) {
        const std::uint64_t count = series.histogram.count();
        stats::Histogram drawn = kinds_[offset++ % kinds_.size()];
        // To the very request, as the counts have it: SETs and misses are 4,500 a second.
        if (count > drawn.count()) drawn.record(Nanos{100'000}, count - drawn.count());
        series.histogram = std::move(drawn);
        const auto place = std::ranges::find(all, series.key, &record::LatencySeries::key);
        if (place == all.end())
          all.push_back(series);
        else
          place->histogram.merge(series.histogram);
      }
    }
    // All in the first worker's: who did what does not matter here.
    run.worker_windows.front().latencies = std::move(all);
  }

  // Samples of one time in one batch, as the telemetry writes them.
  static void write_samples(store::RunWriter& writer, const record::Run& run) {
    std::map<Nanos, record::SampleBatch> batches;
    for (const record::MetricSeries& series : run.metrics) {
      for (const record::Point& point : series.points)
        batches[point.time].samples.push_back(
            {record::metric(series.metric), series.label, point.value});
    }
    for (auto& [time, batch] : batches) {
      batch.time = time;
      must(writer.samples(batch));
    }
  }

  Random random_{1};
  std::vector<stats::Histogram> kinds_ = latencies_of_seconds(4'500, random_);
};

}  // namespace

int main(int argc, char** argv) {
  const int count = argc == 3 ? std::atoi(argv[2]) : 0;
  if (count < 1) {
    fmt::print(stderr, "usage: hour_runs DIRECTORY COUNT\n");
    return 2;
  }
  const std::filesystem::path directory = argv[1];
  std::filesystem::create_directories(directory);
  Hours hours;
  for (int number = 0; number < count; ++number)
    hours.write(directory / fmt::format("hour-{:03}.run", number), number);
  fmt::print("{} run files of an hour in {}\n", count, directory.string());
  return 0;
}
