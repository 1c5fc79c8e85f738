// A plain blocking client for tests: sends bytes, reads bytes, times what it did.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/file.h"
#include "base/result.h"
#include "net/address.h"

namespace headroom::testing {

// "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n"
[[nodiscard]] std::string encode(std::initializer_list<std::string_view> arguments);

// Every call ends within kPatience; what did not come by then is missing from what is returned. Not
// thread-safe.
class RawClient {
 public:
  static constexpr Nanos kPatience = std::chrono::seconds{10};

  [[nodiscard]] static Result<RawClient> connect(const net::Address& address);

  // False if the connection is broken.
  bool send(std::string_view bytes);
  // Exactly `size` bytes, or fewer if the server closed the connection.
  [[nodiscard]] std::string read(std::size_t size);
  // Everything up to the server's close.
  [[nodiscard]] std::string read_to_end();
  // Sends a request and reads as many bytes as `expected` has: compare them.
  [[nodiscard]] std::string ask(std::initializer_list<std::string_view> arguments,
                                std::string_view expected);
  // Sends a request whose reply is a bulk string and returns its body.
  [[nodiscard]] std::string ask_bulk(std::initializer_list<std::string_view> arguments);
  // When the last byte that read() returned was there: the clock just after the call that brought
  // it.
  [[nodiscard]] Nanos last_read() const { return last_read_; }

 private:
  explicit RawClient(UniqueFd fd) : fd_(std::move(fd)) {}
  [[nodiscard]] bool receive();  // one read into buffer_; false at the end

  UniqueFd fd_;
  std::string buffer_;
  Nanos last_read_{0};
};

}  // namespace headroom::testing
