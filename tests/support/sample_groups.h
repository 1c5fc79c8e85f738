// Groups of runs that the golden files and the pages of groups show.
#pragma once

#include <vector>

#include "tests/support/sample_runs.h"

namespace headroom::testing {

// Five runs that fill up and evict, each a little faster or slower than the others.
[[nodiscard]] inline std::vector<record::Run> boundary_group() {
  std::vector<record::Run> runs;
  // Even, so that every count of the builder's stays whole.
  for (const int percent : {100, 96, 102, 98, 108}) {
    const auto calls = [percent](double before, double after) {
      return [percent, before, after](double t) {
        return percent / 100.0 *
               (before * std::clamp(t, 0.0, 20.0) + after * std::clamp(t - 20, 0.0, 20.0));
      };
    };
    record::Run run =
        boundary_run()
            .metric("command_calls", calls(6'000, 4'200), "set")
            .metric("command_calls", calls(60'000, 42'000), "get")
            .metric("Evictions",
                    [percent](double t) { return t < 20 ? 0.0 : 40.0 * percent * (t - 20); })
            .load([percent](std::int64_t second) {
              const auto scaled = [percent](std::uint64_t count) {
                return count * static_cast<std::uint64_t>(percent) / 100;
              };
              LoadSecond load;
              load.sets = scaled(second < 20 ? 2'000 : 1'400);
              load.hits =
                  scaled(second < 20 ? 12'000 + 150 * static_cast<std::uint64_t>(second) : 12'600);
              load.misses =
                  scaled(second < 20 ? 8'000 - 150 * static_cast<std::uint64_t>(second) : 1'400);
              load.set_latency = std::chrono::microseconds{9'200 / percent + second % 3};
              load.get_latency =
                  std::chrono::microseconds{(second < 20 ? 8'500 : 13'000) / percent + second % 3};
              load.worker_cpu_ratio = 0.40;
              return load;
            })
            .build();
    const auto number = static_cast<int>(runs.size()) + 1;
    run.header.run_id = "0011223344556677889900aabbccdd0" + std::to_string(number);
    run.header.started.since_epoch += std::chrono::minutes{2 * number};
    runs.push_back(std::move(run));
  }
  return runs;
}

}  // namespace headroom::testing
