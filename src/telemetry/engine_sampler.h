// Asks an engine for one set of samples after another, over a connection that it renews when it
// must.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "record/sink.h"
#include "resp/client.h"
#include "telemetry/engine_journal.h"
#include "telemetry/engine_watch.h"
#include "telemetry/telemetry.h"

namespace headroom::telemetry {

// How much is asked in a turn.
enum class Depth {
  kUsual,  // INFO
  kDeep,   // and what the engine keeps a journal of (engine_journal.h)
  kLast,   // and what its latency monitor has seen: once, at the end
};

// What an engine answered in one turn. Times are run time.
struct EngineReading {
  Nanos asked{0};
  Nanos answered{0};
  std::vector<record::Sample> samples;
  std::optional<bool> is_primary;  // what it calls itself; absent: it does not say
};

// Not thread-safe: one thread at a time. Leaves events and warnings in the sink.
class EngineSampler {
 public:
  // Both outlive it.
  EngineSampler(const TelemetryConfig& config, const WatchedNode& node)
      : config_(config), node_(node) {}

  // One turn, of at most `limit`, connecting included if the connection is gone. The first failure
  // in a row leaves kEngineSilent in the sink, with the time of asking, the first success after it
  // kEngineAnswers.
  [[nodiscard]] Result<EngineReading> sample(Nanos limit, Depth depth);
  // Present if the last sample() failed.
  [[nodiscard]] const std::optional<Silence>& silence() const { return silence_; }

 private:
  [[nodiscard]] Status connect(Nanos deadline);
  [[nodiscard]] Result<resp::Info> ask(Nanos deadline);
  void look_into_journal(EngineReading& reading, Depth depth, Nanos deadline);
  void tell(std::vector<record::Event> events);
  void notice_restart(const resp::Info& info);
  void notice_missing(const resp::Info& info);
  void note_silence(Nanos asked, const Error& error);
  void note_answer();
  [[nodiscard]] Nanos run_time() const { return config_.clock->now() - config_.origin; }
  // "the engine", or which one.
  [[nodiscard]] std::string engine_text() const;

  const TelemetryConfig& config_;
  const WatchedNode& node_;
  std::optional<resp::Client> client_;
  bool several_sections_ = true;  // INFO takes more than one section (Redis 7, every Valkey)
  Nanos last_answer_{0};          // run time
  std::optional<Silence> silence_;
  bool missing_noticed_ = false;
  std::string run_id_;
  std::optional<double> uptime_seconds_;
  EngineWatch watch_;
  EngineJournal journal_;
  std::optional<Nanos> journal_read_;  // run time
};

}  // namespace headroom::telemetry
