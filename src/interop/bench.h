// The command lines of memtier_benchmark and valkey-benchmark (also redis-benchmark) as scenarios:
// what `headroom bench` runs. Pure.
//
// What a flag asks for is honoured, or refused with the reason; nothing is read and ignored. Where
// the programs' defaults mean the same thing here, they are the defaults here. docs/BENCH.md has
// every flag.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "interop/flag_table.h"
#include "scenario/scenario.h"

namespace headroom::interop {

enum class Dialect { kMemtier, kValkey };

// Where the password of a command line waits for the run: an environment variable that Headroom
// sets for itself alone.
inline constexpr std::string_view kPasswordVariable = "HEADROOM_BENCH_PASSWORD";

// One run of the (perhaps several) that a command line asks for.
struct BenchRun {
  std::string test;  // "SET": how valkey-benchmark heads its results; "ALL STATS"
  scenario::Scenario scenario;
};

// What the command line wants to see of the runs.
struct BenchOutput {
  std::string run_file;    // empty: the default place
  std::string text_file;   // memtier's --out-file
  std::string json_file;   // memtier's --json-out-file
  std::string hdr_prefix;  // memtier's --hdr-file-prefix
  std::vector<double> percentiles{50, 99, 99.9};
  bool csv = false;        // valkey-benchmark's --csv
  bool one_line = false;   // valkey-benchmark's -q
  unsigned precision = 3;  // decimal places of its latencies
  bool explain = false;
  bool json_summary = false;
  bool quiet = false;
};

struct BenchPlan {
  Dialect dialect = Dialect::kMemtier;
  std::string reading;         // which of the two it is, and by what: for the user
  std::vector<BenchRun> runs;  // in this order; at least one
  BenchOutput output;
  std::string password;                  // for kPasswordVariable; empty: none was given
  std::vector<std::string> notes;        // what differs from what the other program would do
  std::vector<std::string> shown_words;  // the command line without its secrets
};

// `words` are those behind `headroom bench`. The first may name the program: "memtier",
// "memtier_benchmark", "valkey-benchmark", "redis-benchmark". `fresh_seed` is for a command line
// that asks for a seed of its own. Errors are kUsage, a line per mistake.
[[nodiscard]] Result<BenchPlan> read_bench(std::span<const std::string> words,
                                           std::uint64_t fresh_seed);

[[nodiscard]] const Program& program_of(Dialect dialect);

}  // namespace headroom::interop
