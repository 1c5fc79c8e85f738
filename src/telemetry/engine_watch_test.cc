#include "telemetry/engine_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace headroom::telemetry {
namespace {

using record::EventKind;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Looks once a second and keeps the texts.
class EngineWatchTest : public testing::Test {
 protected:
  std::vector<std::string> look(const std::map<std::string, double>& values) {
    std::vector<record::Sample> samples;
    for (const auto& [name, value] : values) samples.push_back({record::metric(name), "", value});
    std::vector<std::string> texts;
    for (const record::Event& event : watch_.look(seconds{++second_}, samples)) {
      EXPECT_EQ(event.time, seconds{second_});
      kinds_.push_back(event.kind);
      texts.push_back(event.text);
    }
    return texts;
  }
  EngineWatch watch_;
  std::vector<EventKind> kinds_;
  int second_ = 0;
};

TEST_F(EngineWatchTest, ASnapshotBeginsAndEnds) {
  EXPECT_THAT(look({{"SaveInProgress", 0}, {"total_forks", 2}}), IsEmpty());
  EXPECT_THAT(
      look({{"SaveInProgress", 1}, {"total_forks", 3}, {"latest_fork_usec", 1500}}),
      ElementsAre("a snapshot began", "the engine forked: the latest fork held it up for 1.50 ms"));
  EXPECT_THAT(look({{"SaveInProgress", 1}, {"total_forks", 3}}), IsEmpty());
  EXPECT_THAT(look({{"SaveInProgress", 0}, {"total_forks", 3}}),
              ElementsAre("a snapshot ended after 2.00 s"));
  EXPECT_THAT(kinds_, ElementsAre(EventKind::kSave, EventKind::kFork, EventKind::kSave));
}

TEST_F(EngineWatchTest, ASnapshotBetweenTwoSamplesIsSeenByItsFork) {
  EXPECT_THAT(look({{"SaveInProgress", 0}, {"total_forks", 0}}), IsEmpty());
  EXPECT_THAT(look({{"SaveInProgress", 0}, {"total_forks", 2}}),
              ElementsAre("the engine forked 2 times"));
}

TEST_F(EngineWatchTest, WhatWasUnderWayBeforeIsSaidToHaveBeen) {
  EXPECT_THAT(look({{"aof_rewrite_in_progress", 1}}),
              ElementsAre("a rewrite of the append-only file was under way"));
  EXPECT_THAT(look({{"active_defrag_running", 0}}), IsEmpty());
  EXPECT_THAT(look({{"active_defrag_running", 0.25}}), ElementsAre("active defragmentation began"));
}

TEST_F(EngineWatchTest, EvictionsComeInCycles) {
  EXPECT_THAT(look({{"Evictions", 7}}), IsEmpty());
  EXPECT_THAT(look({{"Evictions", 8}}), ElementsAre("the first evictions: memory is full"));
  EXPECT_THAT(look({{"Evictions", 1007}}), IsEmpty());
  for (int i = 1; i < EngineWatch::kQuietSamples; ++i)
    EXPECT_THAT(look({{"Evictions", 1007}}), IsEmpty());
  EXPECT_THAT(look({{"Evictions", 1007}}), ElementsAre("evictions paused: 1,000 keys in 1.00 s"));
  EXPECT_THAT(look({{"Evictions", 1007}}), IsEmpty());
  EXPECT_THAT(look({{"Evictions", 1010}}), ElementsAre("evictions began again"));
}

TEST_F(EngineWatchTest, ARestartEndsACycleWithoutAWord) {
  EXPECT_THAT(look({{"Evictions", 10}}), IsEmpty());
  EXPECT_EQ(look({{"Evictions", 20}}).size(), 1U);
  EXPECT_THAT(look({{"Evictions", 0}}), IsEmpty());
  EXPECT_THAT(look({{"Evictions", 0}}), IsEmpty());
}

TEST_F(EngineWatchTest, AReplicasLinkGoesAndComes) {
  EXPECT_THAT(look({{"MasterLinkHealthStatus", 1}}), IsEmpty());
  EXPECT_THAT(look({{"MasterLinkHealthStatus", 0}}),
              ElementsAre("the link to the primary is down"));
  EXPECT_THAT(look({}), IsEmpty());  // not told: not known
  EXPECT_THAT(look({{"MasterLinkHealthStatus", 1}}),
              ElementsAre("the link to the primary is up again"));
}

TEST_F(EngineWatchTest, StopsTellingAfterSoMany) {
  std::size_t told = 0;
  std::string last;
  for (int i = 0; i < 1'000; ++i) {
    for (std::string& text : look({{"SaveInProgress", i % 2}})) {
      ++told;
      last = std::move(text);
    }
  }
  EXPECT_EQ(told, static_cast<std::size_t>(EngineWatch::kMostEvents));
  EXPECT_THAT(last, HasSubstr("no more of these are told"));
}

}  // namespace
}  // namespace headroom::telemetry
