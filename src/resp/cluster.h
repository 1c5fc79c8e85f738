// A cluster's slots: which one a key has, and the answers that name another node for it. Pure.
//
// Formats: the engines' cluster specification (hash slots, MOVED and ASK redirections).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "net/address.h"

namespace headroom::resp {

inline constexpr std::size_t kSlots = 16'384;

// CRC-16/XMODEM modulo kSlots, of a text that comes in pieces: a key without a hash tag, or what
// stands in the tag.
class SlotHash {
 public:
  void add(std::string_view text);
  [[nodiscard]] std::uint16_t slot() const { return static_cast<std::uint16_t>(crc_ % kSlots); }

 private:
  unsigned crc_ = 0;
};

// CRC-16/XMODEM of the key modulo kSlots; if the key has a '{' and a '}' somewhere behind it with
// something between them, only that something counts (a hash tag), of the first '{' and the first
// '}' behind it.
[[nodiscard]] std::uint16_t slot_of(std::string_view key);

struct SlotRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0;  // inclusive
  friend bool operator==(const SlotRange&, const SlotRange&) = default;
};

// How to read the addresses in a node's answer.
struct AddressContext {
  std::string asked_host;  // stands in where a node does not know its own
  bool tls = false;        // take the TLS ports
};

// The host that a node names, or the one that was asked if it names none.
[[nodiscard]] std::string host_or_asked(std::string_view host, const AddressContext& context);

// An error reply that sends the request to another node.
struct Redirection {
  bool ask = false;  // ASK: only this request, after ASKING; else MOVED: the map has changed
  std::uint16_t slot = 0;
  net::Address address;
};

// `error` is the reply's text without the leading '-'. nullopt: it is no redirection, or a
// malformed one.
[[nodiscard]] std::optional<Redirection> read_redirection(std::string_view error,
                                                          const AddressContext& context);

}  // namespace headroom::resp
