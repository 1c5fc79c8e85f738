#include "analysis/instrument.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sample_checks.h"

namespace headroom::analysis {
namespace {

using namespace std::chrono_literals;
using headroom::testing::quiet_machine;
using headroom::testing::starved_machine;
using headroom::testing::truth_check;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

auto fatal(const std::string& words) {
  return AllOf(Field(&InstrumentDoubt::fatal, true),
               Field(&InstrumentDoubt::what, HasSubstr(words)));
}
auto caution(const std::string& words) {
  return AllOf(Field(&InstrumentDoubt::fatal, false),
               Field(&InstrumentDoubt::what, HasSubstr(words)));
}

TEST(QuantileCheck, HoldsWithinOnePercentOrFiveMicroseconds) {
  const auto holds = [](Nanos truth, Nanos measured) {
    return QuantileCheck{0.5, truth, truth, measured}.holds();
  };
  EXPECT_TRUE(holds(100us, 105us));
  EXPECT_TRUE(holds(100us, 95us));
  EXPECT_FALSE(holds(100us, 105'001ns));
  EXPECT_FALSE(holds(100us, 94'999ns));
  EXPECT_TRUE(holds(10ms, 10'100us));
  EXPECT_FALSE(holds(10ms, 10'101us));
}

TEST(QuantileCheck, RefutesNothingThatIsNotKnown) {
  const QuantileCheck unknown{0.999, std::nullopt, std::nullopt, 1ms};
  EXPECT_FALSE(unknown.known());
  EXPECT_TRUE(unknown.holds());
}

TEST(TruthCheck, HoldsWhenCountsAndQuantilesDo) {
  TruthCheck check = truth_check("x", 1ms, 2000, 10us);
  EXPECT_TRUE(check.holds());
  EXPECT_EQ(check.own(0.5), 14us);
  EXPECT_EQ(check.own(0.99), 24us);
  EXPECT_EQ(check.own(0.42), std::nullopt);
  check.quantiles[3].measured = 2ms;
  EXPECT_FALSE(check.holds());
  EXPECT_TRUE(check.typical_holds());  // only the maximum is off
  check.quantiles[1].measured = 2ms;
  EXPECT_FALSE(check.typical_holds());
  check = truth_check("x", 1ms, 2000, 10us);
  check.reported = 1999;
  EXPECT_FALSE(check.typical_holds());
}

TEST(CeilingCheck, IsOneOperationPerCpuTimeOfOne) {
  const CeilingCheck check{1, 50, 2, 400'000, 1s, 1'600ms, 1'000ms};
  EXPECT_DOUBLE_EQ(check.throughput_per_s().value(), 200'000);
  EXPECT_DOUBLE_EQ(check.cpu_ns().value(), 4'000);
  EXPECT_DOUBLE_EQ(check.ceiling_per_s().value(), 250'000);
  EXPECT_DOUBLE_EQ(check.generator_ratio(), 0.8);
  EXPECT_DOUBLE_EQ(check.responder_ratio(), 0.5);
}

TEST(CeilingCheck, NamesWhatHeldIt) {
  const auto limit = [](Nanos generator, Nanos responder) {
    return CeilingCheck{1, 50, 1, 1000, 1s, generator, responder}.limit();
  };
  EXPECT_EQ(limit(990ms, 900ms), CeilingLimit::kGenerator);
  EXPECT_EQ(limit(860ms, 990ms), CeilingLimit::kResponder);
  EXPECT_EQ(limit(500ms, 500ms), CeilingLimit::kMachine);
}

TEST(CeilingCheck, OfNothingIsNotKnown) {
  const CeilingCheck nothing;
  EXPECT_FALSE(nothing.throughput_per_s());
  EXPECT_FALSE(nothing.cpu_ns());
  EXPECT_FALSE(nothing.ceiling_per_s());
  EXPECT_EQ(nothing.limit(), CeilingLimit::kMachine);
}

TEST(JudgeInstrument, TrustsAQuietMachine) {
  const InstrumentVerdict verdict = judge_instrument(quiet_machine());
  EXPECT_EQ(verdict.trust, Trust::kTrustworthy);
  EXPECT_THAT(verdict.doubts, IsEmpty());
  EXPECT_EQ(verdict.own_p50, 14us);
  EXPECT_EQ(verdict.own_p99, 34us);
  EXPECT_THAT(verdict.conclusions,
              ElementsAre(HasSubstr("every quantile"), HasSubstr("differ by more than 20.0 us"),
                          HasSubstr("212 k/s at pipeline 1, 2.43 M/s at pipeline 16")));
}

TEST(JudgeInstrument, DoesNotTrustAStarvedMachineAndNamesEveryCause) {
  const InstrumentVerdict verdict = judge_instrument(starved_machine());
  EXPECT_EQ(verdict.trust, Trust::kUntrustworthy);
  EXPECT_THAT(
      verdict.doubts,
      Contains(fatal("timed waits ended 1.20 ms late at the median, 13.0 ms at p99: its CPU "
                     "quota of 0.5 CPUs was exhausted for 40 % of the time, and other "
                     "programs used 0.9 of the 1 CPU that Headroom may use.")));
  EXPECT_THAT(verdict.doubts, Contains(caution("max was reported as")));
  EXPECT_TRUE(verdict.doubts.front().fatal);
  EXPECT_THAT(verdict.conclusions, SizeIs(1));
}

TEST(JudgeInstrument, TrustsWhereACauseHasNoEffectButSaysSo) {
  InstrumentCheck check = quiet_machine();
  check.machine.others_cpus = 1.5;
  check.machine.steal_ratio = 0.02;
  const InstrumentVerdict verdict = judge_instrument(check);
  EXPECT_EQ(verdict.trust, Trust::kWithCaution);
  EXPECT_THAT(verdict.doubts, ElementsAre(caution("hypervisor gave 2 %"), caution("1.5 of the 4")));
}

TEST(JudgeInstrument, SaysWhenNothingTellsWhy) {
  InstrumentCheck check = quiet_machine();
  check.timers.lateness.p50 = 2ms;
  EXPECT_THAT(judge_instrument(check).doubts, ElementsAre(fatal("nothing tells why")));
}

TEST(JudgeInstrument, DoesNotTrustWhatIsReportedWrong) {
  InstrumentCheck check = quiet_machine();
  check.truths[1].quantiles[1].measured = 25ms;
  EXPECT_THAT(judge_instrument(check).doubts,
              ElementsAre(fatal("fixed 20 ms: p99 was reported as 25.0 ms and was 20.1 ms")));
  check = quiet_machine();
  check.truths[0].reported -= 3;
  EXPECT_THAT(judge_instrument(check).doubts, ElementsAre(fatal("8,123 requests")));
}

TEST(JudgeInstrument, TakesAWrongMaximumForACaution) {
  InstrumentCheck check = quiet_machine();
  check.truths[0].quantiles[3].measured = 300us;
  const InstrumentVerdict verdict = judge_instrument(check);
  EXPECT_EQ(verdict.trust, Trust::kWithCaution);
  EXPECT_THAT(verdict.conclusions, Contains(HasSubstr("up to p99")));
}

TEST(JudgeInstrument, ClaimsNoExactnessWhereNoTruthIsKnown) {
  InstrumentCheck check = quiet_machine();
  for (TruthCheck& truth : check.truths) {
    for (QuantileCheck& quantile : truth.quantiles) quantile.truth.reset();
  }
  const InstrumentVerdict verdict = judge_instrument(check);
  EXPECT_EQ(verdict.trust, Trust::kWithCaution);
  EXPECT_THAT(verdict.doubts, ElementsAre(caution("does not stamp")));
  EXPECT_THAT(verdict.conclusions, Each(Not(HasSubstr("reported as they are"))));
}

// Each threshold at its last good and its first bad value.
TEST(JudgeInstrument, JudgesByItsThresholds) {
  struct Row {
    const char* what;
    void (*change)(InstrumentCheck&);
    Trust trust;
  };
  const Row rows[] = {
      {"timer median", [](auto& c) { c.timers.lateness.p50 = 200us; }, Trust::kTrustworthy},
      {"timer median", [](auto& c) { c.timers.lateness.p50 = 201us; }, Trust::kUntrustworthy},
      {"timer p99", [](auto& c) { c.timers.lateness.p99 = 1ms; }, Trust::kTrustworthy},
      {"timer p99", [](auto& c) { c.timers.lateness.p99 = 1001us; }, Trust::kWithCaution},
      {"timer p99", [](auto& c) { c.timers.lateness.p99 = 10'001us; }, Trust::kUntrustworthy},
      {"no CPU", [](auto& c) { c.timers.kept_waiting_ratio = 0.25; }, Trust::kTrustworthy},
      {"no CPU", [](auto& c) { c.timers.kept_waiting_ratio = 0.26; }, Trust::kUntrustworthy},
      {"no CPU", [](auto& c) { c.timers.kept_waiting_ratio.reset(); }, Trust::kTrustworthy},
      {"own p99", [](auto& c) { c.truths[0] = truth_check("x", 100us, 5000, 900us); },
       Trust::kTrustworthy},
      {"own p99", [](auto& c) { c.truths[0] = truth_check("x", 100us, 5000, 2ms); },
       Trust::kWithCaution},
      {"own p99", [](auto& c) { c.truths[0] = truth_check("x", 100us, 5000, 21ms); },
       Trust::kUntrustworthy},
      {"workers", [](auto& c) { c.workers = 4; }, Trust::kWithCaution},
      {"one CPU", [](auto& c) { c.machine.cpus_allowed = 1; }, Trust::kWithCaution},
      {"clock", [](auto& c) { c.machine.clock_reading = 201ns; }, Trust::kWithCaution},
      {"governor", [](auto& c) { c.machine.governor = "powersave"; }, Trust::kWithCaution},
      {"governor", [](auto& c) { c.machine.governor.clear(); }, Trust::kTrustworthy},
      {"build", [](auto& c) { c.machine.optimized_build = false; }, Trust::kWithCaution},
  };
  for (const Row& row : rows) {
    InstrumentCheck check = quiet_machine();
    row.change(check);
    EXPECT_EQ(judge_instrument(check).trust, row.trust) << row.what;
  }
}

TEST(JudgeInstrument, OfNothingClaimsNothing) {
  const InstrumentVerdict verdict = judge_instrument({});
  EXPECT_THAT(verdict.conclusions, IsEmpty());
  EXPECT_FALSE(verdict.own_p50);
}

}  // namespace
}  // namespace headroom::analysis
