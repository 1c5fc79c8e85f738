// A run that goes, kept in memory as it is recorded, for those who watch it.
//
// Watching must cost the load nothing: the page is made once for all viewers, only while there are
// any, at most once a second, and never takes more than kShare of one CPU: a page of an hour takes
// longer to make, so it is made less often.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "record/follower.h"
#include "record/run.h"
#include "report/html.h"
#include "serve/http.h"
#include "serve/open_metrics.h"

namespace headroom::serve {

// Thread-safe: as a Follower it is told by the thread that records, any other may read.
class LiveRun final : public record::Follower {
 public:
  static constexpr double kShare = 0.01;
  static constexpr Nanos kShortestPause = std::chrono::seconds{1};

  LiveRun();
  ~LiveRun() override;
  LiveRun(const LiveRun&) = delete;
  LiveRun& operator=(const LiveRun&) = delete;

  void began(const record::RunHeader& header, const std::filesystem::path& file) override;
  void fact(const std::string& key, const std::string& value) override;
  void phase_began(record::Phase phase, Nanos begin) override;
  void phase_ended(record::Phase phase, Nanos end) override;
  void interval(const record::MergedInterval& interval) override;
  void worker_counts(const record::WorkerCounts& counts) override;
  void worker_window(const record::WorkerWindow& window) override;
  void samples(const record::SampleBatch& batch) override;
  void event(const record::Event& event) override;
  void warning(const record::Warning& warning) override;
  void receipt(const record::Receipt& receipt) override;
  void ended(record::RunEnd end, const std::string& reason) override;

  // The run is over, sealed or not: makes the last page, from the file where it was sealed, and
  // waits until every viewer has it, at most `patience`.
  void close(Nanos patience);

  // Answers /, /events and /metrics.
  [[nodiscard]] HttpResponse answer(const HttpRequest& request);

 private:
  // What a page is made from, at one time.
  struct Snapshot {
    std::uint64_t version = 0;
    std::string data;   // report::page_data()
    bool last = false;  // nothing comes after it
  };
  using SnapshotPtr = std::shared_ptr<const Snapshot>;
  using Change = std::function<void(LiveRun&)>;  // to what the live thread owns

  void push(Change change);
  void live();  // the thread
  [[nodiscard]] std::string make_data();
  [[nodiscard]] report::Served served() const;
  // Waits for a snapshot that is newer than `after`; null if none came.
  [[nodiscard]] SnapshotPtr wait_for(std::uint64_t after, Nanos patience);
  [[nodiscard]] NextEvents events();
  [[nodiscard]] HttpResponse page();
  [[nodiscard]] std::string metrics();

  // Owned by the live thread.
  record::Run run_;
  std::string file_;
  bool over_ = false;  // close() was called

  std::mutex mutex_;
  std::condition_variable wake_;   // of the live thread
  std::condition_variable newer_;  // of those who wait for a snapshot, and of close()
  // Guarded by mutex_.
  std::vector<Change> changes_;
  RunTotals totals_;
  SnapshotPtr snapshot_;
  std::size_t viewers_ = 0;  // streams that go
  std::size_t waiting_ = 0;  // requests for a page
  bool stopping_ = false;

  std::thread thread_;  // last: starts when all the rest is there
};

}  // namespace headroom::serve
