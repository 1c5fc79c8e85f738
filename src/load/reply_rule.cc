#include "load/reply_rule.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace headroom::load {
namespace {

using record::Outcome;
using resp::ReplyType;

struct Verb {
  std::string_view name;
  ReplyMeaning meaning;
};
constexpr std::array kVerbs = {
    Verb{"GET", ReplyMeaning::kValue},
    Verb{"GETEX", ReplyMeaning::kValue},
    Verb{"GETDEL", ReplyMeaning::kValue},
    Verb{"HGET", ReplyMeaning::kValue},
    Verb{"LINDEX", ReplyMeaning::kValue},
    Verb{"MGET", ReplyMeaning::kAnyFound},
    Verb{"HMGET", ReplyMeaning::kAnyFound},
    Verb{"GETRANGE", ReplyMeaning::kFound},
    Verb{"HGETALL", ReplyMeaning::kFound},
    Verb{"HKEYS", ReplyMeaning::kFound},
    Verb{"HVALS", ReplyMeaning::kFound},
    Verb{"HRANDFIELD", ReplyMeaning::kFound},
    Verb{"LRANGE", ReplyMeaning::kFound},
    Verb{"LPOP", ReplyMeaning::kFound},
    Verb{"RPOP", ReplyMeaning::kFound},
    Verb{"SMEMBERS", ReplyMeaning::kFound},
    Verb{"SPOP", ReplyMeaning::kFound},
    Verb{"SRANDMEMBER", ReplyMeaning::kFound},
    Verb{"ZRANGE", ReplyMeaning::kFound},
    Verb{"ZRANK", ReplyMeaning::kFound},
    Verb{"ZSCORE", ReplyMeaning::kFound},
    Verb{"EXISTS", ReplyMeaning::kPositive},
    Verb{"TOUCH", ReplyMeaning::kPositive},
    Verb{"STRLEN", ReplyMeaning::kPositive},
    Verb{"HEXISTS", ReplyMeaning::kPositive},
    Verb{"HLEN", ReplyMeaning::kPositive},
    Verb{"LLEN", ReplyMeaning::kPositive},
    Verb{"SCARD", ReplyMeaning::kPositive},
    Verb{"SISMEMBER", ReplyMeaning::kPositive},
    Verb{"ZCARD", ReplyMeaning::kPositive},
    Verb{"TTL", ReplyMeaning::kTimeToLive},
    Verb{"PTTL", ReplyMeaning::kTimeToLive},
    Verb{"EXPIRETIME", ReplyMeaning::kTimeToLive},
    Verb{"PEXPIRETIME", ReplyMeaning::kTimeToLive},
};

Outcome found(bool it_is) { return it_is ? Outcome::kHit : Outcome::kMiss; }

bool is_aggregate(ReplyType type) {
  return type == ReplyType::kArray || type == ReplyType::kMap || type == ReplyType::kSet;
}

Outcome classify_error(const resp::Reply& reply) {
  const bool rejected = reply.text == "OOM" || reply.text.starts_with("OOM ");
  return rejected ? Outcome::kRejected : Outcome::kError;
}

// With some options SET has other replies than OK.
bool always_sets(const scenario::CommandWords& command) {
  constexpr std::array<std::string_view, 4> kConditions = {"NX", "XX", "GET", "IFEQ"};
  return std::all_of(command.begin(), command.end(), [&](const scenario::Word& word) {
    if (&word == &command.front() || word.size() != 1) return true;
    std::string text = word.front().text;
    std::ranges::transform(text, text.begin(), [](char c) {
      return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return std::ranges::find(kConditions, text) == kConditions.end();
  });
}

}  // namespace

ReplyRule reply_rule(const scenario::CommandLine& line) {
  if (line.is_transaction())
    return {ReplyMeaning::kTransaction, static_cast<std::uint16_t>(line.commands.size())};
  const scenario::CommandWords& command = line.commands.front();
  const std::string verb = scenario::verb_of(command);
  if (verb == "SET") return {always_sets(command) ? ReplyMeaning::kStatus : ReplyMeaning::kAny};
  const auto known = std::ranges::find(kVerbs, verb, &Verb::name);
  return {known == kVerbs.end() ? ReplyMeaning::kAny : known->meaning};
}

Outcome classify_any(ReplyMeaning meaning, const resp::Reply& reply) {
  if (reply.type == ReplyType::kError) return classify_error(reply);
  if (reply.error_inside) return Outcome::kError;
  const bool null = reply.type == ReplyType::kNull;
  switch (meaning) {
    case ReplyMeaning::kValue:
      if (reply.type == ReplyType::kBulk || null) return found(!null);
      return Outcome::kError;
    case ReplyMeaning::kStatus:
      return reply.type == ReplyType::kSimple ? Outcome::kOk : Outcome::kError;
    case ReplyMeaning::kFound: {
      const bool sized = is_aggregate(reply.type) || reply.type == ReplyType::kBulk;
      return found(!null && !(sized && reply.number == 0));
    }
    case ReplyMeaning::kAnyFound:
      if (reply.type != ReplyType::kArray) return Outcome::kError;
      return found(reply.nulls < reply.number);
    case ReplyMeaning::kPositive:
      if (reply.type != ReplyType::kInteger) return Outcome::kError;
      return found(reply.number > 0);
    case ReplyMeaning::kTimeToLive:
      if (reply.type != ReplyType::kInteger) return Outcome::kError;
      return found(reply.number != -2);
    case ReplyMeaning::kAny:
    case ReplyMeaning::kTransaction:
      break;
  }
  return Outcome::kOk;
}

Outcome classify_in_transaction(bool last, const resp::Reply& reply) {
  if (reply.type == ReplyType::kError) return classify_error(reply);
  const ReplyType wanted = last ? ReplyType::kArray : ReplyType::kSimple;
  return reply.type == wanted && !reply.error_inside ? Outcome::kOk : Outcome::kError;
}

}  // namespace headroom::load
