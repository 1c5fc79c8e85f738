// A real cluster of engines on this machine's loopback, which a test started and can maltreat.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/result.h"
#include "base/subprocess.h"
#include "net/address.h"
#include "resp/reply.h"

namespace headroom::support {

struct ClusterShape {
  std::size_t shards = 3;
  std::size_t replicas = 0;  // of each
  std::chrono::milliseconds node_timeout{2000};
};

// One owner thread. Every engine ends with the object.
class Cluster {
 public:
  // Starts the engines, joins them, and waits until all agree that all slots are served and every
  // replica is in sync.
  [[nodiscard]] static Result<Cluster> start(const std::filesystem::path& program,
                                             const ClusterShape& shape);
  Cluster(Cluster&&) = default;
  Cluster& operator=(Cluster&&) = default;

  // The primaries come first, in the order of their slots, then the replicas of each in turn.
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] const net::Address& address(std::size_t node) const { return nodes_[node].address; }
  [[nodiscard]] std::string name(std::size_t node) const { return address(node).text(); }
  void kill(std::size_t node);  // with SIGKILL

  // One command to one node, answered or the test's own failure in words.
  [[nodiscard]] Result<resp::ReplyTree> ask(std::size_t node,
                                            const std::vector<std::string>& words) const;
  // INFO's field as a number; 0 if it is not there.
  [[nodiscard]] std::uint64_t info(std::size_t node, const std::string& field) const;
  // Moves a range of slots with all of their keys from one primary to another, slot by slot, as
  // redis-cli does: SETSLOT IMPORTING and MIGRATING, MIGRATE, SETSLOT NODE.
  [[nodiscard]] Status move_slots(std::size_t from, std::size_t to, std::uint16_t first,
                                  std::uint16_t last) const;

 private:
  struct Node {
    std::unique_ptr<Subprocess> process;
    net::Address address;
    std::string id;
  };
  Cluster(TempDir directory, std::size_t shards)
      : directory_(std::move(directory)), shards_(shards) {}

  [[nodiscard]] Status start_node(const std::filesystem::path& program, const ClusterShape& shape);
  [[nodiscard]] Status join(const ClusterShape& shape);
  [[nodiscard]] bool is_whole() const;
  [[nodiscard]] Status expect_ok(std::size_t node, const std::vector<std::string>& words) const;

  TempDir directory_;
  std::size_t shards_;
  std::vector<Node> nodes_;
};

}  // namespace headroom::support
