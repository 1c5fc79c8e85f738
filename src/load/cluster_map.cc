#include "load/cluster_map.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "net/socket.h"
#include "resp/client.h"
#include "resp/topology.h"

namespace headroom::load {
namespace {

net::Address resolved(const net::Address& address) {
  auto found = net::resolve(address);
  // Whoever connects to it finds out why it cannot be resolved.
  return found && !found->empty() ? std::move(found->front()) : address;
}

// The index of the node of this address, which becomes one if it is none.
std::uint16_t node_at(ClusterView& view, const net::Address& address) {
  const std::string name = address.text();
  const auto found = std::ranges::find(view.nodes, name, &ClusterView::Node::name);
  const auto index = static_cast<std::uint16_t>(found - view.nodes.begin());
  if (found == view.nodes.end()) {
    view.nodes.push_back({name, resolved(address)});
    view.replicas.emplace_back();
  }
  return index;
}

}  // namespace

ClusterMap::ClusterMap(resp::Server seed, Nanos patience, std::function<void()> changed)
    : seed_(std::move(seed)), patience_(patience), changed_(std::move(changed)) {}

ClusterMap::~ClusterMap() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Status ClusterMap::start() {
  const auto topology = ask(seed_.address, patience_);
  if (!topology) return fail(topology.error());
  if (topology->covered() < resp::kSlots) {
    return fail(ErrorKind::kTarget,
                "{}: only {} of its cluster's {} slots have a node: give the others one (CLUSTER "
                "ADDSLOTSRANGE), or wait until it has settled",
                seed_.address.text(), grouped(topology->covered()), grouped(resp::kSlots));
  }
  publish(*topology, {});
  try {
    thread_ = std::thread([this] { serve(); });
  } catch (const std::system_error& error) {
    return fail(ErrorKind::kIncomplete, "cannot start the thread that follows the cluster: {}",
                error.what());
  }
  ::pthread_setname_np(thread_.native_handle(), "load-cluster");
  return {};
}

std::shared_ptr<const ClusterView> ClusterMap::view() const {
  const std::lock_guard lock(mutex_);
  return view_;
}

void ClusterMap::refresh() {
  {
    const std::lock_guard lock(mutex_);
    if (wanted_) return;
    wanted_ = true;
  }
  wake_.notify_all();
}

void ClusterMap::learn(const net::Address& address) {
  {
    const std::lock_guard lock(mutex_);
    const auto same = [&](const net::Address& known) { return known.text() == address.text(); };
    if (std::ranges::none_of(learned_, same)) learned_.push_back(address);
    wanted_ = true;
  }
  wake_.notify_all();
}

void ClusterMap::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return stopping_ || wanted_; });
    if (stopping_) return;
    wanted_ = false;
    const std::vector<net::Address> learned = learned_;
    lock.unlock();
    if (const auto topology = ask_anybody()) {
      publish(*topology, learned);
      changed_();
    }
    lock.lock();
    wake_.wait_for(lock, kRefreshEvery, [this] { return stopping_; });
  }
}

bool ClusterMap::is_stopping() const {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

Result<resp::Topology> ClusterMap::ask_anybody() {
  const auto present = view();
  const std::size_t count = present->nodes.size();
  // The seed comes last: it may be a name that stands for the cluster and not for a node.
  for (std::size_t i = 0; i <= count && !is_stopping(); ++i) {
    const std::size_t node = i < count ? (answering_ + i) % count : answering_;
    auto topology = ask(i < count ? present->nodes[node].address : seed_.address,
                        std::min(patience_, kRefreshPatience));
    // A node that was told to forget the cluster knows of no slots.
    if (!topology || topology->covered() == 0) continue;
    answering_ = node;
    return topology;
  }
  return fail(ErrorKind::kTarget, "no node of the cluster tells its slots");
}

Result<resp::Topology> ClusterMap::ask(const net::Address& address, Nanos patience) const {
  const Nanos deadline = real_clock().now() + patience;
  auto client = resp::Client::connect(server_at(address), deadline);
  if (!client) return fail(std::move(client.error()));
  const resp::AddressContext context{address.host, seed_.tls != nullptr};
  auto shards = client->call({"CLUSTER", "SHARDS"}, deadline);
  if (!shards) return fail(std::move(shards.error()));
  const auto located = [&](Result<resp::Topology> topology) -> Result<resp::Topology> {
    if (topology) return topology;
    return fail(ErrorKind::kTarget, "{}: {}", address.text(), topology.error().message);
  };
  if (!shards->is(resp::ReplyTree::Kind::kError))
    return located(resp::Topology::from_shards(*shards, context));
  auto slots = client->call({"CLUSTER", "SLOTS"}, deadline);
  if (!slots) return fail(std::move(slots.error()));
  if (!slots->is(resp::ReplyTree::Kind::kError))
    return located(resp::Topology::from_slots(*slots, context));
  return fail(
      ErrorKind::kTarget,
      "{} does not tell the slots of a cluster ({}): leave target.cluster out if it is none",
      address.text(), printable(slots->text));
}

void ClusterMap::publish(const resp::Topology& topology, const std::vector<net::Address>& learned) {
  auto next = std::make_shared<ClusterView>();
  if (const auto present = view()) {
    next->nodes = present->nodes;
    next->version = present->version;
  }
  ++next->version;
  next->replicas.resize(next->nodes.size());
  next->primaries.fill(ClusterView::kNobody);
  for (const resp::Shard& shard : topology.shards()) {
    const std::uint16_t primary = node_at(*next, shard.primary);
    for (const resp::SlotRange& range : shard.slots)
      std::fill(next->primaries.begin() + range.first, next->primaries.begin() + range.last + 1,
                primary);
    for (const net::Address& replica : shard.replicas) {
      const std::uint16_t index = node_at(*next, replica);
      next->replicas[primary].push_back(index);
    }
  }
  for (const net::Address& address : learned) node_at(*next, address);
  const std::lock_guard lock(mutex_);
  version_.store(next->version, std::memory_order_release);
  view_ = std::move(next);
}

resp::Server ClusterMap::server_at(const net::Address& address) const {
  resp::Server server = seed_;
  server.address = address;
  server.reads_replica = false;
  return server;
}

Result<std::uint64_t> ClusterMap::count_keys() const {
  const auto present = view();
  std::vector<std::uint16_t> primaries(present->primaries.begin(), present->primaries.end());
  std::ranges::sort(primaries);
  const auto repeated = std::unique(primaries.begin(), primaries.end());
  primaries.erase(repeated, primaries.end());
  std::uint64_t keys = 0;
  for (const std::uint16_t primary : primaries) {
    if (primary == ClusterView::kNobody) continue;
    const Nanos deadline = real_clock().now() + patience_;
    auto client = resp::Client::connect(server_at(present->nodes[primary].address), deadline);
    if (!client) return fail(std::move(client.error()));
    const auto held = client->dbsize(deadline);
    if (!held) return fail(held.error());
    keys += *held;
  }
  return keys;
}

}  // namespace headroom::load
