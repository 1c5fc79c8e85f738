#include "interop/bench_help.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>
#include <vector>

#include "interop/bench.h"
#include "interop/flag_table.h"

namespace headroom::interop {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::pair<Dialect, std::string_view> kDialects[] = {
    {Dialect::kMemtier, "memtier_benchmark"}, {Dialect::kValkey, "valkey-benchmark"}};

// Words in lines of at most kColumns, each behind `indent` blanks.
std::string wrapped(const std::vector<std::string>& words, std::size_t indent) {
  std::string text;
  std::size_t column = kColumns + 1;
  for (const std::string& word : words) {
    if (column + 1 + word.size() > kColumns) {
      if (!text.empty()) text += '\n';
      text += std::string(indent, ' ') + word;
      column = indent + word.size();
    } else {
      text += ' ' + word;
      column += 1 + word.size();
    }
  }
  return text + "\n";
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c != ' ') {
      words.back() += c;
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  return words;
}

std::string flag_list(const Program& program, bool refused) {
  std::vector<std::string> names;
  for (const Flag& flag : program.flags) {
    if ((flag.handling == Handling::kRefused) != refused) continue;
    names.push_back(flag.short_name.empty() ? std::string(flag.name)
                                            : fmt::format("{}/{}", flag.short_name, flag.name));
  }
  return wrapped(names, 4);
}

// For a cell of a Markdown table.
std::string cell(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '|') result += '\\';
    result += c;
  }
  return result;
}

std::string flag_rows(const Program& program) {
  std::string text = "| flag | what Headroom does |\n|---|---|\n";
  for (const Flag& flag : program.flags) {
    const bool refused = flag.handling == Handling::kRefused;
    text +=
        fmt::format("| `{}` | {} |\n", cell(flag_heading(program, flag)),
                    refused ? fmt::format("**Refused**: {}.", cell(flag.does)) : cell(flag.does));
  }
  return text + "\n";
}

constexpr std::string_view kIntroduction = R"(# headroom bench

<!-- Made from the flag tables in src/interop. To change it, change those and run
     HEADROOM_UPDATE_GOLDEN=1 interop_test -->

`headroom bench` takes the command lines of memtier_benchmark, valkey-benchmark and redis-benchmark, so that scripts
made for them measure with Headroom instead: put `headroom bench` before the line, or in place of the program's name.

```
headroom bench memtier_benchmark -s 10.0.0.7 -t 4 -c 50 --ratio=1:10 --test-time=60 --json-out-file=out.json
headroom bench -s 10.0.0.7 -t 4 -c 50 --ratio=1:10 --test-time=60
headroom bench redis-benchmark -h 10.0.0.7 -t set,get -n 1000000 -r 100000 -P 16 --csv
headroom bench memtier -s 10.0.0.7 --test-time=60 --explain > mine.toml
```

Which of the two it reads is said on standard error. Without the name it is told by flags that only one of them has, or
by what stands behind `-t`, `-P` and `-s`; a line that could be either is refused, because `-c` and `-n` mean different
things to the two.

**A flag is honoured or refused.** What cannot be honoured is an error with the reason and the nearest thing, exit code
2, before anything is contacted. Where the other program's defaults mean the same thing here, they are the defaults.

Every run leaves a run file, as `headroom run` does, and ends with the same page. `--explain` prints the scenario that a
line comes to: the way from a command line to a scenario file.

## What differs

- **Latency** runs from a request's own send to its own parsed reply, on the monotonic clock, in nanoseconds, with
  0.1 % precision. memtier_benchmark stamps all requests of one write and all replies of one read together and rounds to
  8 us; valkey-benchmark gives every request of a batch the latency of the first.
- **Errors** are outcomes of their own. They are no operations and have no part in latencies.
- **Keys** have names of Headroom's own, the same for the same seed: what one `headroom bench` line wrote, another one
  with as many threads and keys finds again; what the other program wrote, it does not.
- **Values** are random bytes, which do not compress.
- **Existing data** is left alone, and is no reason to refuse.
- **A password** on a command line can be read by everyone on the machine. It is taken, and warned of, and kept out of
  the run file. A scenario reads it from a file or the environment.

## Headroom's own flags

)";

constexpr std::string_view kClosing = R"(## Tests

`-t` asks for tests of valkey-benchmark's. Each is a run with a run file of its own. SET and GET are the workload's ratio;
the others are `[[workload.command]]`. Refused are ping_inline (requests are never sent inline), function_load and fcall.
Without `-t` and without a command, valkey-benchmark runs all tests; Headroom asks for a choice.

A command behind the flags is one run. `__rand_int__` is a number from 0 to KEYSPACELEN - 1, without leading zeros, and
`__data__` a value; `SET key:__rand_int__ VALUE` and `GET key:__rand_int__` are the ratios 1:0 and 0:1 over Headroom's
own keys. `;` separates the commands of a transaction from MULTI to EXEC; other sequences are refused.

## CSV

`--csv` prints the header and the columns of valkey-benchmark: test, requests per second, and the mean, minimum, median,
p95, p99 and maximum of latency in milliseconds. `-q` prints its one line. Nothing else is written to standard output.
Requests are those that completed; a cell is empty where none did.

## JSON

`--json-out-file` has memtier_benchmark's sections and names (format version 2): `ALL STATS` with `Runtime`, an object
for each command (`Sets`, `Gets`, `Hsets`) and `Totals`. With `--run-count` above 1 it has `BEST RUN RESULTS` and
`WORST RUN RESULTS`, by throughput.

| name | here |
|---|---|
| `Count`, `Ops/sec` | requests that completed in the window; errors are not among them |
| `Hits/sec`, `Misses/sec` | by the replies; 0 for commands that cannot miss |
| `Not Completed` | added: rejected, failed, timed out and lost |
| `Latency`, `Average Latency`, `Min Latency`, `Max Latency` | milliseconds; `null` where nothing completed |
| `Accumulated Latency` | the sum of all latencies in milliseconds |
| `Percentile Latencies` | of the merged histogram of the window, `--print-percentiles`; labels are never cut short |
| `Compressed Histogram` | HdrHistogram V2, base64, microseconds, three digits |
| `Time-Serie` | per second from the begin of the window; percentiles of all connections of that second |
| `KB/sec`, `KB/sec RX`, `KB/sec TX`, `Bytes RX`, `Bytes TX` | in `Totals`; `null` for a command, as bytes are counted by connection |
| `Connection Errors` | in `Totals`: connections that broke; `null` for a command |
| `configuration` | address, threads, clients, pipeline, and the whole scenario as text |
| `Waits`, `AGGREGATED AVERAGE RESULTS` | left out: WAIT is never sent, and percentiles are not averaged |

## Histograms

`--hdr-file-prefix=PREFIX` writes, for each command and for all together, `PREFIX_SET_command_run_1.txt` and
`PREFIX_FULL_RUN_1.txt` (percentile distribution in milliseconds, HdrHistogram's text format, as its plotter reads it) and
the same with `.hgrm` (a histogram log, version 1.2, in microseconds). They hold completed requests of the window.
)";

}  // namespace

std::string bench_help() {
  std::string text =
      "Run what a command line of memtier_benchmark, valkey-benchmark or\n"
      "redis-benchmark asks for, with Headroom's measurement and a run file.\n\n"
      "Usage: headroom bench [memtier|valkey-benchmark|redis-benchmark] FLAGS...\n\n"
      "  headroom bench memtier -s 10.0.0.7 -t 4 -c 50 --ratio=1:10 --test-time=60\n"
      "  headroom bench redis-benchmark -h 10.0.0.7 -t set,get -n 1000000 -P 16 --csv\n\n"
      "Headroom's own flags, beside those of either program:\n";
  const Program own{"headroom", Grammar::kGetoptLong, own_flags()};
  for (const Flag& flag : own_flags()) {
    text += fmt::format("  {}\n", flag_heading(own, flag));
    text += wrapped(words_of(flag.does), 6);
  }
  for (const auto& [dialect, name] : kDialects) {
    text += fmt::format("\nOf {} it understands:\n", name);
    text += flag_list(program_of(dialect), false);
    text += "  and refuses, each with its reason:\n" + flag_list(program_of(dialect), true);
  }
  return text + "\ndocs/BENCH.md says what each flag becomes.\n";
}

std::string bench_markdown() {
  std::string text(kIntroduction);
  text += flag_rows({"headroom", Grammar::kGetoptLong, own_flags()});
  for (const auto& [dialect, name] : kDialects)
    text += fmt::format("## {}\n\n", name) + flag_rows(program_of(dialect));
  return text + std::string(kClosing);
}

}  // namespace headroom::interop
