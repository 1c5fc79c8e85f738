// Runs to test the store with: a small one in which everything occurs, and a load of any length as
// a busy node would leave it. For tests only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/random.h"
#include "record/run.h"
#include "store/run_writer.h"

namespace headroom::store {

// SET and GET, nine workers.
[[nodiscard]] record::RunHeader sample_header();

// Every kind of content at least once: all phases, outcomes, events and warnings, absent values,
// both kinds of latency, texts with odd characters.
[[nodiscard]] record::Run sample_run();
// What write_run() puts into the log of single requests.
[[nodiscard]] std::vector<record::RequestRecord> sample_requests();
// Writes all of it, committing once; does not seal.
void write_run(RunWriter& writer, const record::Run& run);
// Fails the test, naming what differs.
void expect_same_run(const record::Run& actual, const record::Run& expected);

// A fresh directory for one test, removed with it, and paths in it.
class ScratchDirectory {
 public:
  ScratchDirectory();
  ~ScratchDirectory();
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const {
    return path_ / name;
  }
  // The names of all files in it, sorted.
  [[nodiscard]] std::vector<std::string> names() const;

 private:
  std::filesystem::path path_;
};

// A created writer; aborts the test program if that fails.
[[nodiscard]] RunWriter must_create(const std::filesystem::path& path,
                                    const record::RunHeader& header = sample_header());
// A small sealed file with sample_run() in it.
void make_sealed_run(const std::filesystem::path& path);

// What nine workers leave in each second of `measure`: 50,000 operations a second whose latencies
// are log-normal with a long tail, 10 % SET, one GET in ten a miss, and every metric of the
// catalogue. Seeded; needs no time.
class BusySeconds {
 public:
  explicit BusySeconds(std::uint64_t seed);
  // Appends the next second, uncommitted.
  [[nodiscard]] Status write_next(RunWriter& writer);

 private:
  [[nodiscard]] Nanos latency();
  [[nodiscard]] std::vector<record::WorkerCounts> workers(const record::Interval& interval);
  [[nodiscard]] record::SampleBatch samples(Nanos time);

  Random random_;
  std::vector<double> quantiles_ns_;  // of the latency distribution
  std::vector<double> levels_;        // of each series
  std::int64_t second_ = 0;
};

}  // namespace headroom::store
