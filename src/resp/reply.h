// Replies as a tree of values: RESP2, and RESP3 where an engine uses it. Pure.
//
// For control traffic (INFO, CONFIG, ...). The load's hot path has a parser of its own that builds
// nothing (resp/parser.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"

namespace headroom::resp {

struct ReplyTree {
  enum class Kind {
    kString,   // simple, bulk or verbatim (without its format), or a big number's digits: `text`
    kError,    // `text` without the leading '-': "ERR unknown command"
    kInteger,  // `integer`
    kDouble,   // `real`
    kBoolean,  // `integer` is 0 or 1
    kNull,
    kArray,  // arrays and sets: `items`
    kMap,    // `items`: key, value, key, value, ...
    kPush,   // out-of-band data, not the answer to a request: `items`
  };
  Kind kind = Kind::kNull;
  std::string text;
  std::int64_t integer = 0;
  double real = 0;
  std::vector<ReplyTree> items;

  [[nodiscard]] bool is(Kind wanted) const { return kind == wanted; }
  // For messages: "the integer 3", "the error 'ERR no'", "an array of 2".
  [[nodiscard]] std::string describe() const;
};

// What a reply may cost; whatever a server says beyond it is refused.
struct DecodeLimits {
  std::size_t text_bytes = 16U << 20U;  // of one string
  std::size_t line_bytes = 64U << 10U;  // of a simple string, error or number
  std::size_t items = 1U << 18U;        // in one whole reply, at all depths
  std::size_t depth = 16;
};

// Not all of the reply is there yet.
struct Incomplete {};

struct Decoded {
  ReplyTree reply;
  std::size_t used = 0;  // bytes of the input it took, attributes before it included
};

// Decodes the reply at the start of `input`. The error says what is wrong with the bytes, not whose
// they are: the caller adds it. An input that is a beginning of a legal reply is Incomplete.
[[nodiscard]] Result<std::variant<Incomplete, Decoded>> decode_reply(
    std::string_view input, const DecodeLimits& limits = {});

}  // namespace headroom::resp
