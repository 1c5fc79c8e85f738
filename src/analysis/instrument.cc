#include "analysis/instrument.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/limiter.h"
#include "analysis/prose.h"
#include "base/units.h"

namespace headroom::analysis {
namespace {

using std::chrono::microseconds;

constexpr Nanos kExact = microseconds{5};
constexpr int kExactShare = 100;  // 1 %

double ratio(Nanos part, Nanos whole, std::uint32_t of) {
  if (whole <= Nanos{0} || of == 0) return 0;
  return static_cast<double>(part.count()) / static_cast<double>(whole.count()) / of;
}

std::string quantile_name(double q) { return q < 1 ? fmt::format("p{:g}", 100 * q) : "max"; }

// What kept the machine from doing its work, with what to do about it.
struct Cause {
  std::string what;  // "other programs used 1.9 of the 2 CPUs that Headroom may use"
  std::string remedy;
};

std::vector<Cause> causes_of(const MachineFacts& machine) {
  std::vector<Cause> causes;
  if (machine.throttled_ratio.value_or(0) >= kThrottledWorthNaming) {
    causes.push_back(
        {fmt::format("its CPU quota of {:.3g} CPUs was exhausted for {} of the time",
                     machine.quota_cpus.value_or(0), percent(*machine.throttled_ratio)),
         "Raise the quota of its cgroup or container, or remove it."});
  }
  if (machine.steal_ratio.value_or(0) >= kStealWorthNaming) {
    causes.push_back({fmt::format("the hypervisor gave {} of its CPU time to other machines",
                                  percent(*machine.steal_ratio)),
                      "Use a machine whose CPUs are its own."});
  }
  if (machine.others_cpus.value_or(0) >= kOthersWorthNaming) {
    causes.push_back(
        {fmt::format("other programs used {:.1f} of the {} that Headroom may use",
                     *machine.others_cpus, counted(machine.cpus_allowed, "CPU")),
         "Stop the other programs, or give Headroom CPUs that they may not use (taskset)."});
  }
  return causes;
}

// "A and B"
std::string joined(const std::vector<Cause>& causes, std::string Cause::* member,
                   std::string_view separator) {
  std::string text;
  for (const Cause& cause : causes) {
    if (!text.empty()) text += separator;
    text += cause.*member;
  }
  return text;
}

class Judge {
 public:
  explicit Judge(const InstrumentCheck& check) : check_(check), causes_(causes_of(check.machine)) {}

  InstrumentVerdict verdict() && {
    find_own_part();
    doubt_exactness();
    doubt_timers();
    doubt_own_part();
    doubt_causes();
    doubt_machine();
    std::ranges::stable_partition(verdict_.doubts, &InstrumentDoubt::fatal);
    conclude();
    return std::move(verdict_);
  }

 private:
  // An effect that makes results untrustworthy, with the causes that can be seen.
  void fatal_effect(std::string_view what, std::string_view otherwise) {
    explained_ = true;
    if (causes_.empty()) {
      verdict_.doubts.push_back(
          {true, fmt::format("{}, and nothing tells why.", what), std::string(otherwise)});
      return;
    }
    verdict_.doubts.push_back(
        {true, fmt::format("{}: {}.", what, joined(causes_, &Cause::what, ", and ")),
         joined(causes_, &Cause::remedy, " ")});
  }
  void caution(std::string what, std::string remedy) {
    verdict_.doubts.push_back({false, std::move(what), std::move(remedy)});
  }

  void find_own_part() {
    if (check_.truths.empty()) return;
    verdict_.own_p50 = check_.truths.front().own(0.5);
    verdict_.own_p99 = check_.truths.front().own(0.99);
  }

  void doubt_exactness();
  void doubt_timers();
  void doubt_own_part();
  void doubt_causes();
  void doubt_machine();
  void conclude();
  void conclude_exactness();
  void conclude_rates();

  const InstrumentCheck& check_;
  const std::vector<Cause> causes_;
  bool explained_ = false;  // the causes stand in a doubt already
  bool known_ = false;      // some truth
  InstrumentVerdict verdict_;
};

void Judge::doubt_exactness() {
  for (const TruthCheck& truth : check_.truths) {
    if (!truth.counts_hold()) {
      fatal_effect(fmt::format("{}: the server answered {} requests and Headroom reported {} of "
                               "them",
                               truth.name, grouped(truth.requests), grouped(truth.reported)),
                   "Run the check again; if it persists, please report it.");
    }
    for (const QuantileCheck& quantile : truth.quantiles) {
      known_ = known_ || quantile.known();
      if (quantile.holds()) continue;
      const std::string what =
          fmt::format("{}: {} was reported as {} and was {}", truth.name, quantile_name(quantile.q),
                      human_duration(*quantile.measured), human_duration(*quantile.truth));
      if (quantile.q <= 0.99) {
        fatal_effect(what, "Run the check again; if it persists, please report it.");
      } else {
        caution(what + ".", fmt::format("Take {} of single runs with care; repeat runs.",
                                        quantile.q < 1 ? "the far tail" : "the maximum"));
      }
      break;  // one is enough to doubt the case
    }
  }
  if (!known_) {
    caution(
        "The kernel does not stamp packets, so that what is measured had nothing to be held "
        "against.",
        "Run the check on a Linux kernel with SO_TIMESTAMPNS, outside of a sandbox.");
  }
}

void Judge::doubt_timers() {
  const LatenessCheck& lateness = check_.timers.lateness;
  const bool late = lateness.p50.value_or(Nanos{0}) > kLateTimerMedian ||
                    lateness.p99.value_or(Nanos{0}) > kLateTimerP99;
  const double waiting = check_.timers.kept_waiting_ratio.value_or(0);
  if (late) {
    fatal_effect(fmt::format("A worker's timed waits ended {} late at the median, {} at p99",
                             human_duration(*lateness.p50), human_duration(*lateness.p99)),
                 "Look for a busy or suspended hypervisor, and measure on another machine.");
  } else if (waiting > kKeptWaiting) {
    fatal_effect(fmt::format("A worker that was ready to run had no CPU for {} of the time",
                             percent(waiting)),
                 "Look for what else runs on this machine.");
  } else if (lateness.p99.value_or(Nanos{0}) > kNoisyTimerP99) {
    caution(
        fmt::format("A worker's timed waits ended {} late at p99.", human_duration(*lateness.p99)),
        "Take p99 and beyond with care; repeat runs.");
  }
}

void Judge::doubt_own_part() {
  const Nanos p50 = verdict_.own_p50.value_or(Nanos{0});
  const Nanos p99 = verdict_.own_p99.value_or(Nanos{0});
  if (p50 > kOwnMedian || p99 > kOwnP99) {
    fatal_effect(fmt::format("This machine itself adds {} to a latency at the median, {} at p99",
                             human_duration(p50), human_duration(p99)),
                 "Look for a busy or suspended hypervisor, and measure on another machine.");
  } else if (p99 > kNoisyP99) {
    caution(fmt::format("This machine itself adds {} to a latency at p99.", human_duration(p99)),
            "Take p99 and beyond with care; repeat runs.");
  }
}

void Judge::doubt_causes() {
  if (explained_) return;
  for (const Cause& cause : causes_)
    caution(fmt::format("While this was measured, {}.", cause.what), cause.remedy);
}

void Judge::doubt_machine() {
  const MachineFacts& machine = check_.machine;
  if (machine.cpus_allowed == 1) {
    caution(
        "Headroom may use a single CPU: whatever else runs there, an engine too, takes turns "
        "with it.",
        "Allow it two CPUs at least, or measure a cache on another machine.");
  } else if (check_.workers >= machine.cpus_allowed) {
    caution(fmt::format("{} on {} leave no CPU for anything else.",
                        counted(check_.workers, "worker"), counted(machine.cpus_allowed, "CPU")),
            "Use fewer workers than CPUs, or a larger machine.");
  }
  if (machine.clock_reading > kSlowClock) {
    caution(fmt::format("Reading the clock ({}) takes {}.",
                        machine.clocksource.empty() ? "source unknown" : machine.clocksource,
                        human_duration(machine.clock_reading)),
            "Let the machine use a clock that needs no system call (tsc, kvm-clock).");
  }
  if (!machine.governor.empty() && machine.governor != "performance") {
    caution(
        fmt::format("The CPU governor is {}: the clock rate follows the load.", machine.governor),
        "Set it to performance while measuring (cpupower frequency-set -g performance).");
  }
  if (!machine.optimized_build) {
    caution("This is a debug build: its ceilings are not those of a release.",
            "Build the release preset (cmake --preset release).");
  }
}

void Judge::conclude() {
  const bool fatal = !verdict_.doubts.empty() && verdict_.doubts.front().fatal;
  if (fatal) {
    verdict_.trust = Trust::kUntrustworthy;
    verdict_.conclusions.emplace_back(
        "Results from this machine, as it is now, are not to be trusted.");
    return;
  }
  verdict_.trust = verdict_.doubts.empty() ? Trust::kTrustworthy : Trust::kWithCaution;
  conclude_exactness();
  conclude_rates();
}

void Judge::conclude_exactness() {
  if (!known_) return;
  const bool all = std::ranges::all_of(check_.truths, &TruthCheck::holds);
  verdict_.conclusions.emplace_back(
      all ? "Latencies are reported as they are: every quantile within 1 % or 5 us of the truth."
          : "Latencies up to p99 are reported as they are, within 1 % or 5 us of the truth.");
  if (verdict_.own_p50 && verdict_.own_p99) {
    verdict_.conclusions.push_back(fmt::format(
        "Of each latency over loopback, {} at the median and {} at p99 are this machine's own, not "
        "the cache's. A p50 tells caches apart that differ by 1 % or 5 us, a p99 if they differ by "
        "more than {}.",
        human_duration(*verdict_.own_p50), human_duration(*verdict_.own_p99),
        human_duration(std::max(*verdict_.own_p99 - *verdict_.own_p50, kExact))));
  }
}

void Judge::conclude_rates() {
  std::string rates;
  for (const CeilingCheck& ceiling : check_.ceilings) {
    const auto most = ceiling.ceiling_per_s();
    if (!most) continue;
    rates += fmt::format("{}{}/s at pipeline {}", rates.empty() ? "" : ", ",
                         human_count(kBusyWorker * *most), ceiling.pipeline);
  }
  if (rates.empty()) return;
  verdict_.conclusions.push_back(
      fmt::format("A worker with a CPU of its own keeps up with {} ({} of its ceiling); use more "
                  "workers beyond that.",
                  rates, percent(kBusyWorker)));
}

}  // namespace

Nanos QuantileCheck::tolerance() const {
  return std::max(truth.value_or(Nanos{0}) / kExactShare, kExact);
}

bool QuantileCheck::holds() const {
  return !known() || std::chrono::abs(*measured - *truth) <= tolerance();
}

bool TruthCheck::holds() const {
  return counts_hold() && std::ranges::all_of(quantiles, &QuantileCheck::holds);
}

bool TruthCheck::typical_holds() const {
  return counts_hold() && std::ranges::all_of(quantiles, [](const QuantileCheck& quantile) {
           return quantile.q > 0.99 || quantile.holds();
         });
}

std::optional<Nanos> TruthCheck::own(double q) const {
  const auto found = std::ranges::find(quantiles, q, &QuantileCheck::q);
  if (found == quantiles.end() || !found->measured || !found->added) return std::nullopt;
  return std::max(*found->measured - *found->added, Nanos{0});
}

std::optional<double> CeilingCheck::throughput_per_s() const {
  if (length <= Nanos{0} || workers == 0) return std::nullopt;
  return static_cast<double>(operations) / std::chrono::duration<double>(length).count() / workers;
}

std::optional<double> CeilingCheck::cpu_ns() const {
  if (operations == 0) return std::nullopt;
  return static_cast<double>(generator_cpu.count()) / static_cast<double>(operations);
}

std::optional<double> CeilingCheck::ceiling_per_s() const {
  const auto each = cpu_ns();
  if (!each || *each <= 0) return std::nullopt;
  return 1e9 / *each;
}

double CeilingCheck::generator_ratio() const { return ratio(generator_cpu, length, workers); }
double CeilingCheck::responder_ratio() const { return ratio(responder_cpu, length, workers); }

CeilingLimit CeilingCheck::limit() const {
  const double generator = generator_ratio();
  const double responder = responder_ratio();
  if (std::max(generator, responder) < kBusyWorker) return CeilingLimit::kMachine;
  return generator >= responder ? CeilingLimit::kGenerator : CeilingLimit::kResponder;
}

std::string_view trust_name(Trust trust) {
  switch (trust) {
    case Trust::kTrustworthy:
      return "trustworthy";
    case Trust::kWithCaution:
      return "with-caution";
    case Trust::kUntrustworthy:
      return "untrustworthy";
  }
  return "unknown";
}

std::string_view ceiling_limit_name(CeilingLimit limit) {
  switch (limit) {
    case CeilingLimit::kGenerator:
      return "generator";
    case CeilingLimit::kResponder:
      return "responder";
    case CeilingLimit::kMachine:
      return "machine";
  }
  return "unknown";
}

InstrumentVerdict judge_instrument(const InstrumentCheck& check) { return Judge(check).verdict(); }

}  // namespace headroom::analysis
