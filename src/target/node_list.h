// The local nodes of this user on this machine: those that live, and what those left behind whose
// owner was killed.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "target/cgroup.h"

namespace headroom::target {

// What a node's owner writes into its directory once it answers, for others to read.
struct NodeCard {
  pid_t owner = -1;
  std::string owner_start_time;  // target/process.h
  pid_t engine = -1;
  std::string address;
  std::string what;  // "valkey 9.1.2 as cache.t4g.micro at scale 0.125", a line
};
[[nodiscard]] std::string print_card(const NodeCard& card);
[[nodiscard]] std::optional<NodeCard> parse_card(std::string_view text);
[[nodiscard]] Status write_card(const std::filesystem::path& directory, const NodeCard& card);

struct FoundNode {
  std::string name;  // "headroom-node-x1y2z3"
  std::optional<std::filesystem::path> directory;
  bool alive = false;  // its owner is there and will take it down
  std::optional<NodeCard> card;
  std::vector<AbandonedGroup> groups;  // of one whose owner is dead
  std::vector<pid_t> processes;        // of the same: in its groups or its directory
};

// Sorted by name. Sees what this user may see.
[[nodiscard]] std::vector<FoundNode> find_nodes();
// Ends what is left of a node whose owner is dead, and removes it. Any number of processes may do
// so at the same time. kTeardown names what is still there.
[[nodiscard]] Status clear_node(const FoundNode& node);
// Asks the owner of a living node to take it down (SIGTERM) and waits until it is gone. kTeardown
// if it is not by `deadline` (of real_clock()).
[[nodiscard]] Status end_node(const FoundNode& node, Nanos deadline);

// clear_node() of every node whose owner is dead; those that are gone, a line each.
[[nodiscard]] std::vector<std::string> clear_abandoned_nodes();

}  // namespace headroom::target
