// Repeated runs seen together: every run, the median, the ranges, and what the runs agree on and
// what they do not.
//
// A member keeps of its run what the renderers need, some hundred kilobytes for an hour, so that
// runs are read one after the other.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/contract.h"
#include "analysis/observed_run.h"
#include "analysis/summary.h"
#include "record/run.h"
#include "report/html.h"
#include "report/page.h"
#include "report/source.h"
#include "report/terminal.h"

namespace headroom::report {

// What is drawn of every run: a value for each second of its measure window, from its begin.
enum class GroupLine { kThroughput, kP99, kMemoryUsed, kEvictions, kHitRatio };
struct GroupLineInfo {
  GroupLine line;
  std::string_view key;    // "throughput_per_s"
  std::string_view title;  // "throughput"
  std::string_view unit;   // what it is, one clause
};
inline constexpr std::size_t kGroupLines = 5;
[[nodiscard]] const std::array<GroupLineInfo, kGroupLines>& group_line_catalogue();

using GroupValues = std::vector<std::optional<double>>;

struct GroupMember {
  analysis::ObservedRun observed;
  std::string file;
  std::string scenario;
  std::string target;  // in words, as in the head of a report
  std::string load;
  std::string state;
  bool open_loop = false;
  // Response latency of all operations, of an open loop.
  std::optional<Nanos> response_p50, response_p99, response_p999;
  std::array<GroupValues, kGroupLines> lines;  // index = GroupLine
};

// `summary` is analysis::summarize(run); `source` names the file.
[[nodiscard]] GroupMember member_of(const record::Run& run, const analysis::Summary& summary,
                                    const Source& source);

// A figure over the runs: one of analysis::figure_catalogue(), or response latency.
struct GroupFigure {
  std::string key;    // "latency_p99_ns", "response_p99_ns"
  std::string label;  // "p99 latency"
  std::string meaning;
  analysis::Spread spread;                    // of the runs that know it, in their order
  std::vector<std::optional<double>> values;  // of every run
  analysis::Figure written_as;                // whose unit it has
  [[nodiscard]] std::string text(std::optional<double> value) const;
};

// A verdict or setting that the runs do not agree on.
struct GroupDifference {
  std::string key;
  std::vector<std::optional<std::string>> values;  // by run; absent: not known
};

struct Group {
  std::vector<GroupMember> members;  // in the order in which they were given; at least two
  std::vector<GroupFigure> figures;  // that any run knows
  std::vector<std::pair<std::string, std::string>> agreed;  // key, value: verdicts, then settings
  std::vector<GroupDifference> differences;                 // the same
  analysis::Contract contract;  // may the runs be taken for repeats of one thing?
};

[[nodiscard]] Group make_group(std::vector<GroupMember> members);

// "5 runs agree: boundary, limited by engine"
[[nodiscard]] std::string group_headline(const Group& group);
[[nodiscard]] Tone group_tone(const Group& group);

// Of the runs' values in each second the median, where half of the runs or more have one.
[[nodiscard]] GroupValues median_line(const Group& group, GroupLine line);

[[nodiscard]] std::string render_group_terminal(const Group& group, const TerminalOptions& options);
[[nodiscard]] std::string render_group_markdown(const Group& group);
// docs/schema/group.schema.json describes it.
[[nodiscard]] std::string render_group_json(const Group& group);
[[nodiscard]] std::string render_group_html(const Group& group, const Served& served = {});

// web/dist/group.html, byte for byte.
[[nodiscard]] std::string_view group_template();

}  // namespace headroom::report
