// How large run files are and how fast they are read. HEADROOM_BUSY_SECONDS=36000 makes the file of
// ten hours, HEADROOM_BUSY_FILE=busy.run keeps it; the figures are printed either way.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <iostream>

#include "store/run_reader.h"
#include "store/run_samples.h"

namespace headroom::store {
namespace {

constexpr double kLargestHourBytes = 12e6;

std::int64_t seconds_to_write() {
  const char* asked = std::getenv("HEADROOM_BUSY_SECONDS");
  return asked == nullptr ? 120 : std::atoll(asked);
}

TEST(RunSize, OfAnHourOfNineBusyWorkersIsAtMostTwelveMegabytes) {
  const ScratchDirectory scratch;
  const char* kept = std::getenv("HEADROOM_BUSY_FILE");
  const std::filesystem::path path = kept == nullptr ? scratch / "busy.run" : kept;
  const std::int64_t seconds = seconds_to_write();
  RunWriter writer = must_create(path);
  // What a file of no length takes stands apart: an hour has it once.
  ASSERT_TRUE(writer.commit());
  const auto empty_bytes = std::filesystem::file_size(path);
  BusySeconds load(1);
  for (std::int64_t second = 0; second < seconds; ++second) {
    ASSERT_TRUE(load.write_next(writer));
    ASSERT_TRUE(writer.commit());
  }
  ASSERT_TRUE(writer.seal(record::RunEnd::kComplete, ""));
  const auto bytes = static_cast<double>(std::filesystem::file_size(path));
  const double per_second =
      (bytes - static_cast<double>(empty_bytes)) / static_cast<double>(seconds);
  const double hour = static_cast<double>(empty_bytes) + 3600 * per_second;

  const auto begin = std::chrono::steady_clock::now();
  const auto run = read_run(path);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->intervals.size(), static_cast<std::size_t>(seconds));
  EXPECT_LE(hour, kLargestHourBytes);
  std::cout << seconds << " s: " << bytes / 1e6 << " MB, an hour " << hour / 1e6 << " MB; read in "
            << took.count() << " s\n";
}

}  // namespace
}  // namespace headroom::store
