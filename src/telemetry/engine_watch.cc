#include "telemetry/engine_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/units.h"
#include "telemetry/totals.h"

namespace headroom::telemetry {

using record::EventKind;

std::vector<record::Event> EngineWatch::look(Nanos time,
                                             const std::vector<record::Sample>& samples) {
  now_ = time;
  look_at(save_, EventKind::kSave, "a snapshot", value_of(samples, "SaveInProgress"));
  look_at(rewrite_, EventKind::kSave, "a rewrite of the append-only file",
          value_of(samples, "aof_rewrite_in_progress"));
  look_at_forks(samples);
  look_at(defrag_, EventKind::kDefrag, "active defragmentation",
          value_of(samples, "active_defrag_running"));
  look_at_evictions(value_of(samples, "Evictions"));
  look_at_link(value_of(samples, "MasterLinkHealthStatus"));
  return std::exchange(events_, {});
}

void EngineWatch::look_at(Activity& activity, EventKind kind, std::string_view what,
                          std::optional<double> value) {
  if (!value) return;
  const bool goes_on = *value > 0;
  if (goes_on && !activity.since) {
    activity.since = now_;
    tell(kind, fmt::format("{} {}", what, activity.known ? "began" : "was under way"));
  } else if (!goes_on && activity.since) {
    tell(kind, fmt::format("{} ended after {}", what, human_duration(now_ - *activity.since)));
    activity.since.reset();
  }
  activity.known = true;
}

// Those that a flag has shown, too: what it says beyond that is how long the engine stood still.
void EngineWatch::look_at_forks(const std::vector<record::Sample>& samples) {
  const auto forks = value_of(samples, "total_forks");
  if (forks && forks_ && *forks > *forks_) {
    const auto held = value_of(samples, "latest_fork_usec");
    tell(EventKind::kFork,
         fmt::format(
             "the engine forked{}{}",
             *forks - *forks_ > 1 ? fmt::format(" {:.0f} times", *forks - *forks_) : "",
             held ? fmt::format(": the latest fork held it up for {}",
                                human_duration(Nanos{static_cast<std::int64_t>(*held) * 1'000}))
                  : ""));
  }
  if (forks) forks_ = forks;
}

void EngineWatch::look_at_evictions(std::optional<double> evicted) {
  if (!evicted) return;
  const double before = evicted_.value_or(*evicted);
  const double grown = *evicted - before;
  evicted_ = evicted;
  if (grown < 0) {  // it restarted
    evicting_since_.reset();
    return;
  }
  if (grown > 0) {
    if (!evicting_since_) {
      evicting_since_ = now_;
      evicted_before_ = before;
      tell(EventKind::kEviction,
           ever_evicted_ ? "evictions began again" : "the first evictions: memory is full");
      ever_evicted_ = true;
    }
    last_eviction_ = now_;
    quiet_ = 0;
    return;
  }
  if (!evicting_since_ || ++quiet_ < kQuietSamples) return;
  tell(EventKind::kEviction,
       fmt::format("evictions paused: {} keys in {}",
                   grouped(static_cast<std::uint64_t>(*evicted - evicted_before_)),
                   human_duration(last_eviction_ - *evicting_since_)));
  evicting_since_.reset();
}

void EngineWatch::look_at_link(std::optional<double> up) {
  if (!up) return;
  const bool is_up = *up > 0;
  if (link_up_ && *link_up_ != is_up) {
    tell(EventKind::kReplication,
         is_up ? "the link to the primary is up again" : "the link to the primary is down");
  }
  link_up_ = is_up;
}

void EngineWatch::tell(EventKind kind, std::string text) {
  const auto index = static_cast<std::size_t>(kind);
  if (told_.size() <= index) told_.resize(index + 1);
  const int told = ++told_[index];
  if (told > kMostEvents) return;
  if (told == kMostEvents) text += "; no more of these are told";
  events_.push_back({now_, kind, std::move(text)});
}

}  // namespace headroom::telemetry
