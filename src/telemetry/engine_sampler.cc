#include "telemetry/engine_sampler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string_view>
#include <utility>

#include "base/units.h"
#include "telemetry/engine_metrics.h"

namespace headroom::telemetry {
namespace {

constexpr Nanos kReadJournalEvery = std::chrono::seconds{10};

}  // namespace

Result<EngineReading> EngineSampler::sample(Nanos limit, Depth depth) {
  const Nanos deadline = real_clock().now() + limit;
  const Nanos turn_began = run_time();
  const auto silent = [&](const Error& error) {
    note_silence(turn_began, error);
    return fail(error);
  };
  if (!client_ || client_->broken()) {
    if (auto connected = connect(deadline); !connected) return silent(connected.error());
  }
  // A reply that an earlier turn did not live to see comes first, and is no sample of now.
  if (auto settled = client_->settle(deadline); !settled) return silent(settled.error());
  EngineReading reading;
  reading.asked = run_time();
  const auto info = ask(deadline);
  reading.answered = run_time();
  if (!info) return silent(info.error());
  last_answer_ = reading.answered;
  note_answer();
  notice_restart(*info);
  notice_missing(*info);

  reading.samples = engine_samples(*info);
  reading.samples.push_back(
      {record::metric("info_round_trip_seconds"),
       {},
       std::chrono::duration<double>(reading.answered - reading.asked).count()});
  if (const auto role = info->text("role")) reading.is_primary = role == "master";
  tell(watch_.look(reading.answered, reading.samples));
  look_into_journal(reading, depth, deadline);
  return reading;
}

// The slow log is a ring, so it is read in between, too.
void EngineSampler::look_into_journal(EngineReading& reading, Depth depth, Nanos deadline) {
  const WallTime wall_origin{config_.clock->wall().since_epoch - run_time()};
  if (depth != Depth::kUsual || !journal_read_ ||
      run_time() - *journal_read_ >= kReadJournalEvery) {
    tell(journal_.new_slow_entries(*client_, deadline, wall_origin));
    journal_read_ = run_time();
  }
  if (depth == Depth::kUsual) return;
  for (record::Sample& sample : journal_.latency_histogram(*client_, deadline))
    reading.samples.push_back(std::move(sample));
  if (depth != Depth::kLast) return;
  EngineJournal::Monitored seen = journal_.monitored(*client_, deadline, wall_origin);
  tell(std::move(seen.events));
  if (seen.doctor.empty()) return;
  const std::string& name = node_.member.name;
  config_.sink->fact(name.empty() ? "engine.latency_doctor" : "engine.latency_doctor." + name,
                     std::move(seen.doctor));
}

// Of several engines each event says whose it is.
void EngineSampler::tell(std::vector<record::Event> events) {
  for (record::Event& event : events) {
    if (const std::string& name = node_.member.name; !name.empty())
      event.text = fmt::format("{}: {}", name, event.text);
    config_.sink->event(std::move(event));
  }
}

Status EngineSampler::connect(Nanos deadline) {
  client_.reset();
  auto client = resp::Client::connect(node_.server, deadline);
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
         fmt::format("at {} {} was another than before: {}; its counters began anew",
                     human_duration(run_time()), engine_text(),
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
       fmt::format("INFO of {} does not tell {}", engine_text(), fmt::join(missing, ", "))});
}

void EngineSampler::note_silence(Nanos asked, const Error& error) {
  if (silence_) return;
  silence_ = Silence{last_answer_, asked, error.message};
  config_.sink->event({asked, record::EventKind::kEngineSilent, error.message});
}

std::string EngineSampler::engine_text() const {
  const std::string& name = node_.member.name;
  return name.empty() ? std::string("the engine") : "the engine at " + name;
}

void EngineSampler::note_answer() {
  if (!silence_) return;
  config_.sink->event({last_answer_, record::EventKind::kEngineAnswers,
                       fmt::format("{} after {} without an answer", engine_text(),
                                   human_duration(last_answer_ - silence_->since))});
  silence_.reset();
}

}  // namespace headroom::telemetry
