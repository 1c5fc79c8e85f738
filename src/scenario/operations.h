// The operations that a workload makes: what is drawn, counted and measured under a name. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "scenario/command_line.h"
#include "scenario/workload.h"

namespace headroom::scenario {

struct Operation {
  std::string name;          // "SET"; unique
  std::uint32_t weight = 0;  // 0: never drawn, only used for the prefill
  CommandLine line;
  KeyDistribution keys;
  ValueSize value_size;
  bool reads_through = false;  // a GET of one key whose misses are filled (cache-aside)
  bool fills = false;          // the SET that fills them; never drawn
};

// In the order of a run's operations: as "ratio" or [[workload.command]] say. If the workload is
// prefilled, the first one writes the keys; with cache-aside, the last one fills. None for a trace,
// whose operations only its file knows. The workload is one that was parsed.
[[nodiscard]] std::vector<Operation> operations_of(const Workload& workload);

// What a command without a name of its own is called: its verb, or "command-N" if that is no name.
[[nodiscard]] std::string default_name(const CommandLine& line, std::size_t row);

// Words about a workload, for people.
[[nodiscard]] std::string describe_mix(const Workload& workload);   // "SET:GET 1:10"
[[nodiscard]] std::string describe_keys(const Workload& workload);  // "zipf(0.99)"
// "1KiB"; "range(100B, 1KiB)"
[[nodiscard]] std::string describe_size(const ValueSize& size);

}  // namespace headroom::scenario
