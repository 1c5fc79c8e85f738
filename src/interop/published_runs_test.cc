// Published results of other people's runs, whose authors drew their conclusions by hand: from the
// numbers alone a comparison must come to the same.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>

#include "analysis/comparison.h"
#include "interop/run_summaries.h"
#include "interop/utc.h"
#include "tests/support/golden.h"

namespace headroom::interop {
namespace {

using analysis::Claim;
using analysis::ClaimKind;
using analysis::Comparison;
using analysis::GuardKind;
using analysis::Verdict;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Json = nlohmann::json;

Json published() {
  return Json::parse(headroom::testing::read_whole(headroom::testing::source_folder() /
                                                   "tests/data/published-runs.json"));
}

// The published names of figures, and what makes them ours.
struct Mapping {
  const char* published;
  const char* ours;
  double factor;
};
constexpr double kPercent = 0.01;
constexpr double kMilliseconds = 1e6;
constexpr Mapping kMappings[] = {
    {"ops_per_s", "throughput_per_s", 1},
    {"throughput_cv_pct", "throughput_cv_ratio", kPercent},
    {"throughput_peak", "peak_throughput_per_s", 1},
    {"latency_avg_ms", "latency_mean_ns", kMilliseconds},
    {"latency_p99_of_minute_averages_ms", "latency_p99_of_minute_averages_ns", kMilliseconds},
    {"memory_max_pct", "memory_used_max_ratio", kPercent},
    {"memory_avg_pct", "memory_used_mean_ratio", kPercent},
    {"headroom_pct", "headroom_ratio", kPercent},
    {"engine_cpu_avg_pct", "engine_cpu_mean_ratio", kPercent},
    {"engine_cpu_max_pct", "engine_cpu_max_ratio", kPercent},
    {"peak_keys", "peak_keys", 1},
    {"evictions", "evictions", 1},
    {"first_eviction_s", "first_eviction_s", 1},
    {"hit_rate_pct", "hit_ratio", kPercent},
    {"cpu_credit_balance_min", "cpu_credit_balance_min", 1},
};

Json scaled(const Json& value, double factor) {
  Json result = value;
  for (Json& number : result) number = number.get<double>() * factor;
  return result;
}

// {"ops_per_s": {"min": ...}, "evictions_mean": ...} as figures of a group.
Json figures_of(const Json& group) {
  Json figures = Json::object();
  for (const Mapping& mapping : kMappings) {
    const std::string name = mapping.published;
    Json& figure = figures[mapping.ours];
    if (group.contains(name)) {
      const Json& value = group.at(name);
      if (value.is_object() && value.contains("values"))
        figure = scaled(value.at("values"), mapping.factor);
      else if (value.is_object() || value.is_array())
        figure = scaled(value, mapping.factor);
      else  // one number: of every run
        figure = {{"min", value.get<double>() * mapping.factor},
                  {"max", value.get<double>() * mapping.factor}};
    }
    for (const char* part : {"mean", "median"}) {
      if (group.contains(name + "_" + part))
        figure[part] = group.at(name + "_" + part).get<double>() * mapping.factor;
    }
    if (figure.is_null()) figures.erase(mapping.ours);
  }
  return figures;
}

Json settings_of(const Json& workload, const Json& group, const Json& part) {
  const auto either = [&](const char* key) {
    return part.contains(key) ? part.at(key) : group.at(key);
  };
  return {{"node.type", either("node_type")},
          {"engine.name", "valkey"},
          {"engine.version", "9.0"},
          {"load.workers", either("workers")},
          {"load.connections", workload.at("connections_per_worker")},
          {"load.pipeline", workload.at("pipeline")},
          {"workload.ratio", workload.at("set_to_get")},
          {"workload.value_size", fmt::format("{}B", workload.at("value_bytes").get<int>())},
          {"timing.measure", fmt::format("{}s", group.at("duration_s").get<int>())}};
}

Json table_of(const std::string& group_name) {
  const Json all = published();
  Json table = {{"schema", "headroom-run-summaries"},
                {"schema_version", 1},
                {"source", all.at("about")},
                {"groups", Json::array()}};
  for (const Json& group : all.at("groups")) {
    if (group.at("name") != group_name) continue;
    const auto add = [&](const std::string& name, const Json& part, Json runs, Json figures) {
      Json entry = {{"name", name},
                    {"runs", std::move(runs)},
                    {"settings", settings_of(all.at("workload_known"), group, part)},
                    {"figures", std::move(figures)}};
      if (group.at("regime") == "headroom") entry["regime"] = "headroom";
      table["groups"].push_back(std::move(entry));
    };
    if (group.contains("nodes")) {
      for (const Json& node : group.at("nodes"))
        add(node.at("node_type").get<std::string>(), node, node.at("runs"), figures_of(node));
    } else if (group.contains("arms")) {
      for (const Json& arm : group.at("arms")) {
        add(fmt::format("{} workers", arm.at("workers").get<int>()), arm, arm.at("runs"),
            figures_of(arm));
      }
    } else {
      Json runs = Json::array();
      for (const Json& run : group.at("runs")) {
        runs.push_back({{"started_utc", run.at("start")},
                        {"figures", {{"throughput_per_s", run.at("ops_per_s")}}}});
      }
      Json figures = figures_of(group.at("ranges"));
      figures["memory_used_max_ratio"] = {{"min", 1}, {"max", 1}};  // "reached 100 % memory"
      add(group.at("node_type").get<std::string>(), group, std::move(runs), std::move(figures));
    }
  }
  return table;
}

Comparison compared(const std::string& group_name) {
  auto arms = read_run_summaries(table_of(group_name).dump(), "published.json");
  EXPECT_TRUE(arms) << (arms ? "" : arms.error().message);
  return analysis::compare(std::move(*arms), {});
}

// The one claim of this kind whose statement holds all of these words.
const Claim& claim(const Comparison& comparison, ClaimKind kind,
                   const std::vector<std::string>& words = {}) {
  const Claim* found = nullptr;
  for (const Claim& one : comparison.claims) {
    const bool fits = one.kind == kind && std::ranges::all_of(words, [&](const std::string& word) {
                        return one.statement.find(word) != std::string::npos;
                      });
    if (!fits) continue;
    EXPECT_EQ(found, nullptr) << "several: " << one.statement;
    found = &one;
  }
  static const Claim kNone;
  EXPECT_NE(found, nullptr) << analysis::claim_info(kind).name;
  return found == nullptr ? kNone : *found;
}

bool fired(const Claim& claim, GuardKind guard) {
  return std::ranges::find(claim.guards, guard, &analysis::Guard::kind) != claim.guards.end();
}

std::string evidence(const Claim& claim) {
  return fmt::format("{}", fmt::join(claim.evidence, " "));
}

class LargeNodes : public ::testing::Test {
 protected:
  const Comparison comparison_ = compared("r5-r6g-r7g-large-9-workers");
};

TEST_F(LargeNodes, EveryRunOfR5ExceededEveryRunOfBothGravitonNodes) {
  for (const char* other : {"cache.r6g.large", "cache.r7g.large"}) {
    const Claim& separation = claim(comparison_, ClaimKind::kSeparation, {"cache.r5.large", other});
    EXPECT_EQ(separation.verdict, Verdict::kSupported) << other;
    EXPECT_THAT(separation.statement, HasSubstr("Every run of cache.r5.large exceeded"));
  }
}

TEST_F(LargeNodes, ThreeRunsAgainstThreeDoNotShowThatItWouldHappenAgain) {
  const Claim& order =
      claim(comparison_, ClaimKind::kThroughputOrder, {"cache.r5.large", "cache.r6g.large"});
  EXPECT_EQ(order.verdict, Verdict::kCannotTell);
  EXPECT_TRUE(fired(order, GuardKind::kTooFewRuns));
  EXPECT_THAT(order.guards.front().limit, HasSubstr("p cannot go below 0.1"));
}

TEST_F(LargeNodes, TheGravitonNodesOverlap) {
  const Claim& separation =
      claim(comparison_, ClaimKind::kSeparation, {"cache.r6g.large", "cache.r7g.large"});
  EXPECT_EQ(separation.verdict, Verdict::kNotSupported);
  ASSERT_TRUE(fired(separation, GuardKind::kOverlap));
  EXPECT_THAT(separation.guards.front().limit, HasSubstr("44,582 /s to 46,423 /s"));
}

TEST_F(LargeNodes, LowerEngineCpuIsNoThroughputLeadAndNoCapacity) {
  const Claim& lead = claim(comparison_, ClaimKind::kCpuLead);
  EXPECT_EQ(lead.verdict, Verdict::kNotSupported);
  EXPECT_THAT(lead.statement, HasSubstr("cache.r7g.large"));
  EXPECT_TRUE(fired(lead, GuardKind::kCpuAlone));
  for (const char* node : {"cache.r5.large", "cache.r6g.large", "cache.r7g.large"})
    EXPECT_EQ(claim(comparison_, ClaimKind::kCapacity, {node}).verdict, Verdict::kNotSupported);
}

TEST_F(LargeNodes, MemoryEfficiencyMayNotBeRanked) {
  const Claim& memory = claim(comparison_, ClaimKind::kMemoryEfficiency);
  EXPECT_EQ(memory.verdict, Verdict::kCannotTell);
  ASSERT_TRUE(fired(memory, GuardKind::kKeyCounts));
  EXPECT_THAT(memory.guards.front().limit, HasSubstr("differ by 9.8 %"));
}

TEST_F(LargeNodes, AllNineRunsHadHeadroom) {
  const Claim& headroom = claim(comparison_, ClaimKind::kHeadroom);
  EXPECT_EQ(headroom.verdict, Verdict::kSupported);
  EXPECT_THAT(headroom.statement, HasSubstr("All 9 runs"));
}

TEST_F(LargeNodes, GenerationsAreNoLadderAndCostIsOpen) {
  EXPECT_EQ(claim(comparison_, ClaimKind::kGenerationLadder).verdict, Verdict::kNotSupported);
  const Claim& cost = claim(comparison_, ClaimKind::kCost);
  EXPECT_EQ(cost.verdict, Verdict::kCannotTell);
  EXPECT_TRUE(fired(cost, GuardKind::kNoPrice));
}

TEST_F(LargeNodes, LittlesLawFindsAllEighteenSlotsInUse) {
  for (const analysis::Arm& arm : comparison_.arms) {
    const Claim& concurrency = claim(comparison_, ClaimKind::kConcurrency, {arm.name});
    EXPECT_EQ(concurrency.verdict, Verdict::kSupported) << arm.name;
    EXPECT_THAT(evidence(concurrency), HasSubstr("of 18 slots"));
    EXPECT_TRUE(fired(claim(comparison_, ClaimKind::kCapacity, {arm.name}),
                      GuardKind::kConcurrencyLimited));
  }
}

TEST_F(LargeNodes, IsConditionalBecauseMuchIsNotStated) {
  EXPECT_EQ(comparison_.contract.standing, analysis::Standing::kConditional);
  EXPECT_TRUE(comparison_.contract.has(analysis::ReasonKind::kUnknown));
  EXPECT_THAT(comparison_.stops, Contains(HasSubstr("Nothing is said about cost")));
}

class Workers : public ::testing::Test {
 protected:
  const Comparison comparison_ = compared("t4g-micro-3-vs-9-workers");
};

TEST_F(Workers, ThreeTimesTheWorkersGaveThePublishedRatios) {
  const Claim& scaling = claim(comparison_, ClaimKind::kScaling);
  EXPECT_THAT(evidence(scaling), HasSubstr("3 times the workers gave 1.558 times the throughput"));
  EXPECT_THAT(evidence(scaling), HasSubstr("1.923 times the mean latency"));
  EXPECT_THAT(evidence(scaling), HasSubstr("2.470 times the evictions"));
}

TEST_F(Workers, AreNeitherACapacityUpgradeNorAScalingLaw) {
  const Claim& scaling = claim(comparison_, ClaimKind::kScaling);
  EXPECT_EQ(scaling.verdict, Verdict::kNotSupported);
  EXPECT_TRUE(fired(scaling, GuardKind::kUnequalRepeats));
  EXPECT_TRUE(fired(scaling, GuardKind::kSaturated));
  for (const char* arm : {"3 workers", "9 workers"}) {
    const Claim& capacity = claim(comparison_, ClaimKind::kCapacity, {arm});
    EXPECT_EQ(capacity.verdict, Verdict::kNotSupported) << arm;
    EXPECT_TRUE(fired(capacity, GuardKind::kSaturated)) << arm;
  }
  EXPECT_TRUE(comparison_.contract.has(analysis::ReasonKind::kUnequalRepeats));
}

TEST_F(Workers, TheFirstEvictionCameElevenMinutesEarlierWhichTwoMeansDoNotSettle) {
  const Claim& cliff = claim(comparison_, ClaimKind::kCliffTiming);
  EXPECT_EQ(cliff.verdict, Verdict::kCannotTell);
  EXPECT_THAT(cliff.statement, HasSubstr("3 workers begins to evict later than 9 workers"));
  EXPECT_THAT(evidence(cliff), HasSubstr("702.0 s apart"));
}

TEST_F(Workers, AHigherHitRatioIsReadTogetherWithTheEvictions) {
  const Claim& hits = claim(comparison_, ClaimKind::kHitRatio);
  EXPECT_EQ(hits.verdict, Verdict::kCannotTell);
  EXPECT_TRUE(fired(hits, GuardKind::kEvictions));
  EXPECT_THAT(evidence(hits), HasSubstr("234,864"));
}

TEST_F(Workers, LittlesLawFindsTwoRequestsInFlightForEachWorker) {
  const Claim& few = claim(comparison_, ClaimKind::kConcurrency, {"3 workers"});
  const Claim& many = claim(comparison_, ClaimKind::kConcurrency, {"9 workers"});
  EXPECT_EQ(few.verdict, Verdict::kSupported);
  EXPECT_EQ(many.verdict, Verdict::kSupported);
  EXPECT_THAT(evidence(few), HasSubstr("6.0 requests in flight of 6 slots"));
  EXPECT_THAT(evidence(few), HasSubstr("2.0 for each of 3 workers"));
  EXPECT_THAT(evidence(many), HasSubstr("18.0 requests in flight of 18 slots"));
  EXPECT_THAT(evidence(many), HasSubstr("2.0 for each of 9 workers"));
}

class ThreeExecutions : public ::testing::Test {
 protected:
  const Comparison comparison_ = compared("t3-small-three-executions");
};

TEST_F(ThreeExecutions, AgreeOnTheOperatingState) {
  const Claim& state = claim(comparison_, ClaimKind::kOperatingState);
  EXPECT_EQ(state.verdict, Verdict::kSupported);
  for (const char* shared : {"memory full", "evictions", "peak keys 797,000", "no CPU credit left"})
    EXPECT_THAT(evidence(state), HasSubstr(shared));
}

TEST_F(ThreeExecutions, DoNotAgreeOnAHeadline) {
  const Claim& headline = claim(comparison_, ClaimKind::kHeadline);
  EXPECT_EQ(headline.verdict, Verdict::kNotSupported);
  ASSERT_TRUE(fired(headline, GuardKind::kWideSpread));
  EXPECT_THAT(headline.guards.front().limit, HasSubstr("observed range (9,133 /s to 13,664 /s)"));
  EXPECT_EQ(claim(comparison_, ClaimKind::kCapacity).verdict, Verdict::kNotSupported);
}

TEST_F(ThreeExecutions, CpuIsNotShownToBeTheBottleneck) {
  const Claim& cpu = claim(comparison_, ClaimKind::kCpuBottleneck);
  EXPECT_EQ(cpu.verdict, Verdict::kNotSupported);
  EXPECT_THAT(cpu.guards.front().limit, HasSubstr("30.1 %"));
  const Claim& credits = claim(comparison_, ClaimKind::kBurstCredits);
  EXPECT_EQ(credits.verdict, Verdict::kCannotTell);
  EXPECT_TRUE(fired(credits, GuardKind::kNoThrottling));
}

TEST_F(ThreeExecutions, LowLatencyDoesNotMeanThatTheWorkingSetFits) {
  const Claim& fits = claim(comparison_, ClaimKind::kWorkingSet);
  EXPECT_EQ(fits.verdict, Verdict::kNotSupported);
  EXPECT_TRUE(fired(fits, GuardKind::kEvictions));
}

TEST(Published, EveryUnsettledClaimSaysWhatWouldSettleIt) {
  for (const char* group :
       {"r5-r6g-r7g-large-9-workers", "t4g-micro-3-vs-9-workers", "t3-small-three-executions"}) {
    const Comparison comparison = compared(group);
    EXPECT_NE(comparison.contract.standing, analysis::Standing::kInvalid);
    for (const Claim& one : comparison.claims) {
      EXPECT_THAT(one.statement, Not(IsEmpty()));
      if (one.verdict == Verdict::kCannotTell) {
        EXPECT_THAT(one.settle, Not(IsEmpty())) << one.statement;
        EXPECT_THAT(one.guards, Not(IsEmpty())) << one.statement;
      }
    }
  }
}

}  // namespace
}  // namespace headroom::interop
