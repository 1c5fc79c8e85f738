#include "telemetry/engine_sampler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string_view>
#include <utility>

#include "base/units.h"
#include "telemetry/engine_metrics.h"

namespace headroom::telemetry {

Status EngineSampler::sample(Nanos limit) {
  const Nanos deadline = real_clock().now() + limit;
  const Nanos turn_began = run_time();
  glance_ = {};
  if (!client_ || client_->broken()) {
    if (auto connected = connect(deadline); !connected) {
      note_silence(turn_began, connected.error());
      return connected;
    }
  }
  // A reply that an earlier turn did not live to see comes first, and is no sample of now.
  if (auto settled = client_->settle(deadline); !settled) {
    note_silence(turn_began, settled.error());
    return settled;
  }
  const Nanos asked = run_time();
  const auto info = ask(deadline);
  const Nanos answered = run_time();
  if (!info) {
    note_silence(turn_began, info.error());
    return fail(info.error());
  }
  last_answer_ = answered;
  note_answer();
  notice_restart(*info);
  notice_missing(*info);

  record::SampleBatch batch;
  batch.time = asked + (answered - asked) / 2;
  batch.samples = engine_samples(*info);
  batch.samples.push_back({record::metric("info_round_trip_seconds"),
                           {},
                           std::chrono::duration<double>(answered - asked).count()});
  config_.sink->samples(std::move(batch));

  glance_.used_memory_bytes = info->number("used_memory");
  glance_.maxmemory_bytes = info->number("maxmemory");
  if (glance_.maxmemory_bytes == 0.0) glance_.maxmemory_bytes.reset();  // it has no limit
  glance_.evicted_keys = info->number("evicted_keys");
  if (const auto keys = info->keyspace_sum("keys")) glance_.keys = static_cast<double>(*keys);
  return {};
}

Status EngineSampler::connect(Nanos deadline) {
  client_.reset();
  auto client = resp::Client::connect(config_.server, deadline);
  if (!client) return fail(std::move(client.error()));
  client_ = std::move(*client);
  return {};
}

Result<resp::Info> EngineSampler::ask(Nanos deadline) {
  if (several_sections_) {
    auto info = client_->info(kInfoSections, deadline);
    if (info || client_->broken() || client_->timed_out()) return info;
  }
  constexpr std::array<std::string_view, 1> kAll = {"all"};
  auto info = client_->info(kAll, deadline);
  if (info) several_sections_ = false;
  return info;
}

void EngineSampler::notice_restart(const resp::Info& info) {
  const auto run_id = info.text("run_id");
  const auto uptime = info.number("uptime_in_seconds");
  const bool another = run_id && !run_id_.empty() && *run_id != run_id_;
  const bool younger = uptime && uptime_seconds_ && *uptime < *uptime_seconds_;
  if (another || younger) {
    config_.sink->warning(
        {record::WarningKind::kEngineRestarted,
         fmt::format("at {} the engine was another than before: {}; its counters began anew",
                     human_duration(run_time()),
                     another
                         ? fmt::format("run id {} instead of {}", *run_id, run_id_)
                         : fmt::format("up for {} s instead of {} s", *uptime, *uptime_seconds_))});
  }
  if (run_id) run_id_ = *run_id;
  if (uptime) uptime_seconds_ = uptime;
}

void EngineSampler::notice_missing(const resp::Info& info) {
  if (missing_noticed_) return;
  missing_noticed_ = true;
  const std::vector<std::string> missing = missing_metrics(info);
  if (missing.empty()) return;
  config_.sink->warning(
      {record::WarningKind::kTelemetryAbsent,
       fmt::format("the engine's INFO does not tell {}", fmt::join(missing, ", "))});
}

void EngineSampler::note_silence(Nanos asked, const Error& error) {
  if (silence_) return;
  silence_ = Silence{last_answer_, asked, error.message};
  config_.sink->event({asked, record::EventKind::kEngineSilent, error.message});
}

void EngineSampler::note_answer() {
  if (!silence_) return;
  config_.sink->event(
      {last_answer_, record::EventKind::kEngineAnswers,
       fmt::format("after {} without an answer", human_duration(last_answer_ - silence_->since))});
  silence_.reset();
}

}  // namespace headroom::telemetry
