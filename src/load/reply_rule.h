// What a reply means: how a request ended, by its command and its reply. Pure.
#pragma once

#include <cstdint>

#include "record/outcome.h"
#include "resp/parser.h"
#include "scenario/command_line.h"

namespace headroom::load {

enum class ReplyMeaning : std::uint8_t {
  kValue,        // GET: a bulk is a hit, a null a miss; anything else it never gives
  kStatus,       // SET: a simple string is ok; anything else it never gives
  kFound,        // LPOP, HGETALL: null or empty is a miss, else a hit
  kAnyFound,     // MGET: a miss if all that was asked for is null
  kPositive,     // EXISTS: a number above 0 is a hit
  kTimeToLive,   // TTL: -2 is a miss
  kAny,          // all others: any reply but an error is ok
  kTransaction,  // MULTI ... EXEC: what came of all replies; see in_transaction()
};

struct ReplyRule {
  ReplyMeaning meaning = ReplyMeaning::kAny;
  std::uint16_t replies = 1;  // to one request
};

[[nodiscard]] ReplyRule reply_rule(const scenario::CommandLine& line);

// How a request of one reply ended.
[[nodiscard]] record::Outcome classify_any(ReplyMeaning meaning, const resp::Reply& reply);
[[nodiscard]] inline record::Outcome classify(ReplyMeaning meaning, const resp::Reply& reply) {
  if (meaning == ReplyMeaning::kValue) {
    if (reply.type == resp::ReplyType::kBulk) return record::Outcome::kHit;
    if (reply.type == resp::ReplyType::kNull) return record::Outcome::kMiss;
  } else if (meaning == ReplyMeaning::kStatus && reply.type == resp::ReplyType::kSimple) {
    return record::Outcome::kOk;
  }
  return classify_any(meaning, reply);
}

// What one reply of a transaction says of all of it: ok, or how it failed. Before the last come
// "OK" and "QUEUED"; the last is EXEC's, an array without an error in it.
[[nodiscard]] record::Outcome classify_in_transaction(bool last, const resp::Reply& reply);

}  // namespace headroom::load
