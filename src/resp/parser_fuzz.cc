// Any bytes: the parser never reads outside what it is fed, and a stream gives the same replies,
// the same end and the same number of bytes consumed however it is split.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "resp/parser.h"

namespace {

using headroom::check;
using headroom::resp::ParseResult;
using headroom::resp::Reply;
using headroom::resp::ReplyParser;
using headroom::resp::ReplyType;

struct Seen {
  ReplyType type{};
  std::string text;
  std::int64_t number = 0;
  friend bool operator==(const Seen&, const Seen&) = default;
};

struct Outcome {
  std::vector<Seen> replies;
  ParseResult end = ParseResult::kMore;
  std::size_t consumed = 0;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

// Feeds `bytes` in pieces of `piece` bytes, each in a block of its own.
Outcome parse(std::string_view bytes, std::size_t piece) {
  ReplyParser parser;
  Outcome outcome;
  for (std::size_t begin = 0; begin < bytes.size(); begin += piece) {
    const std::string_view part = bytes.substr(begin, piece);
    const auto block = std::make_unique<char[]>(part.size());
    part.copy(block.get(), part.size());
    const char* at = block.get();
    const char* const end = at + part.size();
    do {
      const char* const before = at;
      Reply reply;
      outcome.end = parser.next(at, end, reply);
      check(at >= before && at <= end, "the parser stays inside what it was fed");
      if (outcome.end == ParseResult::kReply) {
        check(at > before, "a reply ends with a byte");
        outcome.replies.push_back({reply.type, std::string(reply.text), reply.number});
      }
    } while (outcome.end == ParseResult::kReply);
    outcome.consumed += static_cast<std::size_t>(at - block.get());
    if (outcome.end == ParseResult::kMalformed) {
      check(!parser.fault().empty(), "a fault has a name");
      break;
    }
    check(at == end, "more is asked for only when all was consumed");
  }
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const Outcome whole = parse(bytes, size);
  check(parse(bytes, 1) == whole, "byte by byte gives the same");
  check(parse(bytes, 2 + data[0] % 7U) == whole, "any pieces give the same");
  return 0;
}
