// What an engine itself keeps a journal of: its slow log, its latency monitor, and histograms of
// how long its commands took.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "record/event.h"
#include "record/metric.h"
#include "resp/client.h"
#include "resp/reply.h"

namespace headroom::telemetry {

// Pure: what the replies say. Anything in them that has another form is passed over.

struct SlowEntry {
  std::int64_t id = 0;
  WallTime at;          // whole seconds, by the engine's clock
  Nanos took{0};        // to execute, without waiting
  std::string command;  // "GET key:7", the name and the first argument
};
[[nodiscard]] std::vector<SlowEntry> read_slow_log(const resp::ReplyTree& reply);

struct LatencyEntry {
  std::string event;  // "command", "fork", "eviction-cycle"
  WallTime at;        // of the latest
  Nanos latest{0};
  Nanos longest{0};  // since the engine started
};
[[nodiscard]] std::vector<LatencyEntry> read_latest_latency(const resp::ReplyTree& reply);

// Samples of command_latency_count, labelled "get<=66us": the reply has cumulative counts, the
// samples have those of each bucket.
[[nodiscard]] std::vector<record::Sample> read_latency_histogram(const resp::ReplyTree& reply);

// Of one engine. One owner thread. What the engine refuses is not asked again: it is absent.
class EngineJournal {
 public:
  // Entries of the slow log that are told in one run; the rest is counted.
  static constexpr std::size_t kMostSlowEntries = 100;

  // Entries since the last call as events, the oldest first; the first call tells none, and notes
  // what was there before. Times are run time: `wall_origin` is the wall time of run time 0.
  [[nodiscard]] std::vector<record::Event> new_slow_entries(resp::Client& client, Nanos deadline,
                                                            WallTime wall_origin);
  // What the latency monitor has seen since the run began, and its doctor's report, if it has seen
  // anything.
  struct Monitored {
    std::vector<record::Event> events;
    std::string doctor;
  };
  [[nodiscard]] Monitored monitored(resp::Client& client, Nanos deadline, WallTime wall_origin);
  [[nodiscard]] std::vector<record::Sample> latency_histogram(resp::Client& client, Nanos deadline);

 private:
  // nullopt: refused, now or before, or no answer.
  [[nodiscard]] std::optional<resp::ReplyTree> ask(resp::Client& client,
                                                   std::initializer_list<std::string_view> command,
                                                   Nanos deadline, bool& refused);

  std::optional<std::int64_t> last_slow_id_;  // absent: nothing was looked at yet
  std::size_t slow_told_ = 0;
  bool slow_log_refused_ = false;
  bool monitor_refused_ = false;
  bool histogram_refused_ = false;
};

}  // namespace headroom::telemetry
