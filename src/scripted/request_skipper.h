// Recognises requests in a client's bytes and skips what they hold: for a server that must never be
// what limits a load. (scripted/request_reader.h keeps the arguments.)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace headroom::scripted {

// Takes RESP arrays of bulk strings, split over reads anywhere; keeps a few bytes between reads,
// whatever comes. One per connection; not thread-safe.
class RequestSkipper {
 public:
  // As the engines limit them by default.
  static constexpr std::uint64_t kMostArguments = 1024 * 1024;
  static constexpr std::uint64_t kLongestArgument = 512 * 1024 * 1024;

  // Calls `done(first)` for each request that `bytes` completes, with the first byte of its command
  // ('\0' of an empty one). False if this is no RESP array of bulk strings: what follows has no
  // meaning, and the connection is to be closed.
  template <class Done>
  [[nodiscard]] bool feed(std::string_view bytes, Done&& done);

 private:
  enum class State : std::uint8_t { kStar, kCount, kDollar, kLength, kLineFeed, kBody };

  // Takes one byte of a number that ends in CR LF.
  [[nodiscard]] bool number_byte(char byte, std::uint64_t most);

  State state_ = State::kStar;
  State after_line_ = State::kDollar;  // of kLineFeed
  bool is_command_ = false;            // the next body is the request's first argument
  bool has_digits_ = false;
  char first_ = '\0';
  std::uint64_t number_ = 0;
  std::uint64_t arguments_ = 0;  // still to come
  std::uint64_t body_ = 0;       // bytes still to come, CR LF included
};

inline bool RequestSkipper::number_byte(char byte, std::uint64_t most) {
  if (byte == '\r') {
    if (!has_digits_) return false;
    after_line_ = state_ == State::kCount ? State::kDollar : State::kBody;
    state_ = State::kLineFeed;
    return true;
  }
  if (byte < '0' || byte > '9') return false;
  number_ = 10 * number_ + static_cast<std::uint64_t>(byte - '0');
  has_digits_ = true;
  return number_ <= most;
}

template <class Done>
bool RequestSkipper::feed(std::string_view bytes, Done&& done) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    if (state_ == State::kBody) {
      if (is_command_ && body_ > 2) first_ = bytes[at];
      is_command_ = false;
      const std::uint64_t taken = std::min<std::uint64_t>(body_, bytes.size() - at);
      at += static_cast<std::size_t>(taken);
      body_ -= taken;
      if (body_ > 0) return true;
      state_ = --arguments_ == 0 ? State::kStar : State::kDollar;
      if (arguments_ == 0) done(first_);
      continue;
    }
    const char byte = bytes[at++];
    switch (state_) {
      case State::kStar:
        if (byte != '*') return false;
        state_ = State::kCount;
        number_ = 0;
        has_digits_ = false;
        break;
      case State::kCount:
        if (!number_byte(byte, kMostArguments)) return false;
        break;
      case State::kDollar:
        if (byte != '$') return false;
        state_ = State::kLength;
        number_ = 0;
        has_digits_ = false;
        break;
      case State::kLength:
        if (!number_byte(byte, kLongestArgument)) return false;
        break;
      case State::kLineFeed:
        if (byte != '\n') return false;
        if (after_line_ == State::kDollar) {
          if (number_ == 0) return false;
          arguments_ = number_;
          is_command_ = true;
          first_ = '\0';
        } else {
          body_ = number_ + 2;
        }
        state_ = after_line_;
        break;
      case State::kBody:
        break;  // above
    }
  }
  return true;
}

}  // namespace headroom::scripted
