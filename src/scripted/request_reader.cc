#include "scripted/request_reader.h"

#include <charconv>
#include <cstdint>
#include <utility>

#include "base/text.h"

namespace headroom::scripted {
namespace {

// Below what the engines allow: whoever holds a client against a script needs no more.
constexpr std::int64_t kMostArguments = 64 * 1024;
constexpr std::int64_t kLongestArgument = RequestReader::kLongestRequest;
constexpr std::size_t kLongestLine = 64 * 1024;

// Reads what was fed, without using it up until a request is whole.
class Cursor {
 public:
  Cursor(std::string_view bytes, std::size_t at) : bytes_(bytes), at_(at) {}

  [[nodiscard]] std::size_t at() const { return at_; }

  // The text up to the next line end, which is passed over; nullopt when it has not come yet.
  std::optional<std::string_view> line() {
    const std::size_t end = bytes_.find('\n', at_);
    if (end == std::string_view::npos) return std::nullopt;
    std::string_view text = bytes_.substr(at_, end - at_);
    if (text.ends_with('\r')) text.remove_suffix(1);
    at_ = end + 1;
    return text;
  }

  // `size` bytes and the line end behind them.
  std::optional<std::string_view> bulk(std::size_t size) {
    if (bytes_.size() - at_ < size + 2) return std::nullopt;
    const std::string_view text = bytes_.substr(at_, size);
    at_ += size + 2;
    return text;
  }

 private:
  std::string_view bytes_;
  std::size_t at_;
};

std::optional<std::int64_t> integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

RequestReader::Arguments inline_arguments(std::string_view line) {
  RequestReader::Arguments arguments;
  for (const std::string_view word : split(line, ' ')) {
    if (!word.empty()) arguments.emplace_back(word);
  }
  return arguments;
}

}  // namespace

void RequestReader::feed(std::string_view bytes) {
  if (at_ > 0) {
    buffer_.erase(0, at_);
    at_ = 0;
  }
  buffer_.append(bytes);
}

Result<std::optional<RequestReader::Arguments>> RequestReader::next() {
  while (at_ < buffer_.size()) {
    if (buffer_[at_] == '*') return next_array();
    Cursor cursor(buffer_, at_);
    const std::optional<std::string_view> line = cursor.line();
    if (!line) {
      if (buffer_.size() - at_ > kLongestLine) {
        return fail(ErrorKind::kTarget, "Protocol error: too big inline request");
      }
      return std::nullopt;
    }
    Arguments arguments = inline_arguments(*line);
    at_ = cursor.at();
    if (!arguments.empty()) return arguments;  // an empty line asks for nothing
  }
  return std::nullopt;
}

Result<std::optional<RequestReader::Arguments>> RequestReader::next_array() {
  if (buffer_.size() - at_ > kLongestRequest + kLongestLine) {
    return fail(ErrorKind::kTarget, "Protocol error: too big request");
  }
  Cursor cursor(buffer_, at_);
  const std::optional<std::string_view> header = cursor.line();
  if (!header) return std::nullopt;
  const std::optional<std::int64_t> count = integer(header->substr(1));
  if (!count || *count < 1 || *count > kMostArguments) {
    return fail(ErrorKind::kTarget, "Protocol error: invalid multibulk length");
  }
  // Copied only once all are there: a request that comes in many reads is looked at as often.
  std::vector<std::string_view> texts;
  for (std::int64_t i = 0; i < *count; ++i) {
    const std::optional<std::string_view> line = cursor.line();
    if (!line) return std::nullopt;
    if (!line->starts_with('$')) {
      return fail(ErrorKind::kTarget, "Protocol error: expected '$', got '{}'",
                  printable(line->substr(0, 1)));
    }
    const std::optional<std::int64_t> size = integer(line->substr(1));
    if (!size || *size < 0 || *size > kLongestArgument) {
      return fail(ErrorKind::kTarget, "Protocol error: invalid bulk length");
    }
    const std::optional<std::string_view> text = cursor.bulk(static_cast<std::size_t>(*size));
    if (!text) return std::nullopt;
    texts.push_back(*text);
  }
  at_ = cursor.at();
  return Arguments(texts.begin(), texts.end());
}

}  // namespace headroom::scripted
