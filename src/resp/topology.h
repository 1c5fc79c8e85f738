// Which shard of a cluster serves which slots, as its nodes tell it. Pure.
//
// Formats: the engines' CLUSTER SHARDS and CLUSTER SLOTS, for RESP2 and RESP3.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "net/address.h"
#include "resp/cluster.h"
#include "resp/reply.h"

namespace headroom::resp {

struct Shard {
  net::Address primary;
  std::vector<net::Address> replicas;  // those that are online
  std::vector<SlotRange> slots;
};

class Topology {
 public:
  // From the replies to CLUSTER SHARDS and to CLUSTER SLOTS (engines before 7.0 have only that).
  // Errors (kTarget) say what is wrong with the reply: malformed, a slot served twice. Slots that
  // no shard serves are no error here: covered() tells.
  [[nodiscard]] static Result<Topology> from_shards(const ReplyTree& reply,
                                                    const AddressContext& context);
  [[nodiscard]] static Result<Topology> from_slots(const ReplyTree& reply,
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

}  // namespace headroom::resp
