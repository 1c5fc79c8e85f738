// Runs Headroom's load fleet and nothing else, with full accounting, and prints one line:
//   operations, seconds, CPU seconds (user + system of this process), CPU ns per operation
// The sink merges nothing: it counts and drops, as the owner of a run would do on another thread.
#include <fmt/format.h>
#include <sys/resource.h>

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <string_view>

#include "load/fleet.h"

namespace {

using headroom::Nanos;

class CountingSink final : public headroom::record::Sink {
 public:
  void interval(headroom::record::WorkerInterval interval) override {
    if (interval.interval.phase != headroom::record::Phase::kMeasure) return;
    for (const auto& counts : interval.counts) completed_ += counts.completed();
    bad_ += interval.health.connections_lost;
  }
  void samples(headroom::record::SampleBatch) override {}
  void member(headroom::record::Member) override {}
  void event(headroom::record::Event event) override {
    fmt::print(stderr, "event: {}\n", event.text);
  }
  void warning(headroom::record::Warning warning) override {
    fmt::print(stderr, "warning: {}\n", warning.text);
  }
  void fact(std::string, std::string) override {}
  void receipt(headroom::record::Receipt) override {}

  [[nodiscard]] std::uint64_t completed() const { return completed_; }

 private:
  std::atomic<std::uint64_t> completed_{0};
  std::atomic<std::uint64_t> bad_{0};
};

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

template <class Number>
Number number(const char* text) {
  const std::string_view view(text);
  Number value{};
  const auto [end, error] = std::from_chars(view.data(), view.data() + view.size(), value);
  if (error != std::errc{} || end != view.data() + view.size()) {
    fmt::print(stderr, "fleet_driver: \"{}\" is not a number\n", view);
    std::exit(2);
  }
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 9) {
    fmt::print(stderr,
               "usage: fleet_driver HOST PORT WORKERS CONNECTIONS PIPELINE VALUE_BYTES KEYS "
               "SECONDS\n  KEYS with a leading + are written first\n");
    return 2;
  }
  CountingSink sink;
  headroom::load::FleetConfig config;
  config.server.address.host = argv[1];
  config.server.address.port = number<std::uint16_t>(argv[2]);
  config.load.workers = number<std::uint32_t>(argv[3]);
  config.load.connections = number<std::uint32_t>(argv[4]);
  config.load.pipeline = number<std::uint32_t>(argv[5]);
  config.load.connect_timeout = std::chrono::seconds{5};
  config.load.request_timeout = std::chrono::seconds{5};
  config.workload.value_size = number<std::uint64_t>(argv[6]);
  config.workload.set_weight = 1;
  config.workload.get_weight = 10;
  config.workload.prefill = argv[7][0] == '+';
  config.keys = number<std::uint64_t>(argv[7] + (config.workload.prefill ? 1 : 0));
  config.seed = 1;
  config.clock = &headroom::real_clock();
  config.origin = config.clock->now();
  config.sink = &sink;
  const std::chrono::seconds seconds{number<int>(argv[8])};

  headroom::load::Fleet fleet(config);
  if (auto status = fleet.connect(); !status) {
    fmt::print(stderr, "{}\n", status.error().message);
    return 3;
  }
  if (config.workload.prefill) {
    if (auto status = fleet.prefill({}); !status) {
      fmt::print(stderr, "{}\n", status.error().message);
      return 3;
    }
  }
  const double cpu_before = cpu_seconds();
  const Nanos begin = config.clock->now() - config.origin;
  (void)fleet.run({begin, begin, begin + seconds, begin + seconds + std::chrono::seconds{2}});
  const double cpu = cpu_seconds() - cpu_before;
  const auto operations = static_cast<double>(sink.completed());
  fmt::print("{} ops  {} s  {:.3f} cpu-s  {:.1f} ns/op\n", sink.completed(), seconds.count(), cpu,
             cpu * 1e9 / operations);
  return 0;
}
