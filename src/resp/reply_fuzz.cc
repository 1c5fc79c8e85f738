// Any bytes: no crash, no more taken than given, and a cut-off reply is never mistaken for another.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "resp/reply.h"
#include "resp/topology.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headroom;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto decoded = resp::decode_reply(input, {.text_bytes = 1U << 16U, .items = 1U << 10U});
  if (!decoded) return 0;
  const auto* whole = std::get_if<resp::Decoded>(&*decoded);
  if (whole == nullptr) return 0;
  check(whole->used > 0 && whole->used <= size, "a reply takes some of the input");
  check(!whole->reply.describe().empty(), "a reply has a description");
  const auto shorter = resp::decode_reply(input.substr(0, whole->used - 1));
  check(shorter && std::holds_alternative<resp::Incomplete>(*shorter),
        "a reply without its last byte is incomplete");
  // Whatever it is, as a cluster's map it is refused or read.
  for (const auto& topology : {resp::Topology::from_shards(whole->reply, {"asked", false}),
                               resp::Topology::from_slots(whole->reply, {"asked", true})}) {
    if (topology) check(topology->covered() <= resp::kSlots, "a slot is covered once");
  }
  return 0;
}
