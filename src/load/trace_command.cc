#include "load/trace_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "base/units.h"

namespace headroom::load {
namespace {

// Sorted.
constexpr std::array<std::string_view, 67> kNotReplayed = {
    "ACL",        "ASKING",    "AUTH",        "BGREWRITEAOF", "BGSAVE",       "BLMOVE",
    "BLMPOP",     "BLPOP",     "BRPOP",       "BRPOPLPUSH",   "BZMPOP",       "BZPOPMAX",
    "BZPOPMIN",   "CLIENT",    "CLUSTER",     "COMMAND",      "COMMANDLOG",   "CONFIG",
    "DEBUG",      "DISCARD",   "EXEC",        "FAILOVER",     "FLUSHALL",     "FLUSHDB",
    "FUNCTION",   "HELLO",     "INFO",        "LASTSAVE",     "LATENCY",      "LOLWUT",
    "MEMORY",     "MIGRATE",   "MODULE",      "MONITOR",      "MULTI",        "PFSELFTEST",
    "PSUBSCRIBE", "PSYNC",     "PUBLISH",     "PUBSUB",       "PUNSUBSCRIBE", "QUIT",
    "READONLY",   "READWRITE", "REPLCONF",    "REPLICAOF",    "RESET",        "RESTORE-ASKING",
    "ROLE",       "SAVE",      "SCRIPT",      "SELECT",       "SENTINEL",     "SHUTDOWN",
    "SLAVEOF",    "SLOWLOG",   "SPUBLISH",    "SSUBSCRIBE",   "SUBSCRIBE",    "SUNSUBSCRIBE",
    "SWAPDB",     "SYNC",      "UNSUBSCRIBE", "UNWATCH",      "WAIT",         "WAITAOF",
    "WATCH",
};

enum class Cells : std::uint8_t { kKey, kKeyAndValue, kKeyAndTtl };

struct TableOp {
  std::string_view op;  // as the table has it, in small letters
  std::string_view verb;
  Cells cells = Cells::kKey;
  std::string_view condition{};  // of SET
};
// Those of the engine, and what they are called in traces of memcached.
constexpr std::array kTableOps = {
    TableOp{"get", "GET"},
    TableOp{"gets", "GET"},
    TableOp{"set", "SET", Cells::kKeyAndValue},
    TableOp{"cas", "SET", Cells::kKeyAndValue},
    TableOp{"add", "SET", Cells::kKeyAndValue, "NX"},
    TableOp{"setnx", "SET", Cells::kKeyAndValue, "NX"},
    TableOp{"replace", "SET", Cells::kKeyAndValue, "XX"},
    TableOp{"append", "APPEND", Cells::kKeyAndValue},
    TableOp{"getset", "GETSET", Cells::kKeyAndValue},
    TableOp{"delete", "DEL"},
    TableOp{"del", "DEL"},
    TableOp{"unlink", "UNLINK"},
    TableOp{"getdel", "GETDEL"},
    TableOp{"exists", "EXISTS"},
    TableOp{"touch", "TOUCH"},
    TableOp{"ttl", "TTL"},
    TableOp{"strlen", "STRLEN"},
    TableOp{"incr", "INCR"},
    TableOp{"decr", "DECR"},
    TableOp{"persist", "PERSIST"},
    TableOp{"expire", "PEXPIRE", Cells::kKeyAndTtl},
};

constexpr std::uint64_t kMostValueBytes = std::uint64_t{512} << 20U;
constexpr double kMostTtlSeconds = 1e10;

Result<std::uint64_t> parse_size(std::string_view text) {
  std::uint64_t size = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, size);
  if (error != std::errc() || at != end || size > kMostValueBytes) {
    return fail(ErrorKind::kUsage, "has the size \"{}\"; wanted bytes, from 0 to {}",
                printable(text, 40), kMostValueBytes);
  }
  return size;
}

// In milliseconds; nullopt: none.
Result<std::optional<std::uint64_t>> parse_ttl(std::string_view text) {
  if (text.empty()) return std::nullopt;
  double seconds = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, seconds);
  if (error != std::errc() || at != end || !(seconds >= 0 && seconds <= kMostTtlSeconds)) {
    return fail(ErrorKind::kUsage, "has the ttl \"{}\"; wanted seconds, 0 or nothing for none",
                printable(text, 40));
  }
  const auto millis = static_cast<std::uint64_t>(std::llround(seconds * 1000));
  return millis == 0 ? std::nullopt : std::optional(millis);
}

}  // namespace

bool is_replayed(const std::vector<std::string>& words) {
  if (std::ranges::find(kNotReplayed, words.front()) != kNotReplayed.end()) return false;
  const bool may_block = words.front() == "XREAD" || words.front() == "XREADGROUP";
  return !may_block || std::ranges::none_of(
                           words, [](const std::string& word) { return lower(word) == "block"; });
}

Status make_command(const TableRow& row, std::vector<std::string>& words,
                    std::optional<std::uint64_t>& value_bytes) {
  const auto op = std::ranges::find(kTableOps, lower(row.op), &TableOp::op);
  if (op == kTableOps.end()) {
    std::vector<std::string> known;
    for (const TableOp& each : kTableOps) known.emplace_back(each.op);
    const auto near = nearest(row.op, known);
    return fail(ErrorKind::kUsage, "has the unknown op \"{}\"; {}", printable(row.op, 40),
                near ? fmt::format("did you mean {}?", *near)
                     : fmt::format("known are {}", fmt::join(known, ", ")));
  }
  if (row.key.empty()) return fail(ErrorKind::kUsage, "has no key");
  const auto ttl = parse_ttl(row.ttl);
  if (!ttl) return fail(ttl.error());
  words.resize(2);
  words[0] = op->verb;
  words[1] = row.key;
  if (op->cells == Cells::kKeyAndTtl) {
    if (!*ttl) return fail(ErrorKind::kUsage, "has no ttl, which {} needs", op->op);
    words.push_back(fmt::format("{}", **ttl));
  }
  if (op->cells != Cells::kKeyAndValue) return {};
  if (row.size.empty()) return fail(ErrorKind::kUsage, "has no size, which {} needs", op->op);
  const auto size = parse_size(row.size);
  if (!size) return fail(size.error());
  value_bytes = *size;
  words.emplace_back();
  if (op->verb != "SET") return {};
  if (*ttl) {
    words.emplace_back("PX");
    words.push_back(fmt::format("{}", **ttl));
  }
  if (!op->condition.empty()) words.emplace_back(op->condition);
  return {};
}

}  // namespace headroom::load
