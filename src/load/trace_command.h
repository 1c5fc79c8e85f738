// Which recorded commands are replayed, and what the operations of a table are as commands. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace headroom::load {

// Not: what makes a connection something else (SUBSCRIBE, MULTI, SELECT, ...), what waits (BLPOP,
// ...), and what is about the server and not about keys (CONFIG, FLUSHALL, ...). `words` is not
// empty, its first one in capitals.
[[nodiscard]] bool is_replayed(const std::vector<std::string>& words);

struct TableRow {
  std::string_view op;
  std::string_view key;
  std::string_view size;  // empty: none
  std::string_view ttl;
};
// The command of a row; if it writes a value, words[2] is empty and `value_bytes` says how many it
// stands for. Errors (kUsage) name the cell.
[[nodiscard]] Status make_command(const TableRow& row, std::vector<std::string>& words,
                                  std::optional<std::uint64_t>& value_bytes);

}  // namespace headroom::load
