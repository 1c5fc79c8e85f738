// A cluster's slots: which shard serves a key, and what a node says about that. Pure.
//
// Formats: the engines' cluster specification (hash slots, CLUSTER SHARDS, CLUSTER SLOTS, MOVED and
// ASK redirections), for RESP2 and RESP3.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/address.h"
#include "resp/reply.h"

namespace headroom::resp {

inline constexpr std::size_t kSlots = 16'384;

// CRC-16/XMODEM of the key modulo kSlots; if the key has a '{' and a '}' somewhere behind it with
// something between them, only that something counts (a hash tag), of the first '{' and the first
// '}' behind it.
[[nodiscard]] std::uint16_t slot_of(std::string_view key);

struct SlotRange {
  std::uint16_t first = 0;
  std::uint16_t last = 0;  // inclusive
  friend bool operator==(const SlotRange&, const SlotRange&) = default;
};

struct Shard {
  net::Address primary;
  std::vector<net::Address> replicas;  // those that are online
  std::vector<SlotRange> slots;
};

// How to read the addresses in a node's answer.
struct AddressContext {
  std::string asked_host;  // stands in where a node does not know its own
  bool tls = false;        // take the TLS ports
};

class Topology {
 public:
  // From the replies to CLUSTER SHARDS and to CLUSTER SLOTS (engines before 7.0 have only that).
  // Errors (kTarget) say what is wrong with the reply: malformed, a slot served twice. Slots that
  // no shard serves are no error here: covered() tells.
  [[nodiscard]] static Result<Topology> from_shards(const Reply& reply,
                                                    const AddressContext& context);
  [[nodiscard]] static Result<Topology> from_slots(const Reply& reply,
                                                   const AddressContext& context);

  [[nodiscard]] const std::vector<Shard>& shards() const { return shards_; }
  // Index into shards(); nullopt: the slot is not served.
  [[nodiscard]] std::optional<std::size_t> shard_of(std::uint16_t slot) const {
    const std::uint16_t shard = shard_of_[slot];
    return shard == kNoShard ? std::nullopt : std::optional<std::size_t>(shard);
  }
  // How many slots are served.
  [[nodiscard]] std::size_t covered() const;

 private:
  static constexpr std::uint16_t kNoShard = 0xffff;

  Topology() { shard_of_.fill(kNoShard); }
  [[nodiscard]] Status add(Shard shard);

  std::vector<Shard> shards_;
  std::array<std::uint16_t, kSlots> shard_of_{};
};

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
