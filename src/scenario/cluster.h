// Which hash slot of a cluster a request belongs to, as far as its text tells. Pure.
//
// The engines compute a key's slot from the key, or from its hash tag: what stands between the
// first '{' and the first '}' behind it, if that is anything.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/result.h"
#include "scenario/command_line.h"
#include "scenario/scenario.h"

namespace headroom::scenario {

// Is the target a cluster, whose slots the load has to follow?
[[nodiscard]] bool is_cluster(const Target& target);

// The text that the slot of a request is computed from: `before`, then the key that is drawn (if
// there is one in it), then `after`.
struct HashedText {
  std::string before;
  std::optional<std::size_t> key;  // WordPart::key
  std::string after;
  friend bool operator==(const HashedText&, const HashedText&) = default;
};

// That of a request of this line; nullopt: it has no key, and any node will do. Refuses (kUsage)
// what may be about several slots, and keys whose slot depends on a random number or on a value.
// The message has no key of the scenario: the caller adds it.
[[nodiscard]] Result<std::optional<HashedText>> hashed_text(const CommandLine& line);

// May a replica serve it? True if all of its commands only read.
[[nodiscard]] bool only_reads(const CommandLine& line);

}  // namespace headroom::scenario
