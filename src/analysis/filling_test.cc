#include "analysis/filling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/run_builder.h"

namespace headroom::analysis {
namespace {

using headroom::testing::RunBuilder;
using ::testing::HasSubstr;

constexpr double kLimit = 64.0 * 1024 * 1024;

// A node that writes 5,000 keys of 1,800 bytes a second until all are written.
RunBuilder writing(std::int64_t seconds, double key_space) {
  const auto keys = [=](double t) { return std::min(key_space, 5'000 * std::max(0.0, t)); };
  RunBuilder builder;
  builder.measure(seconds)
      .metric("CurrItems", keys)
      .metric("BytesUsedForCache", [keys](double t) { return 1e6 + 1'800 * keys(t); })
      .edit([key_space](record::Run& run) {
        run.facts["workload.keys"] = std::to_string(static_cast<std::uint64_t>(key_space));
      });
  return builder;
}

std::optional<Filling> filling(const record::Run& run) {
  return still_filling(run, summarize(run).measure.window);
}

TEST(StillFilling, IsAShortRunOfWhichLittleWasWritten) {
  const record::Run run = writing(4, 69'519).build();
  const auto found = filling(run);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->bytes_per_s, 9e6, 1);
  EXPECT_EQ(found->keys, 20'000);
  EXPECT_EQ(found->key_space, 69'519);
  EXPECT_NEAR(found->seconds_to_full.value(), (kLimit - 37e6) / 9e6, 1e-3);
  const Summary summary = summarize(run);
  EXPECT_EQ(summary.regime.regime, Regime::kHeadroom);
  EXPECT_EQ(summary.regime.evidence,
            "Nothing was evicted or refused, but memory was still growing when the window ended "
            "(55.1 % of maxmemory, +8.58 MiB/s; 20,000 of 69,519 keys written): at this pace it "
            "would be full after about 3.00 s more.");
}

TEST(StillFilling, IsNotFullBeforeItsKeysEndIfAllOfThemFit) {
  const record::Run run = writing(4, 30'000).build();
  ASSERT_TRUE(filling(run));
  EXPECT_FALSE(filling(run)->seconds_to_full);
  EXPECT_THAT(summarize(run).regime.evidence,
              HasSubstr("written): what is left is not what all keys would leave."));
}

TEST(StillFilling, IsARunWithoutSamplesOfKeysWhoseMemoryGrows) {
  const record::Run run = writing(5, 69'519).without("CurrItems").build();
  ASSERT_TRUE(filling(run));
  EXPECT_FALSE(filling(run)->keys);
  EXPECT_TRUE(filling(run)->seconds_to_full);
}

TEST(StillFilling, IsOneOfVastMemoryOfWhichAlmostNothingIsUsed) {
  const record::Run run =
      writing(4, 5e7).metric("maxmemory", [](double) { return 64.0 * (1U << 30U); }).build();
  EXPECT_TRUE(filling(run));
}

TEST(StillFilling, EndsWhenAllKeysAreWritten) {
  EXPECT_TRUE(filling(writing(40, 30'000).killed_after(5).build()));
  EXPECT_FALSE(filling(writing(40, 30'000).build()));
  // What grows then is no data: buffers, tables.
  EXPECT_FALSE(filling(writing(40, 30'000)
                           .metric("BytesUsedForCache", [](double t) { return 2e6 + 2e5 * t; })
                           .build()));
}

TEST(StillFilling, IsNotTheJitterOfAFullKeySet) {
  EXPECT_FALSE(
      filling(RunBuilder()
                  .measure(4)
                  .metric("CurrItems", [](double) { return 20'000; })
                  .metric("BytesUsedForCache", [](double t) { return 4e7 + (t > 2 ? 60'000 : 0); })
                  .build()));
}

TEST(StillFilling, CannotBeToldWithoutSamplesOrLimit) {
  EXPECT_FALSE(filling(RunBuilder().without_telemetry().build()));
  EXPECT_FALSE(filling(RunBuilder().metric("maxmemory", [](double) { return 0; }).build()));
}

}  // namespace
}  // namespace headroom::analysis
