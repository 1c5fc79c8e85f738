// Cuts a client's bytes into requests, as a server sees them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace headroom::scripted {

// Takes RESP arrays of bulk strings and inline commands, split over reads anywhere. Keeps at most
// kLongestRequest and what one feed() brought. Not thread-safe.
class RequestReader {
 public:
  static constexpr std::size_t kLongestRequest = std::size_t{64} << 20U;

  using Arguments = std::vector<std::string>;

  void feed(std::string_view bytes);
  // The next whole request; nullopt when more bytes are needed. After an error the bytes that
  // follow have no meaning, and the connection is to be closed.
  [[nodiscard]] Result<std::optional<Arguments>> next();

 private:
  [[nodiscard]] Result<std::optional<Arguments>> next_array();

  std::string buffer_;
  std::size_t at_ = 0;  // where the next request begins in buffer_
};

}  // namespace headroom::scripted
