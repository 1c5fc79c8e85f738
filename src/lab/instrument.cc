#include "lab/instrument.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <tuple>
#include <utility>
#include <vector>

#include "lab/drive.h"
#include "lab/machine.h"
#include "lab/timer_error.h"
#include "lab/truth.h"
#include "scripted/counting_responder.h"
#include "scripted/listener.h"
#include "scripted/scripted_server.h"

namespace headroom::lab {
namespace {

using namespace std::chrono_literals;
using analysis::CeilingCheck;
using analysis::InstrumentCheck;
using analysis::LatenessCheck;
using analysis::QuantileCheck;
using analysis::TimerCheck;
using analysis::TruthCheck;
using scripted::CountingResponder;
using scripted::Script;
using scripted::ScriptedServer;

constexpr double kTimerRate = 10'000;
constexpr std::uint32_t kCeilingConnections = 50;
constexpr std::size_t kCeilingValueBytes = 100;
constexpr std::array<std::uint32_t, 3> kCeilingPipelines = {1, 16, 64};
constexpr std::size_t kTimerTurns = 3;  // spread over the check; the median one counts

// How long each part takes.
struct Lengths {
  Nanos truth;
  Nanos timers;
  Nanos ceiling;
  Nanos again_until;       // since the begin; after that no case is tried once more
  std::uint32_t attempts;  // of a case, at most
};
constexpr Lengths kFull = {1200ms, 500ms, 1200ms, 18s, 5};
constexpr Lengths kQuick = {400ms, 200ms, 350ms, 4500ms, 3};

// A script of the server under a load. Cases whose requests take long have more connections, so
// that there are enough of them.
struct Case {
  std::string name;
  std::uint32_t connections;
  std::uint32_t pipeline;
  std::function<Script()> script;
};

Script fixed(Nanos delay) {
  Script script;
  script.on({"GET", "SET"}).delay(delay);
  return script;
}

// Most replies are fast, a few are slow: the tail must be seen.
Script mixed() {
  constexpr std::uint64_t kSlowOneIn = 50;
  Script script;
  script.on({"GET", "SET"}).delay_by([](std::uint64_t index) {
    return index % kSlowOneIn == kSlowOneIn - 1 ? Nanos(5ms) : Nanos(200us);
  });
  return script;
}

// Replies keep their order, so delays of any other shape soon make all alike. A pipeline's requests
// come together and are answered a millisecond apart; those that these make room for come a
// millisecond apart and are answered together. So latencies are spread evenly.
Script pipelined(std::uint32_t connections, std::uint32_t depth) {
  Script script;
  for (std::uint32_t connection = 0; connection < connections; ++connection) {
    script.on({"GET", "SET"}).on_connection(connection).delay_by([depth](std::uint64_t index) {
      const bool together = index / depth % 2 == 0;
      return together ? Nanos(1ms) * static_cast<std::int64_t>(index % depth + 1) : Nanos{0};
    });
  }
  return script;
}

Script stalling() {
  Script script = fixed(1ms);
  script.stall(250ms, 50ms);
  return script;
}

std::vector<Case> cases() {
  constexpr std::uint32_t kDepth = 16;
  constexpr std::uint32_t kPipelined = 4;
  return {
      {"fixed 100 us", 1, 1, [] { return fixed(100us); }},
      {"fixed 1 ms", 4, 1, [] { return fixed(1ms); }},
      {"fixed 20 ms", 64, 1, [] { return fixed(20ms); }},
      {"98 % 200 us, 2 % 5 ms", 2, 1, mixed},
      {"pipeline of 16, spread", kPipelined, kDepth, [] { return pipelined(kPipelined, kDepth); }},
      {"1 ms, stalls of 50 ms", 8, 1, stalling},
  };
}

LatenessCheck lateness_of(const stats::Histogram& histogram) {
  return {histogram.count(), histogram.quantile(0.5), histogram.quantile(0.99), histogram.max()};
}

class Check {
 public:
  Check(const CheckRequest& request, CheckObserver& observer, StopSwitch& stop)
      : request_(request),
        lengths_(request.quick ? kQuick : kFull),
        observer_(observer),
        stop_(stop),
        cases_(cases()) {}

  [[nodiscard]] Result<InstrumentCheck> conduct();

 private:
  [[nodiscard]] Status hold_against_truth(const Case& each);
  [[nodiscard]] Result<TruthCheck> attempt(const Case& each);
  [[nodiscard]] Status time_waits();
  [[nodiscard]] Status find_ceiling(std::uint32_t pipeline);
  void begin(const std::string& name) { observer_.step_began(++step_, steps(), name); }
  [[nodiscard]] std::size_t steps() const {
    return cases_.size() + kTimerTurns + kCeilingPipelines.size();
  }

  const CheckRequest& request_;
  const Lengths lengths_;
  CheckObserver& observer_;
  StopSwitch& stop_;
  const std::vector<Case> cases_;
  const MachineWatch machine_;
  const UniqueFd stamping_ = scripted::keep_stamping();
  const Nanos begin_ = real_clock().now();
  std::size_t step_ = 0;
  std::vector<TimerCheck> timers_;
  stats::Histogram loop_lag_;
  InstrumentCheck check_;
};

Result<InstrumentCheck> Check::conduct() {
  check_.quick = request_.quick;
  check_.workers = request_.workers;
  if (Status timed = time_waits(); !timed) return fail(std::move(timed.error()));
  for (const Case& each : cases_) {
    if (Status held = hold_against_truth(each); !held) return fail(std::move(held.error()));
  }
  if (Status timed = time_waits(); !timed) return fail(std::move(timed.error()));
  for (const std::uint32_t pipeline : kCeilingPipelines) {
    if (Status found = find_ceiling(pipeline); !found) return fail(std::move(found.error()));
  }
  if (Status timed = time_waits(); !timed) return fail(std::move(timed.error()));
  std::ranges::sort(timers_, {}, [](const TimerCheck& each) { return each.lateness.p99; });
  check_.timers = timers_.at(timers_.size() / 2);
  check_.loop_lag = lateness_of(loop_lag_);
  check_.machine = machine_.facts();
  check_.took = real_clock().now() - begin_;
  return std::move(check_);
}

Status Check::hold_against_truth(const Case& each) {
  begin(each.name);
  // Prefers what holds where it matters most.
  const auto merit = [](const TruthCheck& truth) {
    return std::tuple(truth.typical_holds(),
                      std::ranges::count_if(truth.quantiles, &QuantileCheck::holds));
  };
  TruthCheck best;
  for (std::uint32_t number = 1; number <= lengths_.attempts; ++number) {
    Result<TruthCheck> made = attempt(each);
    if (!made) return fail(std::move(made.error()));
    if (number == 1 || merit(*made) > merit(best)) best = *std::move(made);
    best.attempts = number;
    if (best.holds() || real_clock().now() - begin_ > lengths_.again_until) break;
  }
  check_.truths.push_back(std::move(best));
  return {};
}

Result<TruthCheck> Check::attempt(const Case& each) {
  Script script = each.script();
  auto server = ScriptedServer::start(std::move(script.stamp_requests()));
  if (!server) return fail(std::move(server.error()));
  const DriveLoad load{1, each.connections, each.pipeline, lengths_.truth};
  const Result<Driven> driven = drive((*server)->address(), load, stop_);
  if (!driven) return fail(driven.error());
  (*server)->stop();
  const Truth truth = truth_of((*server)->observed(), each.pipeline);
  loop_lag_.merge(driven->loop_lag);

  TruthCheck check;
  check.name = each.name;
  check.requests = truth.added.size();
  check.reported = driven->latency.count();
  for (std::size_t i = 0; i < check.quantiles.size(); ++i) {
    QuantileCheck& quantile = check.quantiles[i];
    quantile.q = analysis::kCheckedQuantiles[i];
    const double enough = quantile.q < 1 ? 1 / (1 - quantile.q) : 1;
    if (static_cast<double>(truth.whole.size()) < enough) continue;
    quantile.added = quantile_of(truth.added, quantile.q);
    quantile.truth = quantile_of(truth.whole, quantile.q);
    quantile.measured = driven->latency.quantile(quantile.q);
  }
  return check;
}

Status Check::time_waits() {
  begin("timed waits");
  const Result<TimerError> error =
      measure_timer_error(request_.workers, kTimerRate, lengths_.timers, stop_);
  if (!error) return fail(error.error());
  timers_.push_back({kTimerRate, lateness_of(error->lateness), error->kept_waiting_ratio});
  return {};
}

Status Check::find_ceiling(std::uint32_t pipeline) {
  begin(fmt::format("ceiling at pipeline {}", pipeline));
  auto server = CountingResponder::start(kCeilingValueBytes, request_.workers);
  if (!server) return fail(std::move(server.error()));
  const DriveLoad load{request_.workers, kCeilingConnections, pipeline, lengths_.ceiling};
  const Result<Driven> driven = drive((*server)->address(), load, stop_);
  if (!driven) return fail(driven.error());
  CeilingCheck check;
  check.pipeline = pipeline;
  check.connections = kCeilingConnections;
  check.workers = request_.workers;
  check.operations = driven->completed;
  check.length = driven->length;
  check.generator_cpu = driven->cpu;
  // Connecting and the drain are in it; they are a few thousandths.
  check.responder_cpu = (*server)->usage().cpu;
  check_.ceilings.push_back(check);
  return {};
}

}  // namespace

Result<InstrumentCheck> conduct_check(const CheckRequest& request, CheckObserver& observer,
                                      StopSwitch& stop) {
  return Check(request, observer, stop).conduct();
}

}  // namespace headroom::lab
