// The run's sink: queues what the doers leave and writes it to the run file on a thread of its own,
// so that no worker ever waits for a disk.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "lab/interval_merger.h"
#include "record/follower.h"
#include "record/run.h"
#include "record/sink.h"
#include "store/run_writer.h"

namespace headroom::lab {

// The last whole interval of all workers, for the live line.
struct LastInterval {
  record::Interval interval;
  std::uint64_t completed = 0;
  std::uint64_t rejected = 0;
  std::uint64_t failed = 0;  // error, timeout, lost
  // Of completed requests, all operations: response latency in open loop, else service latency.
  std::optional<Nanos> p99;
  friend bool operator==(const LastInterval&, const LastInterval&) = default;
};

// Thread-safe throughout. Data is committed at least once a second while it comes.
class Recorder final : public record::Sink {
 public:
  // How long data may wait for its commit.
  static constexpr Nanos kCommitEvery = std::chrono::milliseconds{500};

  // `follower`, if any, is told what was written and outlives the recorder.
  Recorder(store::RunWriter writer, std::uint32_t workers, record::Follower* follower = nullptr);
  ~Recorder() override;  // writes what is queued and ends the thread; leaves the file unsealed
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  void interval(record::WorkerInterval interval) override;
  void samples(record::SampleBatch batch) override;
  void event(record::Event event) override;
  void warning(record::Warning warning) override;
  void fact(std::string key, std::string value) override;
  void receipt(record::Receipt receipt) override;

  void phase_began(record::Phase phase, Nanos at);
  void phase_ended(record::Phase phase, Nanos at);
  // To be called when the workers have left a series of phases: writes intervals that not all of
  // them took part in, and each worker's histograms over the phases.
  void workers_done();

  // Writes and commits all that was queued before the call; returns the first error of the disk.
  [[nodiscard]] Status flush();
  // The disk's first error, if any so far. After it nothing more is written.
  [[nodiscard]] std::optional<Error> failure() const;
  // Flushes, then seals the file. Nothing may be recorded afterwards.
  [[nodiscard]] Status seal(record::RunEnd end, std::string_view reason);

  [[nodiscard]] std::optional<LastInterval> last_interval() const;
  // Requests that ended, however they did, in the whole intervals of measure so far.
  [[nodiscard]] std::uint64_t ended_in_measure() const;

 private:
  struct Fact {
    std::string key;
    std::string value;
  };
  struct PhaseMark {
    record::Phase phase;
    Nanos at;
    bool begins;
  };
  struct WorkersDone {};
  using Item = std::variant<record::WorkerInterval, record::SampleBatch, record::Event,
                            record::Warning, Fact, record::Receipt, PhaseMark, WorkersDone>;

  void push(Item item);
  void write_loop();
  [[nodiscard]] Status write(const Item& item);
  [[nodiscard]] Status write_mark(const PhaseMark& mark);
  // Passes on what became of writing a part, after telling the follower of it if it was written.
  template <class Part>
  [[nodiscard]] Status told(Status written, void (record::Follower::*tell)(const Part&),
                            const Part& part);
  [[nodiscard]] Status write_report(const record::WorkerInterval& report);
  [[nodiscard]] Status write_merged(const std::vector<record::MergedInterval>& intervals);
  [[nodiscard]] Status write_workers_done();

  // Owned by the writer thread (and by seal(), once that thread has ended).
  store::RunWriter writer_;
  IntervalMerger merger_;
  record::Follower* const follower_;  // may be null

  mutable std::mutex mutex_;
  std::condition_variable wake_;     // of the writer thread
  std::condition_variable written_;  // of flush()
  // Guarded by mutex_.
  std::vector<Item> queue_;
  std::uint64_t pushed_ = 0;
  std::uint64_t committed_ = 0;
  bool flush_wanted_ = false;
  bool stopping_ = false;
  std::optional<Error> failure_;
  std::optional<LastInterval> last_interval_;
  std::uint64_t ended_in_measure_ = 0;

  std::thread thread_;  // last: starts when all the rest is there
};

}  // namespace headroom::lab
