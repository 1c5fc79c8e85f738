#include "lab/drive.h"

#include <mutex>

#include "load/fleet.h"
#include "record/sink.h"

namespace headroom::lab {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint64_t kKeysPerWorker = 1000;
constexpr std::uint64_t kValueBytes = 100;
// Between the decision to start the load and its first moment, so that every worker is there.
constexpr Nanos kDriveRunUp = milliseconds{5};
constexpr Nanos kDrain = seconds{2};

// Adds up what the workers hand over and keeps nothing else.
class AddingSink final : public record::Sink {
 public:
  void interval(record::WorkerInterval interval) override {
    const std::lock_guard lock(mutex_);
    const bool measured = interval.interval.phase == record::Phase::kMeasure;
    for (const record::LatencySeries& series : interval.latencies)
      driven_.latency.merge(series.histogram);
    for (const record::OperationCounts& counts : interval.counts) {
      if (measured) driven_.completed += counts.completed();
      driven_.failed += counts.total() - counts.completed();
    }
    if (!measured) return;
    driven_.loop_lag.merge(interval.loop_lag);
    driven_.cpu += interval.health.cpu;
  }
  void samples(record::SampleBatch) override {}
  void member(record::Member) override {}
  void event(record::Event) override {}
  void warning(record::Warning) override {}
  void fact(std::string, std::string) override {}
  void receipt(record::Receipt) override {}

  // Once all workers are done.
  [[nodiscard]] Driven driven() const {
    const std::lock_guard lock(mutex_);
    return driven_;
  }

 private:
  mutable std::mutex mutex_;
  Driven driven_;
};

load::FleetConfig config_for(const net::Address& address, const DriveLoad& load,
                             record::Sink& sink) {
  load::FleetConfig config;
  config.server.address = address;
  config.workload.value_size = kValueBytes;
  config.workload.set_weight = 1;
  config.workload.get_weight = 10;
  config.keys = kKeysPerWorker * load.workers;
  config.load.workers = load.workers;
  config.load.connections = load.connections;
  config.load.pipeline = load.pipeline;
  config.load.connect_timeout = seconds{5};
  config.load.request_timeout = seconds{10};
  config.seed = 1;
  config.clock = &real_clock();
  config.origin = real_clock().now();
  config.sink = &sink;
  return config;
}

}  // namespace

Result<Driven> drive(const net::Address& address, const DriveLoad& load, StopSwitch& stop) {
  AddingSink sink;
  const load::FleetConfig config = config_for(address, load, sink);
  load::Fleet fleet(config);
  load::LoadSpans spans;
  load::LoadWindows windows;
  {
    const StopSwitch::Scope scope(stop, [&fleet] { fleet.stop(); });
    const Status connected = fleet.connect();
    if (stop.stopped()) return fail(ErrorKind::kIncomplete, "stopped by the user");
    if (!connected) return fail(connected.error());
    windows.warmup_begin = real_clock().now() - config.origin + kDriveRunUp;
    windows.measure_begin = windows.warmup_begin;
    windows.measure_end = windows.measure_begin + load.length;
    windows.drain_deadline = windows.measure_end + kDrain;
    spans = fleet.run(windows);
  }
  if (stop.stopped()) return fail(ErrorKind::kIncomplete, "stopped by the user");
  Driven driven = sink.driven();
  driven.length = spans.measure_end - windows.measure_begin;
  return driven;
}

}  // namespace headroom::lab
