// A fleet whose target is a cluster of scripted servers.
#include <fmt/format.h>

#include <array>

#include "tests/support/fleet_fixture.h"

namespace headroom::load {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::SizeIs;

// A shard as CLUSTER SHARDS tells it.
struct ShardReply {
  int first = 0;
  int last = 0;
  std::uint16_t primary = 0;
  std::vector<std::uint16_t> replicas = {};
};

std::string node_reply(std::uint16_t port, std::string_view role) {
  return fmt::format(
      "*8\r\n+port\r\n:{}\r\n+endpoint\r\n+127.0.0.1\r\n+role\r\n+{}\r\n+health\r\n+online\r\n",
      port, role);
}

std::string shards_reply(const std::vector<ShardReply>& shards) {
  std::string reply = fmt::format("*{}\r\n", shards.size());
  for (const ShardReply& shard : shards) {
    reply += fmt::format("*4\r\n+slots\r\n*2\r\n:{}\r\n:{}\r\n+nodes\r\n*{}\r\n", shard.first,
                         shard.last, 1 + shard.replicas.size());
    reply += node_reply(shard.primary, "master");
    for (const std::uint16_t replica : shard.replicas) reply += node_reply(replica, "replica");
  }
  return reply;
}

constexpr int kHalf = 8192;
constexpr int kLast = 16'383;

// Two nodes with half of the slots each, and a third server, the seed, that knows the topology and
// serves nothing.
class FleetClusterTest : public FleetTest {
 protected:
  FleetClusterTest() { config_.cluster = true; }

  std::uint16_t start(Script script) {
    auto server = ScriptedServer::start(std::move(script));
    EXPECT_TRUE(server) << server.error().message;
    const std::uint16_t port = (*server)->address().port;
    nodes_[port] = std::move(*server);
    return port;
  }
  // One that knows READONLY.
  std::uint16_t start_replica() {
    Script script;
    script.on({"READONLY"}).raw("+OK\r\n");
    return start(std::move(script));
  }
  // The seed tells one topology after the other; the last one stays.
  void start_seed(const std::vector<std::vector<ShardReply>>& topologies) {
    Script script;
    for (std::size_t i = 0; i < topologies.size(); ++i)
      script.on({"CLUSTER"}).from(i).raw(shards_reply(topologies[i]));
    serve(std::move(script));
  }
  // Two nodes that do as their scripts say.
  void start_halves(Script first, Script second) {
    first_ = start(std::move(first));
    second_ = start(std::move(second));
    start_seed({halves()});
  }
  [[nodiscard]] std::vector<ShardReply> halves() const {
    return {{0, kHalf - 1, first_}, {kHalf, kLast, second_}};
  }
  [[nodiscard]] scripted::Observed seen_by(std::uint16_t node) const {
    return nodes_.at(node)->observed();
  }
  // Runs until a node has seen enough.
  LoadSpans run_until_node(std::uint16_t node, const std::string& command, std::uint64_t count) {
    return run_until([&] { return nodes_[node]->wait_until(seen(command, count), kSoon); }, kSoon);
  }

  [[nodiscard]] std::map<std::string, record::NodeCounts> by_node() const {
    std::map<std::string, record::NodeCounts> sums;
    for (const auto& interval : sink_.content().intervals) {
      for (const auto& series : interval.nodes) sums[series.node].add(series.counts);
    }
    return sums;
  }
  [[nodiscard]] record::NodeCounts of_node(std::uint16_t port) const {
    return by_node()[fmt::format("127.0.0.1:{}", port)];
  }
  [[nodiscard]] std::vector<record::Outage> outages() const {
    std::vector<record::Outage> all;
    for (const auto& interval : sink_.content().intervals)
      all.insert(all.end(), interval.outages.begin(), interval.outages.end());
    return all;
  }
  // What all nodes together say of requests is what the operations say.
  void expect_nodes_add_up() const {
    record::OperationCounts nodes;
    record::OperationCounts operations;
    for (const auto& [name, counts] : by_node()) nodes.add(counts.requests);
    for (const auto& counts : totals()) operations.add(counts);
    // Nobody in particular did not get what was never sent.
    operations.outcomes[static_cast<std::size_t>(Outcome::kUnsent)] = 0;
    EXPECT_EQ(nodes, operations);
  }

  std::map<std::uint16_t, std::unique_ptr<ScriptedServer>> nodes_;  // by port
  std::uint16_t first_ = 0;
  std::uint16_t second_ = 0;
};

TEST_F(FleetClusterTest, SendsEachKeyToItsNode) {
  start_halves({}, {});
  config_.workload.prefill = true;
  config_.load.workers = 2;
  config_.load.connections = 3;
  config_.load.pipeline = 4;
  connect();
  const Status filled = fleet().prefill({});
  ASSERT_TRUE(filled) << filled.error().message;
  EXPECT_EQ(seen_by(first_).keys + seen_by(second_).keys, config_.keys);
  EXPECT_GT(seen_by(first_).keys, 0U);
  EXPECT_GT(seen_by(second_).keys, 0U);
  const auto counted = fleet().count_keys();
  ASSERT_TRUE(counted) << counted.error().message;
  EXPECT_EQ(*counted, config_.keys);
  run_until_node(first_, "GET", 100);
  EXPECT_EQ(total(Outcome::kMiss), 0U) << "every key is asked for where it was written";
  EXPECT_EQ(total(Outcome::kError), 0U);
  expect_conservation();
  expect_nodes_add_up();
  EXPECT_EQ(of_node(first_).requests.sent,
            seen_by(first_).count("GET") + seen_by(first_).count("SET"));
}

TEST_F(FleetClusterTest, FollowsMoved) {
  second_ = start({});
  Script script;
  script.on({"GET"}).first(1).delay(100ms).error(fmt::format("MOVED 1 127.0.0.1:{}", second_));
  first_ = start(std::move(script));
  start_seed({halves()});
  connect();
  run_until_node(second_, "GET", 20);
  EXPECT_EQ(total(Outcome::kError), 0U);
  expect_conservation();
  expect_nodes_add_up();
  EXPECT_EQ(of_node(first_).moved, 1U);
  EXPECT_EQ(of_node(first_).asked, 0U);
  EXPECT_TRUE(server_->wait_until(seen("CLUSTER", 2), kSoon)) << "the map was read again";
  stats::Histogram all = latencies(Outcome::kMiss);
  all.merge(latencies(Outcome::kHit));
  EXPECT_GE(*all.max(), 100ms) << "the time until the redirection is a part of the latency";
}

TEST_F(FleetClusterTest, FollowsAskForOneRequest) {
  second_ = start({});
  Script script;
  script.on({"GET"}).first(1).error(fmt::format("ASK 1 127.0.0.1:{}", second_));
  first_ = start(std::move(script));
  start_seed({halves()});
  connect();
  run_until_node(second_, "GET", 20);
  EXPECT_EQ(total(Outcome::kError), 0U);
  expect_conservation();
  expect_nodes_add_up();
  EXPECT_EQ(of_node(first_).asked, 1U);
  EXPECT_EQ(seen_by(second_).count("ASKING"), 1U);
  const auto& log = seen_by(second_).log;
  const auto asking = std::ranges::find(log, "ASKING", &scripted::Served::command);
  ASSERT_NE(asking, log.end());
  ASSERT_NE(asking + 1, log.end());
  EXPECT_EQ((asking + 1)->command, "GET");
}

TEST_F(FleetClusterTest, ComesAgainWhenItIsAskedTo) {
  Script script;
  script.on({"GET"}).nth(2).error("TRYAGAIN Multiple keys request during rehashing of slot");
  script.on({"GET"}).nth(4).error("CLUSTERDOWN The cluster is down");
  start_halves(std::move(script), {});
  connect();
  run_until_node(first_, "GET", 20);
  EXPECT_EQ(total(Outcome::kError), 0U);
  expect_conservation();
  expect_nodes_add_up();
  EXPECT_EQ(of_node(first_).retried, 2U);
}

TEST_F(FleetClusterTest, LearnsANodeThatNobodyTold) {
  const std::uint16_t third = start({});
  second_ = start({});
  Script script;
  script.on({"GET"}).error(fmt::format("ASK 1 127.0.0.1:{}", third));
  first_ = start(std::move(script));
  start_seed({halves()});
  connect();
  run_until_node(first_, "GET", 20);
  EXPECT_EQ(total(Outcome::kError), 0U);
  expect_conservation();
  expect_nodes_add_up();
  EXPECT_GE(of_node(third).requests.total(), 10U);
}

TEST_F(FleetClusterTest, GivesUpOnARequestThatIsSentInCircles) {
  Script script;
  script.on({"GET"}).first(17).error("MOVED 1 127.0.0.1:1");
  first_ = start(std::move(script));
  start_seed({{{0, kLast, first_}}});
  config_.workload.set_weight = 0;
  connect();
  run_until_node(first_, "GET", 30);
  EXPECT_EQ(total(Outcome::kError) + total(Outcome::kLost) + total(Outcome::kTimeout), 1U);
  expect_nodes_add_up();
  EXPECT_EQ(sent(), totals()[0].total());
}

TEST_F(FleetClusterTest, SendsAWholeTransactionOn) {
  Script other;
  other.on({"MULTI"}).raw("+OK\r\n");
  other.on({"INCR"}).raw("+QUEUED\r\n");
  other.on({"EXEC"}).raw("*1\r\n:1\r\n");
  second_ = start(std::move(other));
  Script moved;
  moved.on({"MULTI"}).raw("+OK\r\n");
  moved.on({"INCR"}).first(1).error(fmt::format("MOVED 1 127.0.0.1:{}", second_));
  moved.on({"INCR"}).from(1).raw("+QUEUED\r\n");
  moved.on({"EXEC"}).first(1).error("EXECABORT Transaction discarded");
  moved.on({"EXEC"}).from(1).raw("*1\r\n:1\r\n");
  first_ = start(std::move(moved));
  start_seed({halves()});
  config_.workload.set_weight = config_.workload.get_weight = 0;
  config_.workload.commands = {{"MULTI; INCR __key__; EXEC", "transaction", 1, {}, {}}};
  config_.load.pipeline = 3;
  connect();
  run_until_node(second_, "EXEC", 20);
  EXPECT_EQ(total(Outcome::kError), 0U);
  EXPECT_EQ(of_node(first_).moved, 1U);
  expect_conservation();
  expect_nodes_add_up();
}

TEST_F(FleetClusterTest, ReadsFromReplicas) {
  Script primary;
  primary.on({"GET"}).error("ERR this test reads from replicas");
  primary.on({"READONLY"}).raw("+OK\r\n");
  first_ = start(std::move(primary));
  second_ = start_replica();
  start_seed({{{0, kLast, first_, {second_}}}});
  config_.load.read_from = scenario::ReadFrom::kReplica;
  connect();
  run_until_node(second_, "GET", 50);
  EXPECT_EQ(total(Outcome::kError), 0U);
  EXPECT_EQ(seen_by(first_).count("GET"), 0U);
  EXPECT_EQ(seen_by(second_).count("SET"), 0U);
  EXPECT_EQ(seen_by(second_).count("READONLY"), config_.load.connections);
  expect_conservation();
}

TEST_F(FleetClusterTest, ReadsFromAnyNode) {
  first_ = start_replica();
  second_ = start_replica();
  start_seed({{{0, kLast, first_, {second_}}}});
  config_.load.read_from = scenario::ReadFrom::kAny;
  connect();
  run_until(
      [&] {
        return nodes_[first_]->wait_until(seen("GET", 100), kSoon) &&
               nodes_[second_]->wait_until(seen("GET", 100), kSoon);
      },
      kSoon);
  EXPECT_EQ(seen_by(second_).count("SET"), 0U);
  expect_conservation();
}

TEST_F(FleetClusterTest, SurvivesANodeAndTellsTheOutage) {
  first_ = start({});
  second_ = start({});
  start_seed({halves(), halves(), {{0, kLast, second_}}});
  config_.load.connections = 4;
  connect();
  auto running = std::async(std::launch::async, [&] { return run(0s, 600s); });
  ASSERT_TRUE(nodes_[first_]->wait_until(seen("GET", 50), kSoon));
  nodes_[first_]->stop();
  const std::uint64_t before = seen_by(second_).count("GET");
  EXPECT_TRUE(nodes_[second_]->wait_until(seen("GET", before + 2000), kSoon));
  fleet().stop();
  running.get();
  expect_nodes_add_up();
  for (const auto& counts : totals()) EXPECT_EQ(counts.sent, counts.total());
  ASSERT_THAT(outages(), SizeIs(1));
  const record::Outage outage = outages()[0];
  EXPECT_EQ(outage.node, fmt::format("127.0.0.1:{}", first_));
  EXPECT_EQ(outage.successor, fmt::format("127.0.0.1:{}", second_));
  ASSERT_TRUE(outage.end);
  EXPECT_GT(*outage.end, outage.begin);
}

TEST_F(FleetClusterTest, TellsAnOutageThatDoesNotEnd) {
  start_halves({}, {});
  connect();
  auto running = std::async(std::launch::async, [&] { return run(0s, 600s, 100ms); });
  ASSERT_TRUE(nodes_[first_]->wait_until(seen("GET", 50), kSoon));
  nodes_[first_]->stop();
  ASSERT_TRUE(sink_.wait_until(
      [](const auto& content) { return content.count(EventKind::kConnectionLost) > 0; }, kSoon));
  fleet().stop();
  running.get();
  for (const auto& counts : totals()) EXPECT_EQ(counts.sent, counts.total());
  ASSERT_THAT(outages(), SizeIs(1));
  EXPECT_FALSE(outages()[0].end);
  EXPECT_EQ(outages()[0].successor, "");
}

TEST_F(FleetClusterTest, KeepsAScheduleThroughRedirections) {
  second_ = start({});
  Script script;
  script.on({"GET"}).every(7).error(fmt::format("MOVED 1 127.0.0.1:{}", second_));
  first_ = start(std::move(script));
  start_seed({halves()});
  config_.load.connections = 5;
  config_.load.rate = scenario::ConstantRate{2000};
  connect();
  run(0s, 1s);
  std::uint64_t due = 0;
  for (const auto& interval : sink_.content().intervals) {
    if (interval.health.schedule) due += interval.health.schedule->due;
  }
  EXPECT_EQ(due, 2000U);
  EXPECT_EQ(sent() + total(Outcome::kUnsent), due);
  EXPECT_EQ(total(Outcome::kError), 0U);
  expect_nodes_add_up();
  EXPECT_GT(of_node(first_).moved, 0U);
}

TEST_F(FleetClusterTest, AccountsForWhatWasDueWhileANodeWasGone) {
  start_halves({}, {});
  config_.load.connections = 2;
  config_.load.rate = scenario::ConstantRate{1000};
  connect();
  auto running = std::async(std::launch::async, [&] { return run(0s, 1s, 100ms); });
  ASSERT_TRUE(nodes_[first_]->wait_until(seen("GET", 50), kSoon));
  nodes_[first_]->stop();
  running.get();
  EXPECT_GT(total(Outcome::kUnsent), 0U);
  EXPECT_EQ(sent() + total(Outcome::kUnsent), 1000U);
  for (const auto& counts : totals())
    EXPECT_EQ(counts.sent, counts.total() - counts.of(Outcome::kUnsent));
}

TEST_F(FleetClusterTest, SendsAsManyRequestsAsAreAskedFor) {
  second_ = start({});
  Script script;
  script.on({"GET"}).every(5).error(fmt::format("MOVED 1 127.0.0.1:{}", second_));
  first_ = start(std::move(script));
  start_seed({halves()});
  config_.load.workers = 2;
  config_.load.connections = 3;
  config_.load.pipeline = 2;
  config_.load.requests = 1001;
  connect();
  run(0s, 600s);
  EXPECT_EQ(sent(), 1001U);
  expect_conservation();
  expect_nodes_add_up();
}

TEST_F(FleetClusterTest, Thinks) {
  start_halves({}, {});
  config_.load.connections = 2;
  config_.load.think_time = scenario::ThinkTime{scenario::ThinkTime::Kind::kFixed, 1ms};
  connect();
  run_until_node(first_, "GET", 20);
  expect_conservation();
  expect_nodes_add_up();
}

TEST_F(FleetClusterTest, RefusesAServerThatIsNone) {
  serve({});
  const Status status = fleet().connect();
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("leave target.cluster out if it is none"));
  EXPECT_EQ(status.error().kind, ErrorKind::kTarget);
}

TEST_F(FleetClusterTest, RefusesAClusterWithoutAllSlots) {
  first_ = start({});
  start_seed({{{0, 99, first_}}});
  const Status status = fleet().connect();
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr("only 100 of its cluster's 16,384 slots"));
}

TEST_F(FleetClusterTest, NamesTheNodeThatCannotBeReached) {
  first_ = start({});
  nodes_[first_]->stop();
  start_seed({{{0, kLast, first_}}});
  const Status status = fleet().connect();
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message, HasSubstr(fmt::format("127.0.0.1:{}", first_)));
}

}  // namespace
}  // namespace headroom::load
