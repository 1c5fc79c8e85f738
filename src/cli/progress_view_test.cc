#include "cli/progress_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headroom::cli {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

lab::Progress full_progress() {
  lab::Progress progress;
  progress.phase = record::Phase::kMeasure;
  progress.left = seconds{32};
  progress.left_in_phase = seconds{32};
  progress.throughput_per_s = 101'234;
  progress.rejected_per_s = 830;
  progress.failed_per_s = 3;
  progress.p99 = microseconds{420};
  progress.memory_used_ratio = 1.0;
  progress.evictions = 12'345;
  return progress;
}

TEST(ProgressText, SaysWhatIsKnownAndLeavesOutWhatIsNot) {
  EXPECT_EQ(progress_text(full_progress()),
            "measure   32 s left  101 k/s  rejected 830/s  failed 3/s  p99 420 us  memory 100 %  "
            "evictions 12.3 k");
  lab::Progress nothing;
  nothing.phase = record::Phase::kProvision;
  EXPECT_EQ(progress_text(nothing), "provision");
}

TEST(ProgressText, ShowsInOpenLoopWhatWasAskedBesideWhatWasAchieved) {
  lab::Progress progress = full_progress();
  progress.asked_per_s = 101'300;
  EXPECT_THAT(progress_text(progress, {.colour = true}), HasSubstr("  101 k/s of 101 k/s  "));
  progress.throughput_per_s = 64'000;
  EXPECT_THAT(progress_text(progress), HasSubstr("  64.0 k/s of 101 k/s  "));
  EXPECT_THAT(progress_text(progress, {.colour = true}),
              HasSubstr("\x1b[1;31m64.0 k/s of 101 k/s\x1b[0m"));
}

TEST(ProgressText, NamesTroubleOnlyWhereThereIsSome) {
  lab::Progress progress = full_progress();
  progress.rejected_per_s = 0;
  progress.failed_per_s.reset();
  EXPECT_THAT(progress_text(progress),
              AllOf(Not(HasSubstr("rejected")), Not(HasSubstr("failed")), HasSubstr("p99")));
}

TEST(ProgressText, SaysInWarmupWhenMeasureBeginsAndHowLongThatTakes) {
  lab::Progress progress;
  progress.phase = record::Phase::kWarmup;
  progress.left_in_phase = milliseconds{2'400};
  progress.left = milliseconds{12'400};
  EXPECT_EQ(progress_text(progress), "warmup     3 s left, then 10 s");
}

TEST(ProgressText, CountsRequestsWhereTheyEndTheMeasurement) {
  lab::Progress progress;
  progress.phase = record::Phase::kMeasure;
  progress.left_in_phase = seconds{86'000};
  progress.requests_ended = 12'345;
  progress.requests_total = 100'000;
  progress.throughput_per_s = 6'000;
  EXPECT_EQ(progress_text(progress), "measure  12,345 of 100,000 requests  6.00 k/s");
}

TEST(ProgressText, CountsThePrefillInKeys) {
  lab::Progress progress;
  progress.phase = record::Phase::kPrefill;
  progress.prefilled = 1'200;
  progress.prefill_total = 48'000;
  EXPECT_EQ(progress_text(progress), "prefill  1,200 of 48,000 keys written");
}

TEST(ProgressText, ShowsTroubleInEightyColumns) {
  EXPECT_EQ(progress_text(full_progress(), {79, false}),
            "measure   32 s left  101 k/s  rejected 830/s  failed 3/s  p99 420 us");
}

TEST(ProgressText, LeavesOutWholeFieldsFromTheRight) {
  const std::string whole = progress_text(full_progress());
  for (std::size_t columns = 0; columns <= whole.size(); ++columns) {
    const std::string line = progress_text(full_progress(), {columns, false});
    SCOPED_TRACE(columns);
    ASSERT_LE(line.size(), columns);
    EXPECT_THAT(whole, StartsWith(line));
    EXPECT_TRUE(line.empty() || line == whole || whole.substr(line.size(), 2) == "  ") << line;
  }
}

TEST(ProgressText, ColoursTroubleWithoutTakingColumnsForIt) {
  const std::string line = progress_text(full_progress(), {56, true});
  EXPECT_THAT(line, HasSubstr("101 k/s  \x1b[1;31mrejected 830/s\x1b[0m"));
  EXPECT_THAT(line, EndsWith("\x1b[1;31mfailed 3/s\x1b[0m"));
  EXPECT_THAT(progress_text(full_progress(), {56, false}), EndsWith("rejected 830/s  failed 3/s"));
}

}  // namespace
}  // namespace headroom::cli
