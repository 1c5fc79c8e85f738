// What a fleet knows of a cluster: its nodes, and which of them serves each slot. One thread asks
// the cluster, when somebody wants it to; workers take what it found.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "net/address.h"
#include "resp/cluster.h"
#include "resp/server.h"

namespace headroom::resp {
class Topology;
}

namespace headroom::load {

// Constant once published. A node keeps its index for as long as the map lives.
struct ClusterView {
  static constexpr std::uint16_t kNobody = 0xffff;
  struct Node {
    std::string name;      // "host:port", as the cluster names it
    net::Address address;  // resolved
  };
  std::vector<Node> nodes;
  std::array<std::uint16_t, resp::kSlots> primaries{};  // by slot; kNobody: not served
  // By node, of the slots whose primary it is: those that can be read.
  std::vector<std::vector<std::uint16_t>> replicas;
  std::uint64_t version = 0;
};

// Thread-safe once start() has returned.
class ClusterMap {
 public:
  // The topology is asked for so often at most.
  static constexpr Nanos kRefreshEvery = std::chrono::milliseconds{100};
  // A node that does not answer within this is passed over for the next.
  static constexpr Nanos kRefreshPatience = std::chrono::seconds{1};

  // `seed` is any node; it says how the others are greeted, too. start() and count_keys() wait for
  // a node for `patience`. `changed` is called by the map's thread after it published
  // another view.
  ClusterMap(resp::Server seed, Nanos patience, std::function<void()> changed);
  ~ClusterMap();  // ends the thread
  ClusterMap(const ClusterMap&) = delete;
  ClusterMap& operator=(const ClusterMap&) = delete;

  // Reads the topology for the first time and starts the thread. Refuses (kTarget) a server that is
  // no cluster, and a cluster in which slots have no node.
  [[nodiscard]] Status start();

  [[nodiscard]] std::shared_ptr<const ClusterView> view() const;
  // Of the present view; costs next to nothing.
  [[nodiscard]] std::uint64_t version() const { return version_.load(std::memory_order_acquire); }
  // The present view seems to be wrong: have it read again.
  void refresh();
  // A node that the present view does not have: put it into the next one.
  void learn(const net::Address& address);

  // What DBSIZE of all primaries together says.
  [[nodiscard]] Result<std::uint64_t> count_keys() const;

 private:
  void serve();
  [[nodiscard]] bool is_stopping() const;
  [[nodiscard]] Result<resp::Topology> ask_anybody();
  [[nodiscard]] Result<resp::Topology> ask(const net::Address& address, Nanos patience) const;
  void publish(const resp::Topology& topology, const std::vector<net::Address>& learned);
  [[nodiscard]] resp::Server server_at(const net::Address& address) const;

  const resp::Server seed_;
  const Nanos patience_;
  const std::function<void()> changed_;
  std::atomic<std::uint64_t> version_{0};

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  // Guarded by mutex_.
  std::shared_ptr<const ClusterView> view_;
  std::vector<net::Address> learned_;
  bool wanted_ = false;
  bool stopping_ = false;

  std::size_t answering_ = 0;  // the map's thread: the node that answered last
  std::thread thread_;
};

}  // namespace headroom::load
