// Writes a run file while the run goes. docs/RUN_FILE.md describes every table.
//
// The file is SQLite in WAL mode: everything up to the last commit() survives SIGKILL, power loss
// and a full disk. seal() turns it into one plain file with a digest over its content; from then on
// it is read-only by contract and by file mode.
//
// Not thread-safe: one thread owns a writer. Every member reports the disk's errors; after one the
// writer takes no more data, but what was committed stays readable.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "record/event.h"
#include "record/load.h"
#include "record/metric.h"
#include "record/run.h"

namespace headroom::store {

class RunWriter {
 public:
  // Refuses a path that exists. The header is committed before this returns.
  [[nodiscard]] static Result<RunWriter> create(const std::filesystem::path& path,
                                                const record::RunHeader& header);
  RunWriter(RunWriter&&) noexcept;
  RunWriter& operator=(RunWriter&&) noexcept;
  ~RunWriter();  // unsealed: leaves the file as it is, incomplete

  // Each appends to the open transaction; commit() ends it. Intervals have counts for every
  // operation of the header; a phase ends after it began, and begins once. A sample that is NaN is
  // left out (absent), and of two values of one series in one batch the last stands.
  [[nodiscard]] Status fact(std::string_view key, std::string_view value);
  [[nodiscard]] Status phase_began(record::Phase phase, Nanos begin);
  [[nodiscard]] Status phase_ended(record::Phase phase, Nanos end);
  [[nodiscard]] Status interval(const record::MergedInterval& interval);
  [[nodiscard]] Status worker_counts(const record::WorkerCounts& counts);
  [[nodiscard]] Status worker_window(const record::WorkerWindow& window);
  [[nodiscard]] Status member(const record::Member& member);
  [[nodiscard]] Status split_latency(const record::SplitSeries& series);
  [[nodiscard]] Status slow_request(const record::RequestRecord& request);
  [[nodiscard]] Status logged_request(const record::RequestRecord& request);
  [[nodiscard]] Status samples(const record::SampleBatch& batch);
  [[nodiscard]] Status event(const record::Event& event);
  [[nodiscard]] Status warning(const record::Warning& warning);
  [[nodiscard]] Status receipt(const record::Receipt& receipt);
  [[nodiscard]] Status commit();
  // Commits, packs the file if there is room for that, records the end with the digest, moves the
  // log into the one file, makes it read-only. If another program holds the file open the log
  // cannot be removed: an error says so, and the run is sealed nevertheless.
  [[nodiscard]] Status seal(record::RunEnd end, std::string_view reason);

 private:
  class Impl;
  explicit RunWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace headroom::store
