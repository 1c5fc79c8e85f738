// Ten simulated hours through the recorder into a run file, as fast as the machine can: how large
// the file grows by the hour, and whether the memory of the process stays flat.
//
//   recorder_soak FILE [HOURS]
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "base/random.h"
#include "lab/recorder.h"
#include "store/run_writer.h"

namespace {

using namespace headroom;  // NOLINT: a program, not a header
using record::Outcome;

constexpr std::uint32_t kWorkers = 9;
constexpr std::uint64_t kSetsPerSecond = 500;  // of a worker; ten times as many GETs
constexpr int kHourSeconds = 3600;

class Load {
 public:
  // What a worker leaves in a second: SETs, hits and misses with a long-tailed latency.
  record::WorkerInterval second(std::uint32_t worker, std::int64_t index) {
    record::WorkerInterval interval;
    interval.worker = worker;
    interval.interval = {record::Phase::kMeasure, index, std::chrono::seconds{index},
                         std::chrono::seconds{index + 1}};
    interval.counts.resize(2);
    add(interval, 0, Outcome::kOk, kSetsPerSecond);
    add(interval, 1, Outcome::kHit, kSetsPerSecond * 6);
    add(interval, 1, Outcome::kMiss, kSetsPerSecond * 4);
    interval.health.cpu = Nanos{250'000'000 + static_cast<std::int64_t>(random_.below(10'000'000))};
    interval.health.loops = 5000 + random_.below(1000);
    interval.health.bytes_sent = 1'000'000 + random_.below(100'000);
    interval.health.bytes_received = 3'000'000 + random_.below(100'000);
    interval.health.loop_lag_max = Nanos{static_cast<std::int64_t>(random_.below(3'000'000))};
    return interval;
  }

  // What the samplers leave in a second: every metric of the catalogue, half of them moving.
  record::SampleBatch samples(std::int64_t index) {
    record::SampleBatch batch;
    batch.time =
        std::chrono::seconds{index} + Nanos{static_cast<std::int64_t>(random_.below(900'000))};
    const auto count = record::metric_catalogue().size();
    for (std::size_t id = 0; id < count; ++id) {
      const double value =
          id % 2 == 0 ? 1e6 : static_cast<double>(index * 4500) + random_.uniform();
      batch.samples.push_back({static_cast<record::MetricId>(id), "", value});
    }
    return batch;
  }

 private:
  void add(record::WorkerInterval& interval, std::uint16_t operation, Outcome outcome,
           std::uint64_t requests) {
    record::OperationCounts& counts = interval.counts[operation];
    counts.sent += requests;
    counts.outcomes[static_cast<std::size_t>(outcome)] += requests;
    interval.latencies.push_back({{operation, outcome, record::LatencyKind::kService}, {}});
    stats::Histogram& histogram = interval.latencies.back().histogram;
    for (std::uint64_t i = 0; i < requests; ++i) {
      histogram.record(Nanos{static_cast<std::int64_t>(latency_(random_))});
    }
  }

  Random random_{1};
  std::lognormal_distribution<double> latency_{11.5, 0.5};  // median about 100 us
};

double resident_mib() {
  std::ifstream statm("/proc/self/statm");
  double total = 0;
  double resident = 0;
  statm >> total >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 20);
}

int soak(const std::string& path, int hours) {
  record::RunHeader header;
  header.run_id = "soak";
  header.operations = {"SET", "GET"};
  header.scenario_toml = "name = \"soak\"\n";
  auto writer = store::RunWriter::create(path, header);
  if (!writer) {
    fmt::print(stderr, "recorder_soak: {}\n", writer.error().message);
    return 1;
  }
  lab::Recorder recorder(std::move(*writer), kWorkers);
  Load load;
  double bytes_before = 0;
  fmt::print("hour   file MB   grown MB   resident MiB\n");
  for (int hour = 1; hour <= hours; ++hour) {
    for (int second = 0; second < kHourSeconds; ++second) {
      const std::int64_t index = std::int64_t{hour - 1} * kHourSeconds + second;
      for (std::uint32_t worker = 0; worker < kWorkers; ++worker)
        recorder.interval(load.second(worker, index));
      recorder.samples(load.samples(index));
      // A real second lasts long enough for the writer; here it is waited for.
      if (const Status flushed = recorder.flush(); !flushed) {
        fmt::print(stderr, "recorder_soak: {}\n", flushed.error().message);
        return 1;
      }
    }
    const auto bytes = static_cast<double>(std::filesystem::file_size(path));
    fmt::print("{:4}   {:7.2f}   {:8.2f}   {:12.1f}\n", hour, bytes / 1e6,
               (bytes - bytes_before) / 1e6, resident_mib());
    std::fflush(stdout);
    bytes_before = bytes;
  }
  recorder.workers_done();
  if (const Status sealed = recorder.seal(record::RunEnd::kComplete, ""); !sealed) {
    fmt::print(stderr, "recorder_soak: {}\n", sealed.error().message);
    return 1;
  }
  fmt::print("sealed {:7.2f} MB\n", static_cast<double>(std::filesystem::file_size(path)) / 1e6);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    fmt::print(stderr, "usage: recorder_soak FILE [HOURS]\n");
    return 2;
  }
  return soak(argv[1], argc == 3 ? std::atoi(argv[2]) : 10);
}
