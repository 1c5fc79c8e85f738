// Local nodes with the shape of cloud nodes, against real engines: what a shape promises is
// realised, held to, and gone afterwards.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include "analysis/summary.h"
#include "resp/client.h"
#include "target/cgroup.h"
#include "tests/e2e/harness.h"

namespace headroom::e2e {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Why this machine cannot confine an engine; empty if it can.
std::string why_no_cgroups() {
  const auto group = target::CpuGroup::create(
      target::cpu_hierarchies(), fmt::format("{}e2e-{}", target::kNodePrefix, ::getpid()), 1);
  return group ? std::string() : group.error().message;
}
#define HEADROOM_NEEDS_CGROUPS() \
  if (const std::string why = why_no_cgroups(); !why.empty()) GTEST_SKIP() << why

double mean_growth(const std::vector<record::Point>& points, std::size_t first, std::size_t last) {
  const auto seconds =
      std::chrono::duration<double>(points.at(last).time - points.at(first).time).count();
  return (points.at(last).value - points.at(first).value) / seconds;
}

std::vector<std::string> receipts_of(const record::Run& run) {
  std::vector<std::string> names;
  for (const record::Receipt& receipt : run.receipts) {
    EXPECT_TRUE(receipt.proved) << receipt.what << ": " << receipt.evidence;
    names.push_back(receipt.what);
  }
  return names;
}

std::vector<fs::path> cgroups_in(const std::string& fact) {
  std::vector<fs::path> paths;
  std::size_t begin = 0;
  while (begin < fact.size()) {
    const std::size_t comma = std::min(fact.find(", ", begin), fact.size());
    paths.emplace_back(fact.substr(begin, comma - begin));
    begin = comma + 2;
  }
  return paths;
}

class NodeTest : public EngineTest {
 protected:
  nlohmann::json nodes() {
    const Finished listed = run_headroom({"node", "ls", "--json"}, options());
    EXPECT_EQ(listed.exit_code, 0) << listed.err;
    nlohmann::json ours = nlohmann::json::array();
    for (auto& node : nlohmann::json::parse(listed.out)) {
      // Those of other runs on this machine have their directories elsewhere.
      for (const auto& one : node.at("paths")) {
        if (one.get<std::string>().starts_with(path("").string())) ours.push_back(node);
      }
    }
    return ours;
  }
};
HEADROOM_FOR_EACH_ENGINE(NodeTest);

// maxmemory / 1,371.5 bytes, which a key of 1,024 bytes takes in Valkey 9. (Published at full
// scale: about 797,000 of a predicted 804,000.)
TEST_P(NodeTest, AScaledShapeHoldsAsManyKeysAsItsMemoryPredicts) {
  if (!is_valkey()) GTEST_SKIP() << "the reference was measured on Valkey 9";
  const std::string file = path("keys.run");
  const Finished ended = run_headroom(
      {"run",
       local_scenario(engine(),
                      "shape = \"cache.t3.small\"\nscale = 0.05\n"
                      "[workload]\nvalue_size = \"1024B\"\nratio = \"1:1\"\nprefill = true\n"
                      "[load]\nworkers = 1\nconnections = 4\npipeline = 8\n"
                      "[timing]\nmeasure = \"3s\"\nsample_interval = \"250ms\"\n"),
       "-o", file},
      options());
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("as cache.t3.small at scale 0.05, maxmemory"));
  const record::Run run = read(file);
  constexpr double kMaxmemory = 1.37 * 1024 * 1024 * 1024 * 0.75 * 0.05;
  const analysis::Summary summary = analysis::summarize(run);
  ASSERT_TRUE(summary.peak_keys && summary.maxmemory_bytes);
  EXPECT_NEAR(*summary.maxmemory_bytes, kMaxmemory, 2);
  EXPECT_NEAR(*summary.peak_keys, kMaxmemory / 1371.5, 0.02 * kMaxmemory / 1371.5);
  EXPECT_GT(summary.measure.evictions.value_or(0), 0);
}

TEST_P(NodeTest, ItsCpuIsHeldToTheQuotaAndItsGroupIsGoneAfterwards) {
  HEADROOM_NEEDS_CGROUPS();
  const std::string file = path("quota.run");
  const Finished ended =
      run_headroom({"run",
                    local_scenario(engine(),
                                   "vcpus = 0.04\n[workload]\nvalue_size = \"100B\"\nkeys = 1000\n"
                                   "[load]\nworkers = 1\nconnections = 50\npipeline = 16\n"
                                   "[timing]\nwarmup = \"1s\"\nmeasure = \"5s\"\n"),
                    "-o", file},
                   options());
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const record::Run run = read(file);
  EXPECT_THAT(run.facts.at("node.cpu"), StartsWith("held to 0.04 vCPUs by cgroup version "));
  const analysis::Summary summary = analysis::summarize(run);
  ASSERT_TRUE(summary.node && summary.node->cpu_ratio);
  EXPECT_NEAR(*summary.node->cpu_ratio, 0.04, 0.002);
  EXPECT_EQ(summary.limiter.limiter, analysis::Limiter::kNode) << summary.limiter.evidence;
  EXPECT_THAT(receipts_of(run), Contains("cgroup removed"));
  for (const fs::path& group : cgroups_in(run.facts.at("node.cgroup")))
    EXPECT_FALSE(fs::exists(group)) << group;
}

// Shares of a CPU that an engine gets on a busy machine, too: a tenth while there are credits, a
// fiftieth when they are gone.
TEST_P(NodeTest, ABurstableOneFallsToItsBaselineWhenItsCreditsAreGone) {
  HEADROOM_NEEDS_CGROUPS();
  const std::string file = path("credits.run");
  const Finished ended =
      run_headroom({"run",
                    local_scenario(engine(),
                                   "vcpus = 0.1\ncredits_per_hour = 1.2\ncredits_initial = 0.004\n"
                                   "[workload]\nvalue_size = \"100B\"\nkeys = 1000\n"
                                   "[load]\nworkers = 1\nconnections = 50\npipeline = 16\n"
                                   "[timing]\nmeasure = \"14s\"\nsample_interval = \"250ms\"\n"),
                    "-o", file},
                   options());
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const record::Run run = read(file);
  const auto quota = points(run, "node_cpu_quota_ratio");
  const auto cpu = points(run, "node_cpu_seconds");
  const auto balance = points(run, "CPUCreditBalance");
  ASSERT_EQ(quota.size(), cpu.size());
  ASSERT_EQ(quota.size(), balance.size());
  const auto fell = std::ranges::find(quota, 0.02, &record::Point::value);
  ASSERT_NE(fell, quota.end()) << story(run);
  const auto at = static_cast<std::size_t>(fell - quota.begin());
  ASSERT_GT(at, 1U);
  ASSERT_LT(at + 8, quota.size());
  EXPECT_EQ(quota.front().value, 0.1);
  EXPECT_NEAR(balance.front().value, 0.004, 0.002);
  EXPECT_GT(balance.at(at - 1).value, 0);
  // How much of a busy machine an engine gets is not ours to promise; more than the baseline it is.
  const double before = mean_growth(cpu, 0, at - 1);
  EXPECT_GT(before, 2 * 0.02);
  EXPECT_LT(before, 1.05 * 0.1);
  EXPECT_NEAR(mean_growth(cpu, at + 1, cpu.size() - 2), 0.02, 0.05 * 0.02);
  for (std::size_t i = at; i < balance.size(); ++i) EXPECT_LT(balance[i].value, 0.001) << i;

  const analysis::Summary summary = analysis::summarize(run);
  EXPECT_EQ(summary.limiter.limiter, analysis::Limiter::kNode) << summary.limiter.evidence;
  EXPECT_THAT(summary.limiter.evidence, HasSubstr("CPU credits were gone from "));
  EXPECT_THAT(story(run), HasSubstr("CPU credits are gone: the node falls from 0.1 to 0.02 vCPUs"));
}

TEST_P(NodeTest, WithoutPermissionTheRunGoesOnAndSaysThatItIsNotHeld) {
  if (::geteuid() != 0 || !find_executable("unshare"))
    GTEST_SKIP() << "taking the permission away needs root and unshare";
  HEADROOM_NEEDS_CGROUPS();
  const std::string file = path("unheld.run");
  const std::string scenario = local_scenario(
      engine(), "shape = \"cache.t4g.micro\"\nscale = 0.1\n[timing]\nmeasure = \"2s\"\n");
  std::string hide;
  for (const target::CpuHierarchy& place : target::cpu_hierarchies())
    hide += fmt::format("mount -t tmpfs -o ro none '{}' && ", place.parent.string());
  SubprocessOptions start;
  start.argv = {
      "unshare", "-m", "sh", "-c",
      fmt::format("{} exec '{}' run '{}' -o '{}' --quiet", hide, HEADROOM_BINARY, scenario, file)};
  start.working_directory = options().directory;
  start.environment = options().environment;
  start.output = path("unheld.txt");
  auto process = Subprocess::start(start);
  ASSERT_TRUE(process) << process.error().message;
  const auto ended = process->wait(60s);
  ASSERT_TRUE(ended);
  ASSERT_EQ(ended->code, 0) << read_file(path("unheld.txt")).value_or("");
  const record::Run run = read(file);
  EXPECT_THAT(run.facts.at("node.cpu"), StartsWith("not enforced: "));
  EXPECT_EQ(run.end, record::RunEnd::kComplete);
  ASSERT_TRUE(std::ranges::any_of(run.warnings, [](const record::Warning& warning) {
    return warning.kind == record::WarningKind::kShapeNotHeld;
  })) << story(run);
  EXPECT_THAT(read_file(path("unheld.txt")).value_or(""), HasSubstr("! shape-not-held"));
}

TEST_P(NodeTest, WhatAKillLeftIsListedAndCleared) {
  expect_leftovers();
  const std::string file = path("killed.run");
  const bool confined = why_no_cgroups().empty();
  Headroom headroom(
      {"run", local_scenario(engine(), "vcpus = 0.5\n[timing]\nmeasure = \"60s\"\n"), "-o", file},
      options());
  ASSERT_TRUE(wait_until(
      [&] {
        const auto listed = nodes();
        return listed.size() == 1 && listed[0].at("address").is_string();
      },
      30s))
      << headroom.err();
  const auto up = nodes().at(0);
  EXPECT_EQ(up.at("state"), "up");
  EXPECT_EQ(up.at("owner_pid"), headroom.pid());
  const pid_t engine_pid = up.at("engine_pid").get<pid_t>();
  headroom.signal(SIGKILL);
  ASSERT_FALSE(headroom.wait(10s).hung);
  ASSERT_TRUE(wait_until([&] { return !alive(engine_pid); }, 10s));

  const auto left = nodes();
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].at("state"), "left behind");
  EXPECT_GE(left[0].at("paths").size(), confined ? 2U : 1U);
  const Finished down = run_headroom({"node", "down"}, options());
  EXPECT_EQ(down.exit_code, 0) << down.err;
  EXPECT_THAT(down.out, HasSubstr(left[0].at("name").get<std::string>() + ": gone"));
  for (const auto& gone : left[0].at("paths")) EXPECT_FALSE(fs::exists(gone.get<std::string>()));
  EXPECT_TRUE(nodes().empty());
}

TEST_P(NodeTest, ANodeByHandIsUpUntilItIsTakenDown) {
  Headroom up({"node", "up", "--engine", engine().string(), "--set", "target.vcpus=0.5", "--set",
               "target.maxmemory=16MiB"},
              options());
  ASSERT_TRUE(wait_until(
      [&] {
        const auto listed = nodes();
        return listed.size() == 1 && listed[0].at("address").is_string();
      },
      30s))
      << up.err();
  const auto node = nodes().at(0);
  const std::string address = node.at("address").get<std::string>();
  const auto port = static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
  auto client = resp::Client::connect({{"127.0.0.1", port, {}}, {}, {}}, real_clock().now() + 5s);
  ASSERT_TRUE(client) << client.error().message;
  EXPECT_TRUE(client->ping(real_clock().now() + 5s));

  const Finished down =
      run_headroom({"node", "down", node.at("name").get<std::string>()}, options());
  EXPECT_EQ(down.exit_code, 0) << down.err;
  const Finished ended = up.wait(10s);
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("connect    valkey-cli -h 127.0.0.1 -p "));
  EXPECT_THAT(ended.out, HasSubstr("headroom node down " + node.at("name").get<std::string>()));
  EXPECT_THAT(ended.err, HasSubstr("directory removed: "));
  EXPECT_FALSE(alive(node.at("engine_pid").get<pid_t>()));
  EXPECT_TRUE(nodes().empty());
}

class NodeWordsTest : public Test {};

TEST_F(NodeWordsTest, ShapesAreListedAndFiltered) {
  const Finished all = run_headroom({"node", "shapes"}, options());
  EXPECT_EQ(all.exit_code, 0) << all.err;
  EXPECT_THAT(all.out, HasSubstr("\ncache.r7g.16xlarge "));
  const Finished some = run_headroom({"node", "shapes", "t4g", "--json"}, options());
  EXPECT_EQ(some.exit_code, 0) << some.err;
  EXPECT_EQ(nlohmann::json::parse(some.out).at("shapes").size(), 3U);
  const Finished none = run_headroom({"node", "shapes", "cache.t4g.mirco"}, options());
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("did you mean cache.t4g.micro?"));
}

TEST_F(NodeWordsTest, WrongWordsAreAnsweredInALine) {
  const Finished word = run_headroom({"node", "shpaes"}, options());
  EXPECT_EQ(word.exit_code, 2);
  EXPECT_EQ(word.err,
            "headroom: node: shpaes is none of shapes, ls, down, up; did you mean shapes? (see "
            "headroom node --help)\n");
  const Finished flag = run_headroom({"node", "ls", "--jsno"}, options());
  EXPECT_EQ(flag.exit_code, 2);
  EXPECT_THAT(flag.err, HasSubstr("did you mean --json?"));
  const Finished node = run_headroom({"node", "down", "headroom-node-none"}, options());
  EXPECT_EQ(node.exit_code, 2);
  EXPECT_THAT(node.err, HasSubstr("there is no node headroom-node-none"));
  const Finished shape = run_headroom({"node", "up", "--shape", "cache.t9.micro"}, options());
  EXPECT_EQ(shape.exit_code, 2);
  EXPECT_THAT(shape.err, HasSubstr("did you mean \"cache.t2.micro\"?"));
}

}  // namespace
}  // namespace headroom::e2e
