// A real cluster under load: slots that move, a primary that dies, and no request that is not
// accounted for.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <thread>

#include "analysis/summary.h"
#include "store/run_reader.h"
#include "tests/e2e/harness.h"
#include "tests/support/cluster_fixture.h"

namespace headroom::e2e {
namespace {

using namespace std::chrono_literals;
using support::Cluster;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

class ClusterTest : public Test {
 protected:
  void start(const support::ClusterShape& shape) {
    const auto engine = find_engine("valkey");
    if (!engine) GTEST_SKIP() << "no Valkey on this machine";
    auto cluster = Cluster::start(*engine, shape);
    ASSERT_TRUE(cluster) << cluster.error().message;
    cluster_.emplace(std::move(*cluster));
  }
  // Two workers' load of the cluster; `more` is appended.
  [[nodiscard]] std::string of_cluster(std::string_view workload, std::string_view load,
                                       std::string_view timing) const {
    const net::Address& seed = cluster_->address(0);
    return scenario(fmt::format(
        "[target]\nkind = \"endpoint\"\nhost = \"{}\"\nport = {}\ncluster = true\n"
        "[workload]\nvalue_size = \"100B\"\nkeys = 2000\nprefill = true\nratio = \"1:4\"\n{}\n"
        "[load]\nworkers = 2\nconnections = 4\n{}\n[timing]\n{}\n",
        seed.host, seed.port, workload, load, timing));
  }
  // The run has measured for a whole interval.
  [[nodiscard]] static bool measures(const std::string& file) {
    const Result<record::Run> run = store::read_run(file);
    return run && std::ranges::any_of(run->intervals, [](const record::MergedInterval& each) {
             return each.interval.phase == record::Phase::kMeasure;
           });
  }
  static void expect_all_accounted_for(const analysis::Summary& summary) {
    EXPECT_TRUE(summary.conservation.client_adds_up);
    for (const auto& row : summary.conservation.rows)
      EXPECT_EQ(row.sent, row.outcomes) << row.operation;
  }
  [[nodiscard]] static std::uint64_t ended(const analysis::Summary& summary,
                                           record::Outcome outcome) {
    return summary.cluster ? summary.cluster->total.requests.of(outcome) : 0;
  }

  std::optional<Cluster> cluster_;
};

TEST_F(ClusterTest, IsLoadedByItsSlots) {
  start({.shards = 3});
  if (!cluster_) return;
  const std::string file = path("c.run");
  const Finished finished = run_headroom(
      {"run", of_cluster("", "pipeline = 3", "measure = \"2s\""), "-o", file}, options());
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  const record::Run run = read(file);
  const analysis::Summary summary = analysis::summarize(run);
  expect_all_accounted_for(summary);
  ASSERT_TRUE(summary.cluster);
  ASSERT_THAT(summary.cluster->nodes, SizeIs(3));
  EXPECT_EQ(ended(summary, record::Outcome::kError), 0U);
  EXPECT_EQ(ended(summary, record::Outcome::kMiss), 0U) << "every key is where it was written";
  EXPECT_EQ(summary.cluster->total.moved, 0U);
  std::uint64_t held = 0;
  for (std::size_t node = 0; node < 3; ++node) {
    const auto keys = cluster_->ask(node, {"DBSIZE"});
    ASSERT_TRUE(keys);
    held += static_cast<std::uint64_t>(keys->integer);
  }
  EXPECT_EQ(held, 2000U);
  const Finished report = run_headroom({"report", file}, options());
  EXPECT_THAT(report.out, AllOf(HasSubstr("NODES"), HasSubstr(cluster_->name(1))));
  const Finished json = run_headroom({"report", file, "--json"}, options());
  EXPECT_EQ(nlohmann::json::parse(json.out)["cluster"]["nodes"].size(), 3U);
  EXPECT_EQ(run_headroom({"verify", file}, options()).exit_code, 0);
}

TEST_F(ClusterTest, IsFollowedThroughASlotMigration) {
  start({.shards = 3});
  if (!cluster_) return;
  const std::string file = path("migration.run");
  Headroom headroom({"run", of_cluster("", "", "measure = \"6s\""), "-o", file}, options());
  ASSERT_TRUE(wait_until([&] { return measures(file); }, 20s)) << headroom.err();
  const Status moved = cluster_->move_slots(0, 1, 0, 199);
  ASSERT_TRUE(moved) << moved.error().message;
  const Finished finished = headroom.wait(60s);
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  const analysis::Summary summary = analysis::summarize(read(file));
  expect_all_accounted_for(summary);
  ASSERT_TRUE(summary.cluster);
  EXPECT_GT(summary.cluster->total.moved, 0U);
  EXPECT_EQ(ended(summary, record::Outcome::kError), 0U);
  EXPECT_EQ(ended(summary, record::Outcome::kLost), 0U);
  EXPECT_EQ(ended(summary, record::Outcome::kMiss), 0U) << "no key is lost on its way";
  EXPECT_TRUE(summary.cluster->outages.empty());
}

TEST_F(ClusterTest, SurvivesAPrimaryAndTellsTheOutage) {
  start({.shards = 3, .replicas = 1, .node_timeout = 1500ms});
  if (!cluster_) return;
  const std::string file = path("failover.run");
  Headroom headroom({"run",
                     of_cluster("", "rate = 2000\nrequest_timeout = \"15s\"",
                                "measure = \"15s\"\ndrain = \"5s\""),
                     "-o", file},
                    options());
  ASSERT_TRUE(wait_until([&] { return measures(file); }, 20s)) << headroom.err();
  std::this_thread::sleep_for(3s);  // seconds of normal service to compare with
  cluster_->kill(1);
  const Finished finished = headroom.wait(90s);
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  const analysis::Summary summary = analysis::summarize(read(file));
  expect_all_accounted_for(summary);
  ASSERT_TRUE(summary.cluster);
  ASSERT_THAT(summary.cluster->outages, Not(::testing::IsEmpty()));
  const auto& outages = summary.cluster->outages;
  const auto outage = std::ranges::find(outages, cluster_->name(1), &analysis::OutageSummary::node);
  ASSERT_NE(outage, outages.end());
  ASSERT_TRUE(outage->end) << "the replica took over before the load ended";
  EXPECT_EQ(outage->successor, cluster_->name(4));
  EXPECT_GE(*outage->end - outage->begin, 500ms);
  EXPECT_EQ(ended(summary, record::Outcome::kError), 0U) << "the client waits, as libraries do";
  EXPECT_THAT(summary.warnings,
              Contains(::testing::Field(&analysis::Doubt::kind, record::WarningKind::kOutage)));
  const Finished report = run_headroom({"report", file}, options());
  EXPECT_THAT(report.out, HasSubstr("OUTAGES"));
}

TEST_F(ClusterTest, IsReadFromItsReplicas) {
  start({.shards = 2, .replicas = 1});
  if (!cluster_) return;
  const std::string file = path("replicas.run");
  const Finished finished = run_headroom(
      {"run", of_cluster("", "read_from = \"replica\"", "measure = \"2s\""), "-o", file},
      options());
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  const analysis::Summary summary = analysis::summarize(read(file));
  expect_all_accounted_for(summary);
  ASSERT_TRUE(summary.cluster);
  for (const analysis::NodeSummary& node : summary.cluster->nodes) {
    const bool replica = node.node == cluster_->name(2) || node.node == cluster_->name(3);
    const auto& requests = node.counts.requests;
    EXPECT_EQ(requests.of(record::Outcome::kHit) > 0, replica) << node.node;
    EXPECT_EQ(requests.of(record::Outcome::kOk) > 0, !replica) << node.node;
  }
}

TEST_F(ClusterTest, IsRefusedWhereTheScenarioDoesNotSaySo) {
  start({.shards = 3});
  if (!cluster_) return;
  const Finished finished = run_headroom(
      {"run", endpoint_scenario(cluster_->address(0)), "-o", path("no.run")}, options());
  EXPECT_EQ(finished.exit_code, 3);
  EXPECT_THAT(error_lines(finished), Contains(HasSubstr("set target.cluster = true")));
}

}  // namespace
}  // namespace headroom::e2e
