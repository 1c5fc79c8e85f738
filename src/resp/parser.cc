#include "resp/parser.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace headroom::resp {
namespace {

constexpr bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }

// Describes the element behind it, and is none itself.
constexpr char kAttribute = '|';

constexpr std::optional<ReplyType> type_of(char type) {
  constexpr std::pair<char, ReplyType> kTypes[] = {
      {'+', ReplyType::kSimple},  {'-', ReplyType::kError},    {'!', ReplyType::kError},
      {':', ReplyType::kInteger}, {'$', ReplyType::kBulk},     {'=', ReplyType::kBulk},
      {'*', ReplyType::kArray},   {'%', ReplyType::kMap},      {'~', ReplyType::kSet},
      {'>', ReplyType::kPush},    {'_', ReplyType::kNull},     {',', ReplyType::kDouble},
      {'#', ReplyType::kBoolean}, {'(', ReplyType::kBigNumber}};
  for (const auto& [byte, reply_type] : kTypes) {
    if (byte == type) return reply_type;
  }
  return std::nullopt;
}

// Elements whose first line is a length or a count.
constexpr bool has_length(char marker) {
  return std::string_view("$=!*%~>|").find(marker) != std::string_view::npos;
}

constexpr bool has_body(char marker) { return marker == '$' || marker == '=' || marker == '!'; }

}  // namespace

ParseResult ReplyParser::resume(const char*& at, const char* end, Reply& reply) {
  while (at != end) {
    bool good = true;
    switch (step_) {
      case Step::kType:
        good = begin_element(*at);
        if (good) ++at;
        break;
      case Step::kLine:
        good = take_line(at, end);
        break;
      case Step::kLineFeed:
        good = *at == '\n' ? end_line() : malformed("a line does not end in CR LF");
        if (good) ++at;
        break;
      case Step::kBody:
        take_body(at, end);
        break;
      case Step::kBodyReturn:
        good = *at == '\r' || malformed("a bulk is longer than its length says");
        if (good) {
          ++at;
          step_ = Step::kBodyFeed;
        }
        break;
      case Step::kBodyFeed:
        good = *at == '\n' || malformed("a bulk is longer than its length says");
        if (good) {
          ++at;
          step_ = Step::kType;
          --remaining_;
        }
        break;
    }
    if (!good) return ParseResult::kMalformed;
    if (remaining_ == 0) {
      reply = reply_;
      reply.text = {text_.data(), text_bytes_};
      remaining_ = 1;
      typed_ = false;
      return ParseResult::kReply;
    }
  }
  return ParseResult::kMore;
}

// Notes the type byte; the element's line follows.
bool ReplyParser::begin_element(char type) {
  const std::optional<ReplyType> reply_type = type_of(type);
  if (!reply_type && type != kAttribute) return malformed("unknown type byte");
  marker_ = type;
  value_ = 0;
  line_bytes_ = 0;
  negative_ = false;
  signed_ = false;
  // What comes first at the outermost level and is no attribute is the reply itself. (While an
  // attribute's own elements pass, remaining_ is above 1.)
  outermost_ = !typed_ && remaining_ == 1 && type != kAttribute;
  if (outermost_) {
    typed_ = true;
    reply_ = {*reply_type, {}, 0};
    text_bytes_ = 0;
    if (bodies_ != nullptr) bodies_->clear();
  } else if (type == '-' || type == '!') {
    reply_.error_inside = true;
  } else if (type == '_') {
    ++reply_.nulls;
  }
  step_ = Step::kLine;
  return true;
}

// Consumes line bytes up to and including the CR.
bool ReplyParser::take_line(const char*& at, const char* end) {
  if (marker_ == '+' || marker_ == '-') return take_text(at, end);
  for (; at != end; ++at) {
    if (*at == '\r') {
      ++at;
      step_ = Step::kLineFeed;
      return true;
    }
    if (!take_line_byte(*at)) return false;
    if (++line_bytes_ > kMaxLineBytes) return malformed("a line is too long");
  }
  return true;
}

bool ReplyParser::take_text(const char*& at, const char* end) {
  // One byte more than a line may have is enough to see that it is too long.
  const std::uint64_t room = kMaxLineBytes - line_bytes_ + 1;
  const auto available = static_cast<std::uint64_t>(end - at);
  const auto bytes = static_cast<std::size_t>(std::min(available, room));
  const void* const found = std::memchr(at, '\r', bytes);
  const auto text =
      found != nullptr ? static_cast<std::size_t>(static_cast<const char*>(found) - at) : bytes;
  if (const void* const feed = std::memchr(at, '\n', text); feed != nullptr) {
    at = static_cast<const char*>(feed);
    return malformed("a line does not end in CR LF");
  }
  if (line_bytes_ + text > kMaxLineBytes) {
    at += kMaxLineBytes - line_bytes_;
    return malformed("a line is too long");
  }
  if (outermost_) capture(at, text);
  line_bytes_ += static_cast<std::uint32_t>(text);
  at += text;
  if (found != nullptr) {
    ++at;
    step_ = Step::kLineFeed;
  }
  return true;
}

bool ReplyParser::take_line_byte(char byte) {
  switch (marker_) {
    case '_':
      return malformed("a null is not empty");
    case '#':
      if (line_bytes_ > 0 || (byte != 't' && byte != 'f')) {
        return malformed("a boolean is neither t nor f");
      }
      value_ = byte == 't' ? 1 : 0;
      return true;
    case ',': {
      constexpr std::string_view kOfNumbers = "0123456789+-.eEinfa";
      return kOfNumbers.find(byte) != std::string_view::npos || malformed("not a number");
    }
    default:
      break;
  }
  if (line_bytes_ == 0 && (byte == '-' || (byte == '+' && !has_length(marker_)))) {
    signed_ = true;
    negative_ = byte == '-';
    return true;
  }
  if (!is_digit(byte)) return malformed("not a number");
  if (marker_ == '(') return true;
  if (has_length(marker_) && value_ == 0 && line_bytes_ > (signed_ ? 1U : 0U)) {
    return malformed("a length has a leading zero");
  }
  const auto digit = static_cast<std::uint64_t>(byte - '0');
  // 2^63 - 1, and one more below zero.
  const std::uint64_t limit =
      std::uint64_t{std::numeric_limits<std::int64_t>::max()} + (negative_ ? 1 : 0);
  if (value_ > (limit - digit) / 10) return malformed("a number is out of range");
  value_ = value_ * 10 + digit;
  return true;
}

// The line is whole. What has no body is an element done.
bool ReplyParser::end_line() {
  if (has_length(marker_)) return end_length();
  const bool takes_text = marker_ == '+' || marker_ == '-' || marker_ == '_';
  if (!takes_text && line_bytes_ == (signed_ ? 1U : 0U)) return malformed("not a number");
  if (outermost_) {
    // Unsigned negation keeps the lowest number in range.
    reply_.number = static_cast<std::int64_t>(negative_ ? 0 - value_ : value_);
    if (marker_ == '(') reply_.number = 0;
  }
  step_ = Step::kType;
  --remaining_;
  return true;
}

bool ReplyParser::end_length() {
  step_ = Step::kType;
  if (line_bytes_ == (signed_ ? 1U : 0U)) return malformed("not a number");
  if (negative_) {
    if (value_ != 1 || (marker_ != '$' && marker_ != '*')) {
      return malformed("a length is negative");
    }
    if (outermost_) {
      reply_.type = ReplyType::kNull;
    } else {
      ++reply_.nulls;
    }
    --remaining_;
    return true;
  }
  if (outermost_) reply_.number = static_cast<std::int64_t>(value_);
  if (has_body(marker_)) {
    if (value_ > kMaxBulkBytes) return malformed("a bulk is longer than 512 MiB");
    if (outermost_ && marker_ == '!') reply_.number = 0;
    left_ = value_;
    step_ = left_ > 0 ? Step::kBody : Step::kBodyReturn;
    return true;
  }
  if (value_ > kMaxElements) return malformed("an aggregate has too many elements");
  const std::uint64_t elements = marker_ == '%' || marker_ == kAttribute ? 2 * value_ : value_;
  if (remaining_ + elements > kMaxElements) {
    return malformed("an aggregate has too many elements");
  }
  remaining_ += elements;
  if (marker_ != kAttribute) --remaining_;
  return true;
}

void ReplyParser::take_body(const char*& at, const char* end) {
  const auto available = static_cast<std::uint64_t>(end - at);
  const auto bytes = static_cast<std::size_t>(std::min(available, left_));
  if (outermost_ && marker_ == '!') capture(at, bytes);
  if (outermost_ && bodies_ != nullptr) bodies_->append(at, bytes);
  at += bytes;
  left_ -= bytes;
  if (left_ == 0) step_ = Step::kBodyReturn;
}

void ReplyParser::capture(const char* from, std::size_t bytes) {
  const std::size_t taken = std::min(bytes, kMaxTextBytes - text_bytes_);
  std::memcpy(text_.data() + text_bytes_, from, taken);
  text_bytes_ = static_cast<std::uint8_t>(text_bytes_ + taken);
}

}  // namespace headroom::resp
