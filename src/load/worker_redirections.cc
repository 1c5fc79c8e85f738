// What a cluster's nodes answer, and where a request goes that was answered with another node.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "load/worker.h"
#include "resp/cluster.h"

namespace headroom::load {
namespace {

enum class Detour : std::uint8_t {
  kNone,
  kElsewhere,  // MOVED, ASK
  kLater,      // the same again in a moment
};

std::string_view code_of(std::string_view error) { return error.substr(0, error.find(' ')); }

Detour detour_of(std::string_view error) {
  constexpr std::array<std::string_view, 5> kPassing = {"TRYAGAIN", "CLUSTERDOWN", "READONLY",
                                                        "MASTERDOWN", "LOADING"};
  const std::string_view code = code_of(error);
  if (code == "MOVED" || code == "ASK") return Detour::kElsewhere;
  return std::ranges::find(kPassing, code) != kPassing.end() ? Detour::kLater : Detour::kNone;
}

}  // namespace

// take_reply() of a cluster.
bool Worker::take_routed(Connection& connection, const resp::Reply& reply, Nanos now) {
  InFlightQueue& queue = connection.queue();
  RoutedRequest& routed = routed_at(connection, queue.oldest_slot());
  if (routed.asking) {  // ASKING's own answer
    routed.asking = false;
    return true;
  }
  const std::uint8_t operation = queue.oldest_operation();
  record::Outcome outcome = record::Outcome::kOk;
  const bool sent_away =
      reply.type == resp::ReplyType::kError && detour_of(reply.text) != Detour::kNone;
  if (generator_.replies(operation) == 1) {
    if (sent_away && send_on(connection, reply.text, now))
      return connection.state() == ConnectionState::kReady;
    outcome = generator_.classify(operation, reply);
    if (generator_.verifies()) outcome = verified(connection, outcome, now);
  } else {
    // Of a transaction nothing is executed if a part of it is refused: all of it goes on.
    if (sent_away) note_part_sent_away(connection, reply.text);
    if (!take_part(connection, reply, outcome, now)) return true;
    const std::string error = part_sent_away(connection);
    if (!error.empty() && send_on(connection, error, now))
      return connection.state() == ConnectionState::kReady;
  }
  const RoutedRequest ended = routed;
  queue.pop();
  std::optional<std::uint64_t> read_bytes;
  if (reply.type == resp::ReplyType::kBulk) read_bytes = static_cast<std::uint64_t>(reply.number);
  end_routed(ended, node_index(connection), outcome, read_bytes, now);
  if (!record::is_completed(outcome)) {
    if (outcome != record::Outcome::kCorrupt)
      take_bad_reply(connection, operation, reply, outcome, now);
    return true;
  }
  if (!cluster_->outages.empty()) end_outages(ended.slot, node_index(connection), now);
  if (activity_ == Activity::kPrefill)
    prefilled_.store(prefilled_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  return true;
}

void Worker::note_part_sent_away(const Connection& connection, std::string_view error) {
  auto& parts = cluster_->part_detours;
  const auto same = [&](const auto& part) { return part.first == connection.index(); };
  if (std::ranges::none_of(parts, same)) parts.emplace_back(connection.index(), error);
}

// What the first such part of the oldest transaction was answered; empty if there was none.
std::string Worker::part_sent_away(const Connection& connection) {
  auto& parts = cluster_->part_detours;
  const auto found =
      std::ranges::find(parts, connection.index(), [](const auto& part) { return part.first; });
  if (found == parts.end()) return {};
  std::string error = std::move(found->second);
  parts.erase(found);
  return error;
}

// The oldest request of a connection goes where the error says, or there again in a moment. False
// if it has had its chances.
bool Worker::send_on(Connection& connection, std::string_view error, Nanos now) {
  ClusterTraffic& cluster = *cluster_;
  InFlightQueue& queue = connection.queue();
  RoutedRequest routed = routed_at(connection, queue.oldest_slot());
  if (now - routed.first_sent >= config_.load.request_timeout) return false;
  const std::uint16_t from = node_index(connection);
  record::NodeCounts& counts = recorder_.node(from);
  if (detour_of(error) == Detour::kLater) {
    ++counts.retried;
    if (const auto code = code_of(error); code == "CLUSTERDOWN" || code == "MASTERDOWN")
      begin_outage(from, now);
    queue.pop();
    pause(std::move(routed), now);
    return true;
  }
  const resp::AddressContext context{cluster.nodes[from]->server.address.host,
                                     server_.tls != nullptr};
  const auto redirection = resp::read_redirection(error, context);
  if (!redirection || ++routed.redirections > ClusterTraffic::kMostRedirections) return false;
  ++(redirection->ask ? counts.asked : counts.moved);
  queue.pop();
  const auto named = std::ranges::find(cluster.nodes, redirection->address.text(),
                                       [](const auto& node) -> const auto& { return node->name; });
  if (named == cluster.nodes.end()) {
    // By the time it has been sent on once more, the node is known.
    cluster.map.learn(redirection->address);
    pause(std::move(routed), now);
    return true;
  }
  const auto node = static_cast<std::uint16_t>(named - cluster.nodes.begin());
  if (!redirection->ask) {
    cluster.primaries[redirection->slot] = node;
    cluster.map.refresh();
  }
  routed.asking = redirection->ask;
  send_to(node, std::move(routed), now);
  return true;
}

void Worker::pause(RoutedRequest routed, Nanos now) {
  routed.asking = false;
  cluster_->paused.emplace_back(now + ClusterTraffic::kPause, std::move(routed));
  cluster_->map.refresh();
}

EndedReply Worker::routed_as_ended(const RoutedRequest& routed, record::Outcome outcome, Nanos at) {
  return {.arrives = at,
          .sent = routed.first_sent,
          .intended = routed.intended,
          .connection = routed.client,
          .operation = routed.request.operation,
          .outcome = outcome,
          .request = routed.request};
}

// A request has had its reply from a node.
void Worker::end_routed(const RoutedRequest& routed, std::uint16_t node, record::Outcome outcome,
                        std::optional<std::uint64_t> read_bytes, Nanos now) {
  const Nanos way = config_.load.emulated_rtt.value_or(Nanos{0});
  EndedReply reply = routed_as_ended(routed, outcome, now + way);
  reply.read_bytes = read_bytes;
  --cluster_->busy[routed.client];
  recorder_.ended_at(node, outcome);
  if (record::is_completed(outcome)) {
    recorder_.completed_at(
        node, reply.arrives - reply.sent,
        open_loop_ ? std::optional(run_time(reply.arrives) - reply.intended) : std::nullopt);
  }
  if (way > Nanos{0}) {
    ++pacing_->held[routed.client];
    pacing_->travelling.push_back(reply);
    return;
  }
  settle(reply);
  if (think_time_) think(routed.client, now);
}

// A request that was sent ends without a reply.
void Worker::end_unanswered(const RoutedRequest& routed, std::uint16_t node,
                            record::Outcome outcome, Nanos now) {
  const std::uint8_t operation = routed.request.operation;
  recorder_.ended(operation, outcome);
  recorder_.ended_at(node, outcome);
  if (open_loop_) recorder_.responded(operation, outcome, run_time(now) - routed.intended);
  if (recorder_.watch().active()) look_at(routed_as_ended(routed, outcome, now), false);
  last_end_ = now;
  --in_flight_;
  --cluster_->busy[routed.client];
  offer_client_later(routed.client);
}

// Requests that were sent, are to be sent again, and have waited for too long.
void Worker::sweep_routed(Nanos now, Nanos limit) {
  ClusterTraffic& cluster = *cluster_;
  bool any = !cluster.paused.empty();
  const auto overdue = [&](const RoutedRequest& routed, std::size_t node) {
    if (!routed.was_sent() || now - routed.first_sent < limit) return false;
    end_unanswered(routed, static_cast<std::uint16_t>(node), record::Outcome::kTimeout, now);
    return true;
  };
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    for (std::deque<RoutedRequest>& waiting : cluster.nodes[i]->waiting) {
      any = any || !waiting.empty();
      std::erase_if(waiting, [&](const RoutedRequest& routed) { return overdue(routed, i); });
    }
  }
  std::erase_if(cluster.paused, [&](const ClusterTraffic::Paused& each) {
    const std::uint16_t primary = cluster.primaries[each.second.slot];
    return overdue(each.second, primary == ClusterView::kNobody ? std::size_t{0} : primary);
  });
  // Something cannot be sent where it should go: perhaps it should go elsewhere by now.
  if (any) cluster.map.refresh();
}

// The deadline has come for what was sent and is to be sent again.
void Worker::lose_routed(Nanos now) {
  ClusterTraffic& cluster = *cluster_;
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    for (std::deque<RoutedRequest>& waiting : cluster.nodes[i]->waiting) {
      for (const RoutedRequest& routed : std::exchange(waiting, {}))
        end_unanswered(routed, static_cast<std::uint16_t>(i), record::Outcome::kLost, now);
    }
  }
  for (const auto& [until, routed] : std::exchange(cluster.paused, {})) {
    const std::uint16_t primary = cluster.primaries[routed.slot];
    end_unanswered(routed, primary == ClusterView::kNobody ? std::uint16_t{0} : primary,
                   record::Outcome::kLost, now);
  }
}

// A node failed at `when`: its slots are without good replies from now on.
void Worker::begin_outage(std::uint16_t node, Nanos when) {
  ClusterTraffic& cluster = *cluster_;
  if (activity_ != Activity::kLoad && activity_ != Activity::kDrain) return;
  const auto same = [&](const OpenOutage& outage) { return outage.node == node; };
  if (std::ranges::any_of(cluster.outages, same)) return;
  OpenOutage outage{node, when, {}};
  for (std::size_t slot = 0; slot < resp::kSlots; ++slot)
    outage.slots[slot] = cluster.primaries[slot] == node;
  if (outage.slots.any()) cluster.outages.push_back(outage);
}

// A good reply about a slot came. One of a replica says nothing about the slot's writes.
void Worker::end_outages(std::uint16_t slot, std::uint16_t node, Nanos now) {
  ClusterTraffic& cluster = *cluster_;
  if (cluster.primaries[slot] != node) return;
  std::erase_if(cluster.outages, [&](const OpenOutage& outage) {
    if (!outage.slots[slot]) return false;
    if (now - outage.begin >= ClusterTraffic::kLeastOutage) {
      recorder_.outage({cluster.nodes[outage.node]->name, index_, run_time(outage.begin),
                        run_time(now), cluster.nodes[node]->name});
    }
    return true;
  });
}

// The load is over, and so is the chance of those that have not ended.
void Worker::leave_outages() {
  for (const OpenOutage& outage : std::exchange(cluster_->outages, {})) {
    recorder_.outage(
        {cluster_->nodes[outage.node]->name, index_, run_time(outage.begin), std::nullopt, {}});
  }
}

}  // namespace headroom::load
