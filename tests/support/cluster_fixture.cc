#include "tests/support/cluster_fixture.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <functional>
#include <string_view>
#include <thread>
#include <utility>

#include "net/socket.h"
#include "resp/client.h"
#include "resp/cluster.h"

namespace headroom::support {
namespace {

using namespace std::chrono_literals;
using resp::ReplyTree;

constexpr Nanos kReplyLimit = 10s;
constexpr Nanos kStartLimit = 20s;
constexpr Nanos kSettleLimit = 60s;

bool wait_until(const std::function<bool()>& condition, Nanos at_most) {
  const Nanos deadline = real_clock().now() + at_most;
  while (!condition()) {
    if (real_clock().now() >= deadline) return false;
    std::this_thread::sleep_for(20ms);
  }
  return true;
}

}  // namespace

Result<Cluster> Cluster::start(const std::filesystem::path& program, const ClusterShape& shape) {
  auto directory = TempDir::create("headroom-test-cluster");
  if (!directory) return fail(std::move(directory.error()));
  Cluster cluster(std::move(*directory), shape.shards);
  const std::size_t count = shape.shards * (1 + shape.replicas);
  while (cluster.size() < count) {
    if (Status started = cluster.start_node(program, shape); !started) return fail(started.error());
  }
  if (Status joined = cluster.join(shape); !joined) return fail(joined.error());
  return cluster;
}

Status Cluster::start_node(const std::filesystem::path& program, const ClusterShape& shape) {
  const auto port = net::free_loopback_port();
  if (!port) return fail(port.error());
  const auto bus_port = net::free_loopback_port();
  if (!bus_port) return fail(bus_port.error());
  const std::size_t index = nodes_.size();
  SubprocessOptions options;
  options.argv = {program.string(),
                  "--port",
                  std::to_string(*port),
                  "--cluster-port",
                  std::to_string(*bus_port),
                  "--bind",
                  "127.0.0.1",
                  "--save",
                  "",
                  "--appendonly",
                  "no",
                  "--cluster-enabled",
                  "yes",
                  "--cluster-config-file",
                  fmt::format("nodes-{}.conf", index),
                  "--cluster-node-timeout",
                  std::to_string(shape.node_timeout.count()),
                  "--cluster-replica-validity-factor",
                  "0",
                  "--repl-diskless-sync-delay",
                  "0"};
  options.working_directory = directory_.path();
  options.output = directory_.path() / fmt::format("log-{}", index);
  auto process = Subprocess::start(options);
  if (!process) return fail(std::move(process.error()));
  nodes_.push_back(
      {std::make_unique<Subprocess>(std::move(*process)), {"127.0.0.1", *port, {}}, {}});
  const bool answers = wait_until([&] { return ask(index, {"PING"}).has_value(); }, kStartLimit);
  if (!answers) return fail(ErrorKind::kTarget, "{} does not answer", program.string());
  const auto id = ask(index, {"CLUSTER", "MYID"});
  if (!id) return fail(id.error());
  nodes_[index].id = id->text;
  if (index == 0) return {};
  return expect_ok(
      0, {"CLUSTER", "MEET", "127.0.0.1", std::to_string(*port), std::to_string(*bus_port)});
}

Status Cluster::join(const ClusterShape& shape) {
  const auto all_know_all = [&] {
    for (std::size_t i = 0; i < size(); ++i) {
      const auto reply = ask(i, {"CLUSTER", "INFO"});
      if (!reply ||
          reply->text.find(fmt::format("cluster_known_nodes:{}\r", size())) == std::string::npos)
        return false;
    }
    return true;
  };
  if (!wait_until(all_know_all, kSettleLimit))
    return fail(ErrorKind::kTarget, "the nodes do not get to know one another");
  for (std::size_t i = 0; i < shards_; ++i) {
    const std::size_t first = resp::kSlots * i / shards_;
    const std::size_t last = resp::kSlots * (i + 1) / shards_ - 1;
    if (Status added =
            expect_ok(i, {"CLUSTER", "ADDSLOTSRANGE", std::to_string(first), std::to_string(last)});
        !added)
      return added;
  }
  for (std::size_t i = shards_; i < size(); ++i) {
    const std::size_t primary = (i - shards_) / shape.replicas;
    if (Status replicates = expect_ok(i, {"CLUSTER", "REPLICATE", nodes_[primary].id}); !replicates)
      return replicates;
  }
  if (!wait_until([this] { return is_whole(); }, kSettleLimit))
    return fail(ErrorKind::kTarget, "the cluster does not become whole");
  return {};
}

bool Cluster::is_whole() const {
  for (std::size_t i = 0; i < size(); ++i) {
    const auto state = ask(i, {"CLUSTER", "INFO"});
    if (!state || state->text.find("cluster_state:ok") == std::string::npos) return false;
    const auto slots = ask(i, {"CLUSTER", "SLOTS"});
    if (!slots || slots->items.size() != shards_) return false;
    const std::size_t nodes_each = 2 + size() / shards_;
    const auto complete = [&](const ReplyTree& range) { return range.items.size() == nodes_each; };
    if (!std::ranges::all_of(slots->items, complete)) return false;
    if (i < shards_) continue;
    const auto replication = ask(i, {"INFO", "replication"});
    if (!replication || replication->text.find("master_link_status:up") == std::string::npos)
      return false;
  }
  return true;
}

void Cluster::kill(std::size_t node) {
  ::kill(nodes_[node].process->pid(), SIGKILL);
  static_cast<void>(nodes_[node].process->wait(kReplyLimit));
}

Result<ReplyTree> Cluster::ask(std::size_t node, const std::vector<std::string>& words) const {
  const Nanos deadline = real_clock().now() + kReplyLimit;
  auto client = resp::Client::connect({address(node)}, deadline);
  if (!client) return fail(std::move(client.error()));
  const std::vector<std::string_view> views(words.begin(), words.end());
  return client->call(views, deadline);
}

Status Cluster::expect_ok(std::size_t node, const std::vector<std::string>& words) const {
  const auto reply = ask(node, words);
  if (!reply) return fail(reply.error());
  if (!reply->is(ReplyTree::Kind::kError)) return {};
  return fail(ErrorKind::kTarget, "{} {} of {}: {}", words[0], words.size() > 1 ? words[1] : "",
              name(node), reply->text);
}

std::uint64_t Cluster::info(std::size_t node, const std::string& field) const {
  const auto reply = ask(node, {"INFO", "everything"});
  if (!reply) return 0;
  return resp::Info::parse(reply->text).count(field).value_or(0);
}

Status Cluster::move_slots(std::size_t from, std::size_t to, std::uint16_t first,
                           std::uint16_t last) const {
  for (std::uint32_t slot = first; slot <= last; ++slot) {
    const std::string number = std::to_string(slot);
    if (Status importing =
            expect_ok(to, {"CLUSTER", "SETSLOT", number, "IMPORTING", nodes_[from].id});
        !importing)
      return importing;
    if (Status migrating =
            expect_ok(from, {"CLUSTER", "SETSLOT", number, "MIGRATING", nodes_[to].id});
        !migrating)
      return migrating;
    for (;;) {
      const auto keys = ask(from, {"CLUSTER", "GETKEYSINSLOT", number, "100"});
      if (!keys) return fail(keys.error());
      if (keys->items.empty()) break;
      std::vector<std::string> migrate = {
          "MIGRATE", address(to).host, std::to_string(address(to).port), "", "0", "5000", "KEYS"};
      for (const ReplyTree& key : keys->items) migrate.push_back(key.text);
      if (Status moved = expect_ok(from, migrate); !moved) return moved;
    }
    for (const std::size_t node : {to, from}) {
      if (Status owned = expect_ok(node, {"CLUSTER", "SETSLOT", number, "NODE", nodes_[to].id});
          !owned)
        return owned;
    }
  }
  return {};
}

}  // namespace headroom::support
