// One line of a trace: what MONITOR printed, or a row of a table. Pure; lines may hold anything.
//
// MONITOR: 1339518083.107412 [0 127.0.0.1:60866] "set" "key" "a \"value\"\x00", as redis-cli and
// valkey-cli print it or, with a plus before it, as it comes on the wire. Its "OK" is no request.
// Table: cells between commas (quoted as in RFC 4180) or tabs; the header names the columns, in any
// order: op, key, time (seconds), size (bytes of the value), ttl (seconds), client. Others are
// ignored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "scenario/workload.h"

namespace headroom::load {

enum class TraceLineKind : std::uint8_t {
  kRequest,
  kNothing,  // empty, or MONITOR's OK
  kOthers,   // of a stream that was not asked for
  kSkipped,  // not replayed; TraceLine::words has its first word, or why
};

// Requests of one stream keep their order: of one client's address or, where that is not known, of
// one key.
struct StreamShare {
  std::uint32_t index = 0;
  std::uint32_t of = 1;
  [[nodiscard]] bool has(std::uint64_t stream) const { return stream % of == index; }
};

struct TraceLine {
  Nanos time{0};  // as it is written; a table without such a column: 0
  std::uint64_t stream = 0;
  std::vector<std::string> words;  // the command, its first word in capitals
  // Of a table's commands that write: words[2] is empty and stands for a value of so many bytes.
  std::optional<std::uint64_t> made_up_bytes;

  // Of the one value that it writes; nullopt: none, or not known which word it is.
  [[nodiscard]] std::optional<std::uint64_t> written_bytes() const;
  [[nodiscard]] std::string_view key() const {
    return words.size() > 1 ? std::string_view(words[1]) : std::string_view();
  }
};

class TraceParser {
 public:
  // `database` is the one whose requests are replayed; a table does not name any.
  TraceParser(scenario::TraceFormat format, std::uint32_t database);

  [[nodiscard]] bool needs_header() const { return format_ != scenario::TraceFormat::kMonitor; }
  // The first line of a table. Errors (kUsage) say what is missing.
  [[nodiscard]] Status read_header(std::string_view line);
  [[nodiscard]] bool has_time() const { return !needs_header() || time_.has_value(); }

  // `line` is without its end. Fills `out`, whose memory is used again. Errors (kUsage) say what is
  // wrong with the line.
  [[nodiscard]] Result<TraceLineKind> parse(std::string_view line, const StreamShare& share,
                                            TraceLine& out);

 private:
  [[nodiscard]] Result<TraceLineKind> parse_monitor(std::string_view line, const StreamShare& share,
                                                    TraceLine& out) const;
  [[nodiscard]] Result<TraceLineKind> parse_row(std::string_view line, const StreamShare& share,
                                                TraceLine& out);
  [[nodiscard]] Status split_row(std::string_view line);
  [[nodiscard]] std::string_view cell(const std::optional<std::size_t>& column) const;

  scenario::TraceFormat format_;
  std::uint32_t database_;
  std::size_t columns_ = 0;  // how many the header has
  std::optional<std::size_t> time_, op_, key_, size_, ttl_, client_;
  std::vector<std::string> cells_;
};

}  // namespace headroom::load
