#include "scenario/cluster.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <vector>

namespace headroom::scenario {
namespace {

using Kind = WordPart::Kind;

// Where a command has its keys, as `COMMAND INFO` of the engines says it: words `first` to `last`
// (negative: from the end, -1 is the last), every `step`-th. Where a word says how many keys there
// are, `count` is its place and the keys follow from `first` on.
struct KeyPlaces {
  std::string_view verb;
  int first = 1;
  int last = 1;
  int step = 1;
  int count = 0;
};
// Commands that are not here have one key, their first argument.
constexpr std::array kKeyPlaces = {
    KeyPlaces{"BITOP", 2, -1, 1},         KeyPlaces{"BLMOVE", 1, 2, 1},
    KeyPlaces{"BLMPOP", 3, 0, 1, 2},      KeyPlaces{"BLPOP", 1, -2, 1},
    KeyPlaces{"BRPOP", 1, -2, 1},         KeyPlaces{"BRPOPLPUSH", 1, 2, 1},
    KeyPlaces{"BZMPOP", 3, 0, 1, 2},      KeyPlaces{"BZPOPMAX", 1, -2, 1},
    KeyPlaces{"BZPOPMIN", 1, -2, 1},      KeyPlaces{"COPY", 1, 2, 1},
    KeyPlaces{"DEL", 1, -1, 1},           KeyPlaces{"EVAL", 3, 0, 1, 2},
    KeyPlaces{"EVALSHA", 3, 0, 1, 2},     KeyPlaces{"EVALSHA_RO", 3, 0, 1, 2},
    KeyPlaces{"EVAL_RO", 3, 0, 1, 2},     KeyPlaces{"EXISTS", 1, -1, 1},
    KeyPlaces{"FCALL", 3, 0, 1, 2},       KeyPlaces{"FCALL_RO", 3, 0, 1, 2},
    KeyPlaces{"GEOSEARCHSTORE", 1, 2, 1}, KeyPlaces{"LCS", 1, 2, 1},
    KeyPlaces{"LMOVE", 1, 2, 1},          KeyPlaces{"LMPOP", 2, 0, 1, 1},
    KeyPlaces{"MEMORY", 2, 2, 1},         KeyPlaces{"MGET", 1, -1, 1},
    KeyPlaces{"MSET", 1, -1, 2},          KeyPlaces{"MSETNX", 1, -1, 2},
    KeyPlaces{"OBJECT", 2, 2, 1},         KeyPlaces{"PFCOUNT", 1, -1, 1},
    KeyPlaces{"PFMERGE", 1, -1, 1},       KeyPlaces{"RENAME", 1, 2, 1},
    KeyPlaces{"RENAMENX", 1, 2, 1},       KeyPlaces{"RPOPLPUSH", 1, 2, 1},
    KeyPlaces{"SDIFF", 1, -1, 1},         KeyPlaces{"SDIFFSTORE", 1, -1, 1},
    KeyPlaces{"SINTER", 1, -1, 1},        KeyPlaces{"SINTERCARD", 2, 0, 1, 1},
    KeyPlaces{"SINTERSTORE", 1, -1, 1},   KeyPlaces{"SMOVE", 1, 2, 1},
    KeyPlaces{"SUNION", 1, -1, 1},        KeyPlaces{"SUNIONSTORE", 1, -1, 1},
    KeyPlaces{"TOUCH", 1, -1, 1},         KeyPlaces{"UNLINK", 1, -1, 1},
    KeyPlaces{"XGROUP", 2, 2, 1},         KeyPlaces{"XINFO", 2, 2, 1},
    KeyPlaces{"ZDIFF", 2, 0, 1, 1},       KeyPlaces{"ZDIFFSTORE", 3, 0, 1, 2},
    KeyPlaces{"ZINTER", 2, 0, 1, 1},      KeyPlaces{"ZINTERCARD", 2, 0, 1, 1},
    KeyPlaces{"ZINTERSTORE", 3, 0, 1, 2}, KeyPlaces{"ZMPOP", 2, 0, 1, 1},
    KeyPlaces{"ZRANGESTORE", 1, 2, 1},    KeyPlaces{"ZUNION", 2, 0, 1, 1},
    KeyPlaces{"ZUNIONSTORE", 3, 0, 1, 2},
};
static_assert(std::ranges::is_sorted(kKeyPlaces, {}, &KeyPlaces::verb));

constexpr std::array<std::string_view, 27> kWithoutKey = {
    "ACL",     "BGREWRITEAOF", "BGSAVE", "CLIENT",   "CLUSTER", "COMMAND", "CONFIG",
    "DBSIZE",  "ECHO",         "EXEC",   "FUNCTION", "INFO",    "KEYS",    "LASTSAVE",
    "LATENCY", "LOLWUT",       "MODULE", "MULTI",    "PING",    "PUBLISH", "RANDOMKEY",
    "ROLE",    "SCAN",         "SCRIPT", "SLOWLOG",  "TIME",    "WAIT"};
static_assert(std::ranges::is_sorted(kWithoutKey));

constexpr std::array<std::string_view, 68> kOnlyReading = {"BITCOUNT",
                                                           "BITFIELD_RO",
                                                           "BITPOS",
                                                           "DUMP",
                                                           "EVALSHA_RO",
                                                           "EVAL_RO",
                                                           "EXISTS",
                                                           "EXPIRETIME",
                                                           "FCALL_RO",
                                                           "GEODIST",
                                                           "GEOHASH",
                                                           "GEOPOS",
                                                           "GEORADIUSBYMEMBER_RO",
                                                           "GEORADIUS_RO",
                                                           "GEOSEARCH",
                                                           "GET",
                                                           "GETBIT",
                                                           "GETRANGE",
                                                           "HEXISTS",
                                                           "HGET",
                                                           "HGETALL",
                                                           "HKEYS",
                                                           "HLEN",
                                                           "HMGET",
                                                           "HRANDFIELD",
                                                           "HSCAN",
                                                           "HSTRLEN",
                                                           "HVALS",
                                                           "LCS",
                                                           "LINDEX",
                                                           "LLEN",
                                                           "LPOS",
                                                           "LRANGE",
                                                           "MGET",
                                                           "PEXPIRETIME",
                                                           "PTTL",
                                                           "SCARD",
                                                           "SDIFF",
                                                           "SINTER",
                                                           "SINTERCARD",
                                                           "SISMEMBER",
                                                           "SMEMBERS",
                                                           "SMISMEMBER",
                                                           "SORT_RO",
                                                           "SRANDMEMBER",
                                                           "SSCAN",
                                                           "STRLEN",
                                                           "SUBSTR",
                                                           "SUNION",
                                                           "TOUCH",
                                                           "TTL",
                                                           "TYPE",
                                                           "XLEN",
                                                           "XRANGE",
                                                           "XREVRANGE",
                                                           "ZCARD",
                                                           "ZCOUNT",
                                                           "ZINTER",
                                                           "ZLEXCOUNT",
                                                           "ZMSCORE",
                                                           "ZRANDMEMBER",
                                                           "ZRANGE",
                                                           "ZRANGEBYLEX",
                                                           "ZRANGEBYSCORE",
                                                           "ZRANK",
                                                           "ZREVRANGE",
                                                           "ZREVRANK",
                                                           "ZSCORE"};
static_assert(std::ranges::is_sorted(kOnlyReading));

std::string text_of(const Word& word) {
  return word.size() == 1 && word.front().kind == Kind::kText ? word.front().text : std::string();
}

std::vector<const Word*> words_between(const CommandWords& command, int first, int last, int step) {
  std::vector<const Word*> words;
  const int size = static_cast<int>(command.size());
  const int end = last < 0 ? size + last : std::min(last, size - 1);
  for (int i = first; i <= end; i += step) words.push_back(&command[static_cast<std::size_t>(i)]);
  return words;
}

// XREAD ... STREAMS key [key ...] id [id ...]
std::vector<const Word*> streams_of(const CommandWords& command) {
  const auto is_streams = [](const Word& word) {
    const std::string text = text_of(word);
    return text == "STREAMS" || text == "streams";
  };
  const auto found = std::ranges::find_if(command, is_streams);
  if (found == command.end()) return {};
  const auto first = static_cast<int>(found - command.begin()) + 1;
  const int rest = static_cast<int>(command.size()) - first;
  return words_between(command, first, first + rest / 2 - 1, 1);
}

std::vector<const Word*> keys_of(const CommandWords& command) {
  const std::string verb = verb_of(command);
  if (std::ranges::binary_search(kWithoutKey, verb)) return {};
  if (verb == "XREAD" || verb == "XREADGROUP") return streams_of(command);
  const auto* const places = std::ranges::lower_bound(kKeyPlaces, verb, {}, &KeyPlaces::verb);
  if (places == kKeyPlaces.end() || places->verb != verb) return words_between(command, 1, 1, 1);
  if (places->count == 0) return words_between(command, places->first, places->last, places->step);
  const auto at = static_cast<std::size_t>(places->count);
  const std::string count = at < command.size() ? text_of(command[at]) : std::string();
  int keys = 0;
  std::from_chars(count.data(), count.data() + count.size(), keys);
  auto words = words_between(command, places->first, places->first + keys - 1, 1);
  if (verb.ends_with("STORE") && command.size() > 1) words.push_back(&command[1]);
  return words;
}

// A drawn key, a number or a value has no braces: only the text around it does.
constexpr char kOpaque = '\0';

// The word with one byte for each part that is not text, and which part each byte is of.
struct Pattern {
  std::string bytes;
  std::vector<const WordPart*> parts;  // null: text
};
Pattern pattern_of(const Word& word) {
  Pattern pattern;
  for (const WordPart& part : word) {
    const bool is_text = part.kind == Kind::kText;
    pattern.bytes += is_text ? part.text : std::string(1, kOpaque);
    pattern.parts.resize(pattern.bytes.size(), is_text ? nullptr : &part);
  }
  return pattern;
}

Result<HashedText> hashed_of(const Word& word) {
  const Pattern pattern = pattern_of(word);
  std::size_t begin = 0;
  std::size_t end = pattern.bytes.size();
  const std::size_t open = pattern.bytes.find('{');
  if (open != std::string::npos) {
    const std::size_t close = pattern.bytes.find('}', open + 1);
    if (close != std::string::npos && close > open + 1) {
      begin = open + 1;
      end = close;
    }
  }
  HashedText hashed;
  for (std::size_t i = begin; i < end; ++i) {
    const WordPart* const part = pattern.parts[i];
    if (part == nullptr) {
      (hashed.key ? hashed.after : hashed.before) += pattern.bytes[i];
    } else if (part->kind == Kind::kKey && !hashed.key) {
      hashed.key = part->key;
    } else {
      return fail(ErrorKind::kUsage,
                  "of a cluster's keys only __key__ may choose the slot, once; put it alone into a "
                  "hash tag, as in {{__key__}}:__rand(1,9)__");
    }
  }
  return hashed;
}

}  // namespace

bool is_cluster(const Target& target) { return target.cluster; }

Result<std::optional<HashedText>> hashed_text(const CommandLine& line) {
  std::optional<HashedText> all;
  for (const CommandWords& command : line.commands) {
    for (const Word* word : keys_of(command)) {
      auto hashed = hashed_of(*word);
      if (!hashed) return fail(std::move(hashed.error()));
      if (all && *all != *hashed) {
        return fail(ErrorKind::kUsage,
                    "its keys may be in several slots of the cluster, and no node serves them "
                    "together; give them one hash tag, as in {{__key1__}}:a {{__key1__}}:b");
      }
      all = std::move(*hashed);
    }
  }
  if (all && all->key.value_or(0) != 0) {
    return fail(ErrorKind::kUsage,
                "of a cluster's keys the first one chooses the slot; write __key1__ there");
  }
  return all;
}

bool only_reads(const CommandLine& line) {
  return std::ranges::all_of(line.commands, [](const CommandWords& command) {
    return std::ranges::binary_search(kOnlyReading, verb_of(command));
  });
}

}  // namespace headroom::scenario
