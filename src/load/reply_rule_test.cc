#include "load/reply_rule.h"

#include <gtest/gtest.h>

#include <string>

namespace headroom::load {
namespace {

using record::Outcome;
using resp::Reply;
using resp::ReplyType;

const Reply kOkReply{ReplyType::kSimple, "OK", 0};
const Reply kQueued{ReplyType::kSimple, "QUEUED", 0};
const Reply kNull{ReplyType::kNull, "", 0};
Reply bulk(std::int64_t bytes) { return {ReplyType::kBulk, "", bytes}; }
Reply number(std::int64_t value) { return {ReplyType::kInteger, "", value}; }
Reply array(std::int64_t elements, std::int64_t nulls = 0, bool error_inside = false) {
  return {ReplyType::kArray, "", elements, nulls, error_inside};
}
Reply error(std::string_view text) { return {ReplyType::kError, text, 0}; }

ReplyRule rule_of(std::string_view command) {
  return reply_rule(*scenario::read_command_line(command));
}
Outcome outcome(std::string_view command, const Reply& reply) {
  return classify(rule_of(command).meaning, reply);
}

TEST(ReplyRule, OfGetAndSetIsStrict) {
  EXPECT_EQ(outcome("GET __key__", bulk(8)), Outcome::kHit);
  EXPECT_EQ(outcome("get __key__", bulk(0)), Outcome::kHit);
  EXPECT_EQ(outcome("GET __key__", kNull), Outcome::kMiss);
  EXPECT_EQ(outcome("SET __key__ __data__", kOkReply), Outcome::kOk);
  // Replies of a type that the command never gives are errors, not successes.
  EXPECT_EQ(outcome("GET __key__", kOkReply), Outcome::kError);
  EXPECT_EQ(outcome("GET __key__", number(1)), Outcome::kError);
  EXPECT_EQ(outcome("SET __key__ __data__", kNull), Outcome::kError);
  EXPECT_EQ(outcome("SET __key__ __data__", bulk(8)), Outcome::kError);
}

TEST(ReplyRule, OfSetDependsOnItsOptions) {
  EXPECT_EQ(rule_of("SET k v PX 100").meaning, ReplyMeaning::kStatus);
  EXPECT_EQ(rule_of("set k v px __rand(1,2)__").meaning, ReplyMeaning::kStatus);
  EXPECT_EQ(rule_of("SET k v nx").meaning, ReplyMeaning::kAny);
  EXPECT_EQ(rule_of("SET k v GET").meaning, ReplyMeaning::kAny);
}

TEST(ReplyRule, TellsRefusalsForWantOfMemoryFromOtherErrors) {
  EXPECT_EQ(outcome("SET k v", error("OOM command not allowed")), Outcome::kRejected);
  EXPECT_EQ(outcome("SET k v", error("OOM")), Outcome::kRejected);
  EXPECT_EQ(outcome("SET k v", error("OOMPH no")), Outcome::kError);
  EXPECT_EQ(outcome("LPUSH k v", error("ERR OOM")), Outcome::kError);
  EXPECT_EQ(outcome("GET k", error("MOVED 1 h:1")), Outcome::kError);
}

TEST(ReplyRule, TellsHitsFromMissesOfReads) {
  EXPECT_EQ(outcome("HGET k f", bulk(1)), Outcome::kHit);
  EXPECT_EQ(outcome("HGET k f", kNull), Outcome::kMiss);
  EXPECT_EQ(outcome("MGET a b", array(2, 2)), Outcome::kMiss);
  EXPECT_EQ(outcome("MGET a b", array(2, 1)), Outcome::kHit);
  EXPECT_EQ(outcome("MGET a b", bulk(2)), Outcome::kError);
  EXPECT_EQ(outcome("HGETALL k", array(0)), Outcome::kMiss);
  EXPECT_EQ(outcome("HGETALL k", array(4)), Outcome::kHit);
  EXPECT_EQ(outcome("LPOP k", kNull), Outcome::kMiss);
  EXPECT_EQ(outcome("LPOP k", bulk(0)), Outcome::kMiss);
  EXPECT_EQ(outcome("ZRANK k m", number(0)), Outcome::kHit);
  EXPECT_EQ(outcome("EXISTS k", number(0)), Outcome::kMiss);
  EXPECT_EQ(outcome("EXISTS k", number(1)), Outcome::kHit);
  EXPECT_EQ(outcome("TTL k", number(-2)), Outcome::kMiss);
  EXPECT_EQ(outcome("TTL k", number(-1)), Outcome::kHit);
}

TEST(ReplyRule, OfOtherCommandsTakesAnyReplyButAnError) {
  for (const Reply& reply : {kOkReply, kNull, bulk(3), number(0), array(0)}) {
    EXPECT_EQ(outcome("EXPIRE k 1", reply), Outcome::kOk);
    EXPECT_EQ(outcome("SET k v NX", reply), Outcome::kOk);
  }
  EXPECT_EQ(outcome("EVAL x 0", array(2, 0, true)), Outcome::kError);
}

TEST(ReplyRule, OfATransactionCountsEveryReply) {
  const ReplyRule rule = rule_of("MULTI; INCR a; INCR b; EXEC");
  EXPECT_EQ(rule.replies, 4);
  EXPECT_EQ(rule.meaning, ReplyMeaning::kTransaction);
  EXPECT_EQ(classify_in_transaction(false, kQueued), Outcome::kOk);
  EXPECT_EQ(classify_in_transaction(false, error("OOM x")), Outcome::kRejected);
  EXPECT_EQ(classify_in_transaction(false, error("ERR x")), Outcome::kError);
  EXPECT_EQ(classify_in_transaction(false, bulk(1)), Outcome::kError);
  EXPECT_EQ(classify_in_transaction(true, array(2)), Outcome::kOk);
  EXPECT_EQ(classify_in_transaction(true, array(2, 0, true)), Outcome::kError);
  EXPECT_EQ(classify_in_transaction(true, kNull), Outcome::kError);
  EXPECT_EQ(classify_in_transaction(true, error("EXECABORT x")), Outcome::kError);
}

}  // namespace
}  // namespace headroom::load
