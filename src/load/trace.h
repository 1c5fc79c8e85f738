// A trace as a file: read as it goes, so that it may be larger than memory, and looked through once
// before a run, so that every bad line is told before the first request.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/result.h"
#include "load/trace_line.h"
#include "scenario/operations.h"
#include "scenario/scenario.h"

namespace headroom::load {

// Reads the lines of a trace, from its begin to its end. Not thread-safe.
class TraceReader {
 public:
  // The longest line, with its end.
  static constexpr std::size_t kLongestLine = std::size_t{16} << 20U;

  // A regular file. Errors (kUsage) name it, and the line.
  [[nodiscard]] static Result<TraceReader> open(const scenario::Trace& trace,
                                                std::uint32_t database);

  // The next request of a stream in `share`, or the next line that is skipped; false at the end.
  [[nodiscard]] Result<bool> next(const StreamShare& share, TraceLine& line, bool& skipped);
  [[nodiscard]] bool has_time() const { return parser_.has_time(); }
  // Back to the first request.
  [[nodiscard]] Status rewind();

 private:
  TraceReader(UniqueFd fd, const scenario::Trace& trace, std::uint32_t database);
  // Without its end; nullopt: there is none any more.
  [[nodiscard]] Result<std::optional<std::string_view>> next_line();
  [[nodiscard]] tl::unexpected<Error> at_line(std::string_view what) const;

  UniqueFd fd_;
  std::string path_;
  TraceParser parser_;
  std::uint64_t line_ = 0;  // of the one that was read last, from 1
  std::string buffer_;      // read and not taken: from begin_ on
  std::size_t begin_ = 0;
  bool at_end_ = false;
};

// What a trace holds that will be replayed. Constant, shared by all workers.
struct TraceSummary {
  std::uint64_t requests = 0;
  std::uint64_t streams = 0;  // clients; where they are not known, keys
  Nanos first{0};             // the time of the first line that is replayed
  Nanos length{0};            // from there to the last
  bool has_time = false;
  std::vector<std::string> verbs;    // operations: by how often they occur; kOther for all the rest
  std::uint64_t smallest_value = 0;  // of the values that are written
  std::uint64_t largest_value = 0;
  std::map<std::string, std::uint64_t> skipped;  // by first word, or why: how many

  static constexpr std::size_t kMostVerbs = 63;
  static constexpr std::string_view kOther = "other";

  // Which operation a command is; verbs that have none of their own are kOther's, the last.
  [[nodiscard]] std::uint8_t operation(std::string_view verb) const;
};

// Looks through the whole file. An empty trace, a bad line, and one without the times that its
// timing needs are errors (kUsage).
[[nodiscard]] Result<TraceSummary> scan_trace(const scenario::Trace& trace, std::uint32_t database);

// The operations of a replay, as scenario::operations_of gives them for what is drawn.
[[nodiscard]] std::vector<scenario::Operation> operations_of(const TraceSummary& trace);

// "1,234 requests over 12.3 s (100 /s) by 5 clients; not replayed: 3 AUTH, 2 of another database"
[[nodiscard]] std::string describe_trace(const TraceSummary& summary, const scenario::Trace& trace);

}  // namespace headroom::load
