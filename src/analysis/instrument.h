// Can what Headroom measures on this machine be trusted? Judges what `headroom check` measured.
//
// Three things are told apart, because they fail apart:
//   exactness  is a latency reported as it was? (measured against true)
//   noise      how much of a latency is this machine's, not the cache's? (measured against what the
//              server added; how late timers and loops are)
//   strength   up to which rate does a worker keep up? (operations per second and CPU of each)
// A verdict rests on effects. Causes (stolen time, a quota, other programs) explain an effect, and
// are no more than a warning where there is none.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace headroom::analysis {

// One quantile of one case, from the same requests. 1 is the maximum.
struct QuantileCheck {
  double q = 0.5;
  // All absent if there were too few requests: 1 / (1 - q) of them.
  std::optional<Nanos> added;     // by the server, on purpose and by being late: the least
  std::optional<Nanos> truth;     // from the request's departure to the reply's having been handled
  std::optional<Nanos> measured;  // what Headroom reports

  // 1 % of the truth or 5 us, whichever is larger.
  [[nodiscard]] Nanos tolerance() const;
  [[nodiscard]] bool known() const { return truth && measured; }
  // True if it is not known: nothing was refuted.
  [[nodiscard]] bool holds() const;
};

inline constexpr std::array kCheckedQuantiles = {0.5, 0.99, 0.999, 1.0};

// One script of the server, and what became of it. Of several attempts, the one that went best:
// what else goes on in a machine spoils one now and then, an instrument that is wrong is wrong each
// time.
struct TruthCheck {
  std::string name;            // "fixed 100us"
  std::uint64_t requests = 0;  // that the server answered
  std::uint64_t reported = 0;  // latencies that Headroom has
  std::uint32_t attempts = 1;
  std::array<QuantileCheck, kCheckedQuantiles.size()> quantiles{};

  [[nodiscard]] bool counts_hold() const { return requests == reported; }
  [[nodiscard]] bool holds() const;          // counts and every quantile
  [[nodiscard]] bool typical_holds() const;  // counts, p50 and p99
  // What the machine added at a quantile; nullopt if not known.
  [[nodiscard]] std::optional<Nanos> own(double q) const;
};

// How late waits ended, and how long the load's loops did not look at their sockets.
struct LatenessCheck {
  std::uint64_t samples = 0;
  std::optional<Nanos> p50;
  std::optional<Nanos> p99;
  std::optional<Nanos> max;
};

struct TimerCheck {
  double rate_per_s = 0;  // of each worker
  LatenessCheck lateness;
  // Share of the time in which a thread was ready to run and had no CPU.
  std::optional<double> kept_waiting_ratio;
};

// What held a ceiling's throughput.
enum class CeilingLimit {
  kGenerator,  // its worker had no CPU left: this is the ceiling
  kResponder,  // the other side had none left: the ceiling is higher
  kMachine,    // neither: they were kept from running
};
[[nodiscard]] std::string_view ceiling_limit_name(CeilingLimit limit);

struct CeilingCheck {
  std::uint32_t pipeline = 1;
  std::uint32_t connections = 0;  // per worker
  std::uint32_t workers = 1;
  std::uint64_t operations = 0;
  Nanos length{0};
  Nanos generator_cpu{0};  // of all workers
  Nanos responder_cpu{0};  // of as many responders

  [[nodiscard]] std::optional<double> throughput_per_s() const;  // of one worker, as it was
  [[nodiscard]] std::optional<double> cpu_ns() const;            // of one operation
  // What a worker with a CPU of its own would reach: one operation per cpu_ns().
  [[nodiscard]] std::optional<double> ceiling_per_s() const;
  [[nodiscard]] double generator_ratio() const;  // of one CPU, a worker
  [[nodiscard]] double responder_ratio() const;
  [[nodiscard]] CeilingLimit limit() const;
};

struct MachineFacts {
  std::string cpu_model;  // empty: not known, as the others
  std::string kernel;
  std::string clocksource;
  std::string governor;
  Nanos clock_reading{0};          // what reading the clock costs
  std::uint32_t cpus_allowed = 0;  // that this process may use
  bool optimized_build = true;
  // Over the time of the check, on the CPUs that this process may use.
  std::optional<double> others_cpus;      // CPU seconds per second that other processes used
  std::optional<double> steal_ratio;      // of the time, given to other machines by the hypervisor
  std::optional<double> quota_cpus;       // absent: no quota
  std::optional<double> throttled_ratio;  // of the time, with the quota exhausted
};

// All that was measured.
struct InstrumentCheck {
  bool quick = false;
  std::uint32_t workers = 1;
  Nanos took{0};
  std::vector<TruthCheck> truths;  // the first is the shortest fixed delay
  TimerCheck timers;
  LatenessCheck loop_lag;
  std::vector<CeilingCheck> ceilings;
  MachineFacts machine;
};

// Thresholds. Those of untrustworthiness lie far beyond what a busy virtual machine shows and far
// below what a starved one does (docs/CHECK.md has the figures).
inline constexpr Nanos kLateTimerMedian = std::chrono::microseconds{200};
inline constexpr Nanos kLateTimerP99 = std::chrono::milliseconds{10};
inline constexpr Nanos kOwnMedian = std::chrono::microseconds{500};
inline constexpr Nanos kOwnP99 = std::chrono::milliseconds{20};
inline constexpr double kKeptWaiting = 0.25;
// Beyond these the result is trusted with a warning.
inline constexpr Nanos kNoisyTimerP99 = std::chrono::milliseconds{1};
inline constexpr Nanos kNoisyP99 = std::chrono::milliseconds{1};
inline constexpr double kStealWorthNaming = 0.01;
inline constexpr double kThrottledWorthNaming = 0.005;
inline constexpr Nanos kSlowClock{200};

enum class Trust { kTrustworthy, kWithCaution, kUntrustworthy };
[[nodiscard]] std::string_view trust_name(Trust trust);

// Something that speaks against the machine, or against a number of it.
struct InstrumentDoubt {
  bool fatal = false;  // the results of this machine are not to be trusted
  std::string what;    // one sentence
  std::string remedy;  // one sentence
};

struct InstrumentVerdict {
  Trust trust = Trust::kTrustworthy;
  std::vector<InstrumentDoubt> doubts;   // fatal ones first
  std::vector<std::string> conclusions;  // what can be measured here, in sentences
  // The smallest differences that are the caches' and not this machine's; absent: not known.
  std::optional<Nanos> own_p50;  // of each latency, the machine's own part at the median
  std::optional<Nanos> own_p99;
};

[[nodiscard]] InstrumentVerdict judge_instrument(const InstrumentCheck& check);

}  // namespace headroom::analysis
