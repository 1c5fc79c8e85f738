// Recognises RESP2 and RESP3 replies in a stream of bytes, skipping their bodies: for the hot path
// of the load engine, which wants to know what kind of reply came and where it ends, not what it
// holds. (resp/reply.h builds values; use that for control connections.)
//
// The parser is pure and incremental: it is fed whatever one read brought, any split of the stream
// gives the same replies, and all that it keeps between reads is its own small, fixed size.
//
// It is strict. Malformed are: an unknown type byte, a line that does not end in CR LF, a length
// that is no plain decimal (leading zeros, a sign other than the null's "-1"), a bulk longer than
// kMaxBulkBytes, a line longer than kMaxLineBytes, more than kMaxElements elements still to come,
// and RESP3's streamed strings and aggregates of unknown length ("$?"), which no server sends.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace headroom::resp {

enum class ReplyType : std::uint8_t {
  kSimple,   // +OK
  kError,    // -ERR ... or RESP3's bulk error
  kInteger,  // :1
  kBulk,     // $5 hello, and RESP3's verbatim string
  kNull,     // $-1, *-1, RESP3's _
  kArray,    // *2
  kMap,      // RESP3 from here on
  kSet,
  kPush,  // comes unasked: it answers no request
  kDouble,
  kBoolean,
  kBigNumber,
};

struct Reply {
  ReplyType type = ReplyType::kNull;
  // kSimple and kError: the text without its type byte and line end, cut at kMaxTextBytes. Points
  // into the fed buffer or the parser: valid until either changes. Empty for other types.
  std::string_view text;
  // kInteger: its value; kBoolean: 0 or 1; kBulk: the body's length in bytes; aggregates: the
  // number of elements (pairs of a map). Otherwise 0.
  std::int64_t number = 0;
  // Of aggregates, at any depth inside.
  std::int64_t nulls = 0;
  bool error_inside = false;
};

enum class ParseResult : std::uint8_t {
  kReply,      // a reply is complete
  kMore,       // all bytes were consumed inside a reply, or between two
  kMalformed,  // this is not RESP; the connection is beyond repair
};

// One per connection; not thread-safe.
class ReplyParser {
 public:
  static constexpr std::uint64_t kMaxBulkBytes = std::uint64_t{512}
                                                 << 20;  // the engines' own limit
  static constexpr std::uint64_t kMaxLineBytes = std::uint64_t{64} << 10;
  static constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 30;
  static constexpr std::size_t kMaxTextBytes = 96;

  // Consumes bytes from `at` up to the end of one reply, or up to `end`; moves `at` behind what it
  // consumed. On kReply, `reply` tells what it was. On kMalformed, `at` stands at the offending
  // byte, fault() says what is wrong with it, and the parser must be reset().
  [[nodiscard]] ParseResult next(const char*& at, const char* end, Reply& reply) {
    if (between_replies() && whole_reply(at, end, reply)) [[likely]] {
      return ParseResult::kReply;
    }
    return resume(at, end, reply);
  }

  // What was malformed: a phrase, "unknown type byte". Empty unless next() said so.
  [[nodiscard]] std::string_view fault() const { return fault_; }
  void reset() {
    std::string* const bodies = bodies_;
    *this = ReplyParser();
    bodies_ = bodies;
  }
  // From now on the body of a reply that is one bulk is left in `into`, which outlives the parser,
  // unless the whole reply lay in the bytes of one call of next(): then the body ends two bytes
  // before where that call stopped, and need not be in `into`.
  void keep_bodies(std::string* into) { bodies_ = into; }

 private:
  enum class Step : std::uint8_t {
    kType,        // at the first byte of an element
    kLine,        // inside its first line
    kLineFeed,    // behind the CR of that line
    kBody,        // inside a bulk body
    kBodyReturn,  // behind a bulk body
    kBodyFeed,    // behind the CR that follows it
  };

  // Nothing has been consumed of the next reply (but perhaps an attribute before it).
  [[nodiscard]] bool between_replies() const {
    return step_ == Step::kType && remaining_ == 1 && !typed_;
  }
  // The common replies, when they are whole in the buffer: a bulk, a null bulk, a short simple
  // string. False, with nothing consumed, for everything else.
  bool whole_reply(const char*& at, const char* end, Reply& reply);
  // The same of a bulk as long as the last one that came whole.
  bool usual_bulk(const char*& at, const char* end, Reply& reply) const;
  void note_usual(const char* at, std::ptrdiff_t header_bytes, std::uint64_t length);

  ParseResult resume(const char*& at, const char* end, Reply& reply);
  bool begin_element(char type);
  bool take_line(const char*& at, const char* end);
  bool take_line_byte(char byte);
  bool take_text(const char*& at, const char* end);
  bool end_line();
  bool end_length();
  void take_body(const char*& at, const char* end);
  void capture(const char* from, std::size_t bytes);
  bool malformed(std::string_view what) {
    fault_ = what;
    return false;
  }

  // Elements still to come, the present one included. An aggregate of n is one element done and n
  // more to come, so nesting of any depth needs no stack.
  std::uint64_t remaining_ = 1;
  std::uint64_t value_ = 0;       // the number in the present line
  std::uint64_t left_ = 0;        // bytes of the body still to come
  std::uint32_t line_bytes_ = 0;  // of the present line, without its type byte and line end
  Step step_ = Step::kType;
  char marker_ = 0;  // the present element's type byte
  bool negative_ = false;
  bool signed_ = false;
  bool typed_ = false;      // the reply's own element, not an attribute before it, has begun
  bool outermost_ = false;  // the present element is the reply itself
  std::uint8_t text_bytes_ = 0;
  Reply reply_;  // its text is set when it is handed out
  std::string_view fault_;
  // Of the last bulk that came whole, if its header ("$100" CR LF) fits into a word: the word, with
  // zeros behind it. Most loads read values of one length.
  std::uint64_t usual_header_ = 1;  // no word is, under no mask
  std::uint64_t usual_mask_ = 0;
  std::uint32_t usual_bytes_ = 0;  // of the whole reply
  std::uint32_t usual_length_ = 0;
  std::string* bodies_ = nullptr;  // not owned
  std::array<char, kMaxTextBytes> text_{};
};

inline bool ReplyParser::usual_bulk(const char*& at, const char* end, Reply& reply) const {
  std::uint64_t word = 0;
  if (end - at < static_cast<std::ptrdiff_t>(sizeof word)) return false;
  std::memcpy(&word, at, sizeof word);
  if ((word & usual_mask_) != usual_header_ || end - at < usual_bytes_) return false;
  const char* const reply_end = at + usual_bytes_;
  if (reply_end[-2] != '\r' || reply_end[-1] != '\n') return false;
  at = reply_end;
  reply = {ReplyType::kBulk, {}, usual_length_};
  return true;
}

inline void ReplyParser::note_usual(const char* at, std::ptrdiff_t header_bytes,
                                    std::uint64_t length) {
  static_assert(std::endian::native == std::endian::little);
  if (header_bytes >= static_cast<std::ptrdiff_t>(sizeof usual_header_)) return;
  usual_mask_ = (std::uint64_t{1} << (8 * static_cast<unsigned>(header_bytes))) - 1;
  std::memcpy(&usual_header_, at, sizeof usual_header_);
  usual_header_ &= usual_mask_;
  usual_length_ = static_cast<std::uint32_t>(length);
  usual_bytes_ = static_cast<std::uint32_t>(header_bytes) + usual_length_ + 2;
}

inline bool ReplyParser::whole_reply(const char*& at, const char* end, Reply& reply) {
  if (usual_bulk(at, end, reply)) [[likely]]
    return true;
  constexpr std::ptrdiff_t kShortest = 5;  // "+OK" CR LF, "$-1" CR LF
  if (end - at < kShortest) return false;
  if (*at == '$') {
    const char* digit = at + 1;
    std::uint64_t length = 0;
    // At most nine digits: kMaxBulkBytes has nine.
    const char* const last = end - digit > 9 ? digit + 9 : end;
    for (; digit != last && *digit >= '0' && *digit <= '9'; ++digit) {
      length = length * 10 + static_cast<std::uint64_t>(*digit - '0');
    }
    const auto digits = digit - (at + 1);
    if (digits == 0) {
      if (std::memcmp(at, "$-1\r\n", 5) != 0) return false;
      at += 5;
      reply = {ReplyType::kNull, {}, 0};
      return true;
    }
    if (length > kMaxBulkBytes || (digits > 1 && at[1] == '0')) return false;
    // Header's line end, body, body's line end.
    if (static_cast<std::uint64_t>(end - digit) < length + 4) return false;
    const char* const body_end = digit + 2 + length;
    if (digit[0] != '\r' || digit[1] != '\n' || body_end[0] != '\r' || body_end[1] != '\n') {
      return false;
    }
    if (body_end + 2 - at >= 8) note_usual(at, digit + 2 - at, length);
    at = body_end + 2;
    reply = {ReplyType::kBulk, {}, static_cast<std::int64_t>(length)};
    return true;
  }
  if (std::memcmp(at, "+OK\r\n", 5) == 0) {
    reply = {ReplyType::kSimple, {at + 1, 2}, 0};
    at += 5;
    return true;
  }
  return false;
}

}  // namespace headroom::resp
