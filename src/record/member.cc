#include "record/member.h"

namespace headroom::record {

std::string_view member_role_name(MemberRole role) {
  return role == MemberRole::kPrimary ? "primary" : "replica";
}

std::optional<MemberRole> member_role_from_name(std::string_view name) {
  if (name == "primary") return MemberRole::kPrimary;
  if (name == "replica") return MemberRole::kReplica;
  return std::nullopt;
}

}  // namespace headroom::record
