// How a worker's clients reach the nodes of a cluster: the view, the connections, the sending.
#include <algorithm>
#include <bit>
#include <cerrno>
#include <utility>

#include "load/worker.h"

namespace headroom::load {
namespace {

constexpr std::string_view kAsking = "*1\r\n$6\r\nASKING\r\n";

}  // namespace

void Worker::join_cluster(ClusterMap& map) {
  cluster_.emplace(map, config_.load.connections,
                   make_stream(config_.seed, index_, kNone, Purpose::kReplicas));
  for (std::size_t i = 0; i < generator_.operations(); ++i)
    cluster_->routes.push_back(generator_.route(i));
}

// Once a turn of the loop, while nothing else is under way: connections may move in memory.
void Worker::follow_cluster(Nanos now) {
  ClusterTraffic& cluster = *cluster_;
  if (cluster.map.version() != cluster.version) take_view(now);
  while (!cluster.paused.empty() && cluster.paused.front().first <= now) {
    RoutedRequest routed = std::move(cluster.paused.front().second);
    cluster.paused.pop_front();
    send_routed(std::move(routed), now);
  }
  while (may_send_ && !cluster.refill.empty()) offer_client(cluster.refill.pop());
}

Nanos Worker::cluster_wake_by(Nanos now) const {
  if (may_send_ && !cluster_->refill.empty()) return now;
  return cluster_->paused.empty() ? Nanos::max() : cluster_->paused.front().first;
}

void Worker::take_view(Nanos now) {
  ClusterTraffic& cluster = *cluster_;
  const auto view = cluster.map.view();
  cluster.version = view->version;
  while (cluster.nodes.size() < view->nodes.size()) add_node(view->nodes[cluster.nodes.size()]);
  cluster.primaries.assign(view->primaries.begin(), view->primaries.end());
  cluster.replicas = view->replicas;
  for (const auto& node : cluster.nodes) node->needed = false;
  for (const std::uint16_t primary : cluster.primaries) {
    if (primary == ClusterView::kNobody || cluster.nodes[primary]->needed) continue;
    cluster.nodes[primary]->needed = true;
    if (!server_.reads_replica) continue;
    for (const std::uint16_t replica : cluster.replicas[primary])
      cluster.nodes[replica]->needed = true;
  }
  for (Connection& connection : connections_) {
    const bool comes_later = activity_ == Activity::kConnect && connection.index() >= started_;
    if (node_of(connection).needed && !comes_later) want(connection, now);
  }
  reroute_waiting(now);
}

void Worker::add_node(const ClusterView::Node& seen) {
  ClusterTraffic& cluster = *cluster_;
  auto node = std::make_unique<ClusterNode>();
  node->server = server_;
  node->server.address = seen.address;
  node->name = seen.name;
  const std::size_t capacity = slots_per_connection();
  node->slots.resize(capacity * cluster.clients);
  node->requests.resize(capacity * cluster.clients);
  node->waiting.resize(cluster.clients);
  node->wanted.resize(cluster.clients, false);
  for (std::uint32_t client = 0; client < cluster.clients; ++client) {
    const auto index = static_cast<std::uint32_t>(connections_.size());
    connections_.emplace_back(index, ConnectionStreams(config_.seed, index_, index),
                              InFlightQueue(node->slots.data() + capacity * client,
                                            static_cast<std::uint32_t>(capacity)));
    if (generator_.verifies()) connections_.back().parser().keep_bodies(&bodies_.emplace_back());
  }
  recorder_.add_node(node->name);
  cluster.nodes.push_back(std::move(node));
}

RoutedRequest& Worker::routed_at(const Connection& connection, std::uint32_t slot) {
  return node_of(connection).requests[client_of(connection) * slots_per_connection() + slot];
}

// Has a connection opened, unless it is open or being opened.
void Worker::want(Connection& connection, Nanos now) {
  auto wanted = node_of(connection).wanted[client_of(connection)];
  if (wanted || connection.state() != ConnectionState::kClosed) return;
  wanted = true;
  open(connection, now);
}

// Is a connection that broke to be opened again?
bool Worker::still_wanted(const Connection& connection) {
  if (!cluster_) return true;
  const ClusterNode& node = node_of(connection);
  return node.needed || !node.waiting[client_of(connection)].empty();
}

void Worker::give_up_wanting(const Connection& connection) {
  if (cluster_) node_of(connection).wanted[client_of(connection)] = false;
}

// A client may have room for a request.
void Worker::offer_client(std::uint32_t client) {
  if (pacing_) {
    pacing_->free.push(client);
  } else {
    fill_client(client, Connection::kEndless, Nanos{0});
  }
}

// The same, where nothing may be sent at the moment: it is seen to in the next turn of the loop.
void Worker::offer_client_later(std::uint32_t client) {
  if (pacing_) {
    pacing_->free.push(client);
  } else {
    cluster_->refill.push(client);
  }
}

bool Worker::has_room(std::uint32_t client) const {
  const std::uint32_t held = pacing_ ? pacing_->held[client] : 0;
  return cluster_->busy[client] + held < depth_ &&
         connections_[client].allowance() > cluster_->unsent[client];
}

// Draws requests for a client while it has room, `most` at most, in open loop those that are due by
// `until` (schedule time), and sends them, in one write to each node.
void Worker::fill_client(std::uint32_t client, std::uint64_t most, Nanos until) {
  RoutedRequest routed;
  for (; may_send_ && most > 0 && has_room(client); --most) {
    if (open_loop_ && open_loop_->next.due() > until) break;
    routed = {};
    routed.client = client;
    if (!draw_routed(routed)) break;
    if (open_loop_) {
      routed.intended = run_time(open_loop_->origin + open_loop_->next.due());
      open_loop_->next.advance();
    }
    ++cluster_->busy[client];
    ++cluster_->unsent[client];
    ++cluster_->unsent_in_all;
    place(routed);
  }
  flush(client);
}

// False when there is nothing more to ask in this phase.
bool Worker::draw_routed(RoutedRequest& routed) {
  if (activity_ == Activity::kPrefill) {
    if (next_key_ == generator_.keys()) return false;
    routed.request = generator_.prefill(next_key_++);
  } else {
    routed.request = generator_.draw(connections_[routed.client].streams());
    generator_.note_hot(routed.request);
  }
  if (generator_.verifies()) generator_.begin(routed.request);
  routed.slot = cluster_->routes[routed.request.operation].slot(routed.request.key);
  return true;
}

std::uint16_t Worker::node_for(const RoutedRequest& routed) {
  ClusterTraffic& cluster = *cluster_;
  const std::uint16_t primary = cluster.primaries[routed.slot];
  if (!server_.reads_replica || primary == ClusterView::kNobody ||
      !cluster.routes[routed.request.operation].reads()) {
    return primary;
  }
  const std::vector<std::uint16_t>& replicas = cluster.replicas[primary];
  if (replicas.empty()) return primary;
  const bool primary_too = config_.load.read_from == scenario::ReadFrom::kAny;
  const std::uint64_t pick = cluster.random.below(replicas.size() + (primary_too ? 1 : 0));
  return pick < replicas.size() ? replicas[pick] : primary;
}

// A request that was just drawn goes into the batch of its node, or waits for its connection.
void Worker::place(const RoutedRequest& routed) {
  const std::uint16_t index = node_for(routed);
  if (index == ClusterView::kNobody) {
    pause(routed, clock_.now());
    return;
  }
  ClusterNode& node = *cluster_->nodes[index];
  Connection& connection = connection_to(index, routed.client);
  if (node.batch.full()) flush(routed.client);
  const bool ready = connection.state() == ConnectionState::kReady && !connection.has_unsent();
  if (!ready || !node.waiting[routed.client].empty()) {
    send_to(index, routed, clock_.now());
    return;
  }
  if (node.batch.size() == 0) cluster_->touched.push_back(index);
  enqueue_routed(connection, routed, node.batch);
}

void Worker::enqueue_routed(Connection& connection, const RoutedRequest& routed, Batch& batch) {
  connection.queue().push(routed.request.operation, batch.size(), routed.intended);
  routed_at(connection, connection.queue().newest_slot()) = routed;
  if (routed.asking) {
    batch.make_room(kAsking.size());
    batch.append(kAsking);
  }
  generator_.encode(routed.request, connections_[routed.client].streams(), batch);
}

// Sends what fill_client() put into the batches of the nodes.
void Worker::flush(std::uint32_t client) {
  for (const std::uint16_t index : std::exchange(cluster_->touched, {}))
    write_routed(connection_to(index, client), cluster_->nodes[index]->batch);
}

// Empties the batch.
void Worker::write_routed(Connection& connection, Batch& batch) {
  const Nanos sent = clock_.now();
  tick(sent);
  // Otherwise the window closed on this very reading, and took the requests back.
  if (connection.queue().waiting() > 0) {
    const ssize_t taken = connection.send(batch.bytes(), batch.tail());
    if (account_write(connection, taken, sent)) {
      const auto went = static_cast<std::size_t>(taken);
      if (went < batch.size() + batch.tail().size() || connection.has_unsent()) {
        connection.keep_unsent(batch.bytes(), batch.tail(), went);
        epoll_->modify(connection.fd(), EPOLLIN | EPOLLOUT, connection.index());
      }
    }
  }
  batch.clear();
}

// The first byte of a request went, at `sent`. True if it was for the first time.
bool Worker::began_routed(const Connection& connection, Nanos sent) {
  RoutedRequest& routed = routed_at(connection, connection.queue().first_waiting_slot());
  if (routed.was_sent()) return false;
  routed.first_sent = sent;
  --cluster_->unsent[routed.client];
  --cluster_->unsent_in_all;
  ++recorder_.node(node_index(connection)).requests.sent;
  return true;
}

void Worker::send_routed(RoutedRequest routed, Nanos now) {
  const std::uint16_t node = node_for(routed);
  if (node == ClusterView::kNobody) {
    pause(std::move(routed), now);
  } else {
    send_to(node, std::move(routed), now);
  }
}

void Worker::send_to(std::uint16_t node, RoutedRequest routed, Nanos now) {
  Connection& connection = connection_to(node, routed.client);
  cluster_->nodes[node]->waiting[routed.client].push_back(std::move(routed));
  want(connection, now);
  send_waiting(connection);
}

// Sends what waits for a connection, if that is ready.
void Worker::send_waiting(Connection& connection) {
  std::deque<RoutedRequest>& waiting = node_of(connection).waiting[client_of(connection)];
  while (!waiting.empty() && connection.state() == ConnectionState::kReady &&
         !connection.has_unsent()) {
    batch_.clear();
    for (; !waiting.empty() && !batch_.full(); waiting.pop_front())
      enqueue_routed(connection, waiting.front(), batch_);
    write_routed(connection, batch_);
  }
}

// What was made for a connection and not begun waits again.
void Worker::take_back(Connection& connection) {
  std::deque<RoutedRequest>& waiting = node_of(connection).waiting[client_of(connection)];
  const InFlightQueue& queue = connection.queue();
  for (std::uint32_t i = queue.size(); i > queue.begun(); --i)
    waiting.push_front(routed_at(connection, queue.slot_at(i - 1)));
  connection.drop_waiting();
}

// What waits goes where the present view says.
void Worker::reroute_waiting(Nanos now) {
  std::vector<RoutedRequest> all;
  for (const auto& node : cluster_->nodes) {
    for (std::deque<RoutedRequest>& waiting : node->waiting) {
      all.insert(all.end(), waiting.begin(), waiting.end());
      waiting.clear();
    }
  }
  for (RoutedRequest& routed : all) {
    routed.asking = false;
    send_routed(std::move(routed), now);
  }
}

// Requests that were never sent are not going to be: in open loop they had been due.
void Worker::drop_unsent(Nanos now) {
  ClusterTraffic& cluster = *cluster_;
  for (Connection& connection : connections_) {
    if (connection.queue().waiting() > 0) take_back(connection);
  }
  const auto dropped = [&](const RoutedRequest& routed) {
    if (routed.was_sent()) return false;
    if (open_loop_) {
      recorder_.unsent(routed.request.operation, run_time(now) - routed.intended);
      ++open_loop_->settled;
    }
    --cluster.busy[routed.client];
    --cluster.unsent[routed.client];
    --cluster.unsent_in_all;
    return true;
  };
  for (const auto& node : cluster.nodes) {
    for (std::deque<RoutedRequest>& waiting : node->waiting) std::erase_if(waiting, dropped);
  }
  std::erase_if(cluster.paused,
                [&](const ClusterTraffic::Paused& each) { return dropped(each.second); });
}

}  // namespace headroom::load
