#include "resp/reply.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "base/text.h"

namespace headroom::resp {
namespace {

// A recursive-descent decoder over one input. Each member consumes what it reads; `nullopt` inside
// a Result means that the input ended first.
class Decoder {
 public:
  Decoder(std::string_view input, const DecodeLimits& limits) : input_(input), limits_(limits) {}

  Result<std::optional<ReplyTree>> value(std::size_t depth);
  [[nodiscard]] std::size_t used() const { return position_; }

 private:
  template <class T>
  using Partial = Result<std::optional<T>>;

  Partial<std::string_view> line();
  Partial<std::int64_t> number();
  Partial<std::int64_t> length(std::size_t limit, std::string_view what);
  Partial<ReplyTree> scalar(char type);
  Partial<ReplyTree> bulk(char type);
  Partial<ReplyTree> aggregate(char type, std::size_t depth);
  Partial<ReplyTree> after_attributes(std::size_t depth);

  [[nodiscard]] std::string_view rest() const { return input_.substr(position_); }

  std::string_view input_;
  const DecodeLimits& limits_;
  std::size_t position_ = 0;
  std::size_t items_ = 0;  // read so far, at all depths
};

tl::unexpected<Error> malformed(std::string_view what, std::string_view bytes) {
  return fail(ErrorKind::kTarget, "{}: \"{}\"", what, printable(bytes, 60));
}

// The protocol allows a plus before a number; std::from_chars does not.
std::string_view without_plus(std::string_view number) {
  const bool plus = number.size() > 1 && number[0] == '+' && number[1] >= '0' && number[1] <= '9';
  return number.substr(plus ? 1 : 0);
}

ReplyTree text_reply(ReplyTree::Kind kind, std::string_view text) {
  ReplyTree reply;
  reply.kind = kind;
  reply.text = text;
  return reply;
}

Result<std::optional<std::string_view>> Decoder::line() {
  const std::size_t end = rest().find('\n');
  if (end == std::string_view::npos) {
    if (rest().size() > limits_.line_bytes) return malformed("a line without an end", rest());
    return std::nullopt;
  }
  const std::string_view text = rest().substr(0, end);
  if (end > limits_.line_bytes) return malformed("a line that is too long", text);
  if (!text.ends_with('\r')) return malformed("a line that does not end in CR LF", text);
  position_ += end + 1;
  return text.substr(0, text.size() - 1);
}

Result<std::optional<std::int64_t>> Decoder::number() {
  const auto text = line();
  if (!text) return fail(text.error());
  if (!*text) return std::nullopt;
  const std::string_view digits = without_plus(**text);
  std::int64_t result = 0;
  const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), result);
  if (failure != std::errc{} || end != digits.data() + digits.size()) {
    return malformed("not an integer", **text);
  }
  return result;
}

// The length of a bulk string or the count of an aggregate: -1 (RESP2's null) or 0 to `limit`.
Result<std::optional<std::int64_t>> Decoder::length(std::size_t limit, std::string_view what) {
  auto result = number();
  if (!result || !*result) return result;
  if (**result < -1) return fail(ErrorKind::kTarget, "a {} of {}", what, **result);
  if (**result > static_cast<std::int64_t>(limit)) {
    return fail(ErrorKind::kTarget, "a {} of {}, at most {} is allowed", what, **result, limit);
  }
  return result;
}

std::optional<double> parse_double(std::string_view text) {
  if (text == "inf" || text == "+inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  text = without_plus(text);
  double result = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return result;
}

// Everything that fits on its line: + - : _ # , (
Result<std::optional<ReplyTree>> Decoder::scalar(char type) {
  ReplyTree reply;
  if (type == ':') {
    const auto integer = number();
    if (!integer) return fail(integer.error());
    if (!*integer) return std::nullopt;
    reply.kind = ReplyTree::Kind::kInteger;
    reply.integer = **integer;
    return reply;
  }
  const auto text = line();
  if (!text) return fail(text.error());
  if (!*text) return std::nullopt;
  switch (type) {
    case '+':
    case '(':
      return text_reply(ReplyTree::Kind::kString, **text);
    case '-':
      return text_reply(ReplyTree::Kind::kError, **text);
    case '#':
      if (**text != "t" && **text != "f") return malformed("not a boolean", **text);
      reply.kind = ReplyTree::Kind::kBoolean;
      reply.integer = **text == "t" ? 1 : 0;
      return reply;
    case ',': {
      const auto real = parse_double(**text);
      if (!real) return malformed("not a double", **text);
      reply.kind = ReplyTree::Kind::kDouble;
      reply.real = *real;
      return reply;
    }
    default:  // '_'
      if (!(*text)->empty()) return malformed("a null with content", **text);
      return reply;
  }
}

// Strings with a length before them: $ (string), = (verbatim), ! (error).
Result<std::optional<ReplyTree>> Decoder::bulk(char type) {
  const auto size = length(limits_.text_bytes, "string length");
  if (!size) return fail(size.error());
  if (!*size) return std::nullopt;
  if (**size < 0) return ReplyTree{};
  const auto bytes = static_cast<std::size_t>(**size);
  if (rest().size() < bytes + 2) return std::nullopt;
  std::string_view text = rest().substr(0, bytes);
  if (rest().substr(bytes, 2) != "\r\n") {
    return malformed("a string that does not end where its length says", rest().substr(bytes, 2));
  }
  position_ += bytes + 2;
  if (type == '=') {  // "txt:" or "mkd:" comes first
    if (text.size() < 4 || text[3] != ':')
      return malformed("a verbatim string without format", text);
    text.remove_prefix(4);
  }
  return text_reply(type == '!' ? ReplyTree::Kind::kError : ReplyTree::Kind::kString, text);
}

// * (array), ~ (set), > (push), % (map), | (attributes)
Result<std::optional<ReplyTree>> Decoder::aggregate(char type, std::size_t depth) {
  if (depth >= limits_.depth) {
    return fail(ErrorKind::kTarget, "values nested deeper than {}", limits_.depth);
  }
  const auto declared = length(limits_.items, "count of items");
  if (!declared) return fail(declared.error());
  if (!*declared) return std::nullopt;
  ReplyTree reply;
  if (**declared < 0) return reply;
  const bool pairs = type == '%' || type == '|';
  const auto count = static_cast<std::size_t>(**declared) * (pairs ? 2 : 1);
  items_ += count;
  if (items_ > limits_.items) {
    return fail(ErrorKind::kTarget, "a reply of more than {} items", limits_.items);
  }
  reply.kind = pairs         ? ReplyTree::Kind::kMap
               : type == '>' ? ReplyTree::Kind::kPush
                             : ReplyTree::Kind::kArray;
  // No reserve(): a count is only a claim until its items have come.
  for (std::size_t i = 0; i < count; ++i) {
    auto item = value(depth + 1);
    if (!item || !*item) return item;
    reply.items.push_back(std::move(**item));
  }
  return reply;
}

// Attributes are remarks about the reply that follows them; nobody here needs them.
Result<std::optional<ReplyTree>> Decoder::after_attributes(std::size_t depth) {
  auto attributes = aggregate('|', depth);
  if (!attributes || !*attributes) return attributes;
  return value(depth + 1);
}

Result<std::optional<ReplyTree>> Decoder::value(std::size_t depth) {
  if (rest().empty()) return std::nullopt;
  const char type = rest().front();
  switch (type) {
    case '+':
    case '-':
    case ':':
    case '_':
    case '#':
    case ',':
    case '(':
      ++position_;
      return scalar(type);
    case '$':
    case '=':
    case '!':
      ++position_;
      return bulk(type);
    case '*':
    case '~':
    case '>':
    case '%':
      ++position_;
      return aggregate(type, depth);
    case '|':
      ++position_;
      return after_attributes(depth);
    default:
      return malformed("not a reply of a Valkey or Redis server", rest());
  }
}

}  // namespace

std::string ReplyTree::describe() const {
  switch (kind) {
    case Kind::kString:
      return fmt::format("\"{}\"", printable(text));
    case Kind::kError:
      return fmt::format("the error \"{}\"", printable(text));
    case Kind::kInteger:
      return fmt::format("the integer {}", integer);
    case Kind::kDouble:
      return fmt::format("the number {}", real);
    case Kind::kBoolean:
      return integer != 0 ? "true" : "false";
    case Kind::kNull:
      return "a null";
    case Kind::kArray:
      return fmt::format("an array of {}", items.size());
    case Kind::kMap:
      return fmt::format("a map of {}", items.size() / 2);
    case Kind::kPush:
      return fmt::format("a push of {}", items.size());
  }
  return "a reply";
}

Result<std::variant<Incomplete, Decoded>> decode_reply(std::string_view input,
                                                       const DecodeLimits& limits) {
  Decoder decoder(input, limits);
  auto reply = decoder.value(0);
  if (!reply) return fail(std::move(reply.error()));
  if (!*reply) return Incomplete{};
  return Decoded{std::move(**reply), decoder.used()};
}

}  // namespace headroom::resp
