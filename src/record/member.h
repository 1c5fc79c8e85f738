// The nodes that a target of several consists of, as telemetry watches them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headroom::record {

enum class MemberRole {
  kPrimary,
  kReplica,  // of its shard's primary
};

// "primary", "replica": what run files store.
[[nodiscard]] std::string_view member_role_name(MemberRole role);
[[nodiscard]] std::optional<MemberRole> member_role_from_name(std::string_view name);

// As it was when the run began: a replica may take its primary's place later.
struct Member {
  std::string name;         // "127.0.0.1:6401": what its samples are told apart by
  std::uint32_t shard = 1;  // from 1; without cluster mode all nodes are in one
  MemberRole role = MemberRole::kPrimary;
  friend bool operator==(const Member&, const Member&) = default;
};

}  // namespace headroom::record
