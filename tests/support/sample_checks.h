// Checks of the instrument as they come out of two machines, for the tests of what is made of them.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "analysis/instrument.h"

namespace headroom::testing {

// The truth is 15 us above what the server added at the median, `tail` more at p99 and beyond;
// measured is 1 us below the truth. p99.9 is not known from fewer than 1,000 requests.
inline analysis::TruthCheck truth_check(std::string name, Nanos delay, std::uint64_t requests,
                                        Nanos tail) {
  using std::chrono::microseconds;
  analysis::TruthCheck check;
  check.name = std::move(name);
  check.requests = requests;
  check.reported = requests;
  for (std::size_t i = 0; i < check.quantiles.size(); ++i) {
    analysis::QuantileCheck& quantile = check.quantiles[i];
    quantile.q = analysis::kCheckedQuantiles[i];
    if (quantile.q == 0.999 && requests < 1000) continue;
    quantile.added = delay + microseconds{1};
    quantile.truth = delay + microseconds{16} + (quantile.q > 0.5 ? tail : Nanos{0});
    quantile.measured = *quantile.truth - microseconds{1};
  }
  return check;
}

inline analysis::InstrumentCheck quiet_machine() {
  using namespace std::chrono_literals;
  analysis::InstrumentCheck check;
  check.took = 12'300ms;
  check.truths = {truth_check("fixed 100 us", 100us, 8'123, 20us),
                  truth_check("fixed 20 ms", 20ms, 500, 100us)};
  check.timers = {10'000, {5'000, 6us, 40us, 300us}, 0.002};
  check.loop_lag = {123'456, 3us, 12us, 250us};
  check.ceilings = {{1, 50, 1, 237'500, 1s, 950ms, 900ms},
                    {16, 50, 1, 2'000'000, 1s, 700ms, 990ms}};
  check.machine.cpu_model = "Some CPU at 3 GHz";
  check.machine.kernel = "Linux 6.12.1";
  check.machine.clocksource = "tsc";
  check.machine.governor = "performance";
  check.machine.clock_reading = 25ns;
  check.machine.cpus_allowed = 4;
  check.machine.others_cpus = 0.04;
  check.machine.steal_ratio = 0.0;
  return check;
}

inline analysis::InstrumentCheck starved_machine() {
  using namespace std::chrono_literals;
  analysis::InstrumentCheck check = quiet_machine();
  check.quick = true;
  check.truths[0] = truth_check("fixed 100 us", 100us, 812, 6ms);
  check.truths[0].attempts = 3;
  check.truths[0].quantiles[3].measured = *check.truths[0].quantiles[3].truth + 100us;
  check.timers = {10'000, {5'000, 1'200us, 13ms, 40ms}, 0.7};
  check.ceilings = {{1, 50, 1, 60'000, 1s, 300ms, 250ms}};
  check.machine.cpus_allowed = 1;
  check.machine.governor.clear();
  check.machine.others_cpus = 0.93;
  check.machine.quota_cpus = 0.5;
  check.machine.throttled_ratio = 0.4;
  return check;
}

}  // namespace headroom::testing
