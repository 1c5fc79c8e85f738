// The names and stored values of the enums that run files hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "record/event.h"
#include "record/load.h"
#include "record/member.h"
#include "record/outcome.h"
#include "record/phase.h"
#include "record/run.h"

namespace headroom::record {
namespace {

using testing::EndsWith;

TEST(RecordNames, EveryPhaseHasItsOwnNameAndComesBackFromItsValue) {
  std::set<std::string_view> names;
  for (const Phase phase : kPhases) {
    names.insert(phase_name(phase));
    EXPECT_EQ(phase_from_value(static_cast<int>(phase)), phase);
  }
  EXPECT_EQ(names.size(), kPhases.size());
  EXPECT_FALSE(names.contains("unknown"));
  EXPECT_EQ(phase_name(Phase::kMeasure), "measure");
}

TEST(RecordNames, EveryOutcomeHasItsOwnNameAndComesBackFromItsValue) {
  std::set<std::string_view> names;
  for (const Outcome outcome : kOutcomes) {
    names.insert(outcome_name(outcome));
    EXPECT_EQ(outcome_from_value(static_cast<int>(outcome)), outcome);
  }
  EXPECT_EQ(names.size(), kOutcomeCount);
  EXPECT_FALSE(names.contains("unknown"));
}

TEST(RecordNames, RolesOfMembersComeBackFromTheirNames) {
  for (const MemberRole role : {MemberRole::kPrimary, MemberRole::kReplica})
    EXPECT_EQ(member_role_from_name(member_role_name(role)), role);
  EXPECT_FALSE(member_role_from_name("master"));
}

TEST(RecordNames, ValuesThatWereNeverStoredAreRefused) {
  for (const int value : {-1, 1'000}) {
    EXPECT_FALSE(phase_from_value(value));
    EXPECT_FALSE(outcome_from_value(value));
    EXPECT_FALSE(event_from_value(value));
    EXPECT_FALSE(warning_from_value(value));
  }
  EXPECT_FALSE(phase_from_value(static_cast<int>(kPhases.size())));
  EXPECT_FALSE(outcome_from_value(static_cast<int>(kOutcomeCount)));
}

TEST(RecordNames, EveryEventHasItsOwnName) {
  std::set<std::string_view> names;
  int value = 0;
  for (; event_from_value(value); ++value) names.insert(event_name(*event_from_value(value)));
  EXPECT_EQ(value, static_cast<int>(EventKind::kNotified) + 1);
  EXPECT_EQ(names.size(), static_cast<std::size_t>(value));
  EXPECT_FALSE(names.contains("unknown"));
}

TEST(WarningCatalogue, EveryWarningHasANameAndANextStepThatIsASentence) {
  std::set<std::string_view> names;
  for (const WarningInfo& info : warning_catalogue()) {
    names.insert(info.name);
    EXPECT_EQ(&warning_info(info.kind), &info);
    EXPECT_EQ(warning_from_value(static_cast<int>(info.kind)), info.kind);
    EXPECT_THAT(std::string(info.next_step), EndsWith("."));
  }
  EXPECT_EQ(names.size(), warning_catalogue().size());
}

TEST(OperationCounts, AddUpByOutcome) {
  OperationCounts a{.sent = 3, .outcomes = {1, 2}};
  a.add({.sent = 4, .outcomes = {0, 1, 5, 7}});
  EXPECT_EQ(a, (OperationCounts{.sent = 7, .outcomes = {1, 3, 5, 7}}));
  EXPECT_EQ(a.completed(), 9U);
  EXPECT_EQ(a.total(), 16U);
}

TEST(RunInMemory, FindsPhasesAndMetricsByNameAndLabel) {
  record::Run run;
  run.phases = {{Phase::kConnect, Nanos{1}, {}}, {Phase::kMeasure, Nanos{2}, {}}};
  run.metrics = {{"command_calls", "get", {}}, {"maxmemory", "", {}}};
  ASSERT_NE(run.phase(Phase::kMeasure), nullptr);
  EXPECT_EQ(run.phase(Phase::kMeasure)->begin, Nanos{2});
  EXPECT_EQ(run.phase(Phase::kDrain), nullptr);
  EXPECT_EQ(run.find_metric("command_calls"), nullptr);
  EXPECT_EQ(run.find_metric("command_calls", "get"), &run.metrics[0]);
  EXPECT_EQ(run.find_metric("maxmemory"), &run.metrics[1]);
}

}  // namespace
}  // namespace headroom::record
