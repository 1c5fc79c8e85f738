// Asks an engine for one set of samples after another, over a connection that it renews when it
// must.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "record/sink.h"
#include "resp/client.h"
#include "telemetry/telemetry.h"

namespace headroom::telemetry {

// Not thread-safe: telemetry's thread owns it. Leaves batches, events and warnings in the sink.
class EngineSampler {
 public:
  explicit EngineSampler(const TelemetryConfig& config) : config_(config) {}

  // One turn, of at most `limit`, connecting included if the connection is gone. On success the
  // batch is in the sink. The first failure in a row leaves kEngineSilent in the sink, with the
  // time of asking, the first success after it kEngineAnswers.
  [[nodiscard]] Status sample(Nanos limit);
  // Of the last sample() that succeeded; empty if the last one failed.
  [[nodiscard]] const Glance& glance() const { return glance_; }
  // Present if the last sample() failed.
  [[nodiscard]] const std::optional<Silence>& silence() const { return silence_; }

 private:
  [[nodiscard]] Status connect(Nanos deadline);
  [[nodiscard]] Result<resp::Info> ask(Nanos deadline);
  void notice_restart(const resp::Info& info);
  void notice_missing(const resp::Info& info);
  void note_silence(Nanos asked, const Error& error);
  void note_answer();
  [[nodiscard]] Nanos run_time() const { return config_.clock->now() - config_.origin; }

  const TelemetryConfig config_;
  std::optional<resp::Client> client_;
  bool several_sections_ = true;  // INFO takes more than one section (Redis 7, every Valkey)
  Nanos last_answer_{0};          // run time
  std::optional<Silence> silence_;
  bool missing_noticed_ = false;
  std::string run_id_;
  std::optional<double> uptime_seconds_;
  Glance glance_;
};

}  // namespace headroom::telemetry
