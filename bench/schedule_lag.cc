// How punctual open loop is on this machine: for each rate, the fleet runs against a server and
// prints, in microseconds, by how much sends left after their intended times.
#include <fmt/format.h>

#include <cstdlib>
#include <mutex>

#include "base/units.h"
#include "load/fleet.h"

namespace {

using headroom::Nanos;

class LagSink final : public headroom::record::Sink {
 public:
  void interval(headroom::record::WorkerInterval interval) override {
    if (interval.interval.phase != headroom::record::Phase::kMeasure) return;
    const std::lock_guard lock(mutex_);
    lag.merge(interval.schedule_lag);
    cpu += interval.health.cpu;
    loops += interval.health.loops;
    for (const auto& counts : interval.counts) sent += counts.sent;
    if (interval.health.schedule) due += interval.health.schedule->due;
  }
  void samples(headroom::record::SampleBatch) override {}
  void member(headroom::record::Member) override {}
  void event(headroom::record::Event) override {}
  void warning(headroom::record::Warning) override {}
  void fact(std::string, std::string) override {}
  void receipt(headroom::record::Receipt) override {}

  headroom::stats::Histogram lag;
  Nanos cpu{0};
  std::uint64_t due = 0;
  std::uint64_t sent = 0;
  std::uint64_t loops = 0;

 private:
  std::mutex mutex_;
};

double micros(const headroom::stats::Histogram& lag, double quantile) {
  return static_cast<double>(lag.quantile(quantile).value_or(Nanos{0}).count()) / 1e3;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) {
    fmt::print(stderr, "usage: schedule_lag HOST PORT CONNECTIONS SECONDS RATE...\n");
    return 2;
  }
  const auto number = [](const char* text) {
    const auto value = headroom::parse_count(text);
    if (!value) {
      fmt::print(stderr, "schedule_lag: {}\n", value.error().message);
      std::exit(2);
    }
    return *value;
  };
  fmt::print(
      "    rate/s     due    sent   p10 us   p50 us   p90 us   p99 us   max us  CPU  turns/s\n");
  for (int i = 5; i < argc; ++i) {
    LagSink sink;
    headroom::load::FleetConfig config;
    config.server.address.host = argv[1];
    config.server.address.port = static_cast<std::uint16_t>(number(argv[2]));
    config.load.workers = 1;
    config.load.connections = static_cast<std::uint32_t>(number(argv[3]));
    config.load.pipeline = 16;
    config.load.connect_timeout = config.load.request_timeout = std::chrono::seconds{5};
    config.load.rate = headroom::scenario::ConstantRate{number(argv[i])};
    config.workload.value_size = 100U;
    config.workload.set_weight = 1;
    config.workload.get_weight = 10;
    config.keys = 10'000;
    config.seed = 1;
    config.clock = &headroom::real_clock();
    config.origin = config.clock->now();
    config.sink = &sink;
    headroom::load::Fleet fleet(config);
    if (auto status = fleet.connect(); !status) {
      fmt::print(stderr, "{}\n", status.error().message);
      return 3;
    }
    const std::chrono::seconds seconds{static_cast<std::int64_t>(number(argv[4]))};
    const Nanos begin = config.clock->now() - config.origin;
    (void)fleet.run({begin, begin, begin + seconds, begin + seconds + std::chrono::seconds{2}});
    fmt::print("{:10} {:7} {:7} {:8.1f} {:8.1f} {:8.1f} {:8.1f} {:8.1f} {:4.0f} {:8.0f}\n",
               number(argv[i]), sink.due, sink.sent, micros(sink.lag, 0.1), micros(sink.lag, 0.5),
               micros(sink.lag, 0.9), micros(sink.lag, 0.99), micros(sink.lag, 1.0),
               100.0 * std::chrono::duration<double>(sink.cpu).count() /
                   static_cast<double>(seconds.count()),
               static_cast<double>(sink.loops) / static_cast<double>(seconds.count()));
  }
  return 0;
}
