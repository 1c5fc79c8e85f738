#include "telemetry/engine_journal.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/units.h"

namespace headroom::telemetry {
namespace {

using resp::ReplyTree;

constexpr std::string_view kSlowLogPage = "128";  // entries asked for at once: what engines keep
constexpr std::size_t kShownArgument = 64;

bool is_list(const ReplyTree& reply) {
  return reply.is(ReplyTree::Kind::kArray) || reply.is(ReplyTree::Kind::kMap);
}

WallTime wall_of(std::int64_t unix_seconds) {
  constexpr std::int64_t kYear2200 = 7'258'118'400;
  return {std::chrono::seconds{std::clamp<std::int64_t>(unix_seconds, 0, kYear2200)}};
}

Nanos run_time_of(WallTime at, WallTime wall_origin) {
  return std::max(Nanos{0}, at.since_epoch - wall_origin.since_epoch);
}

Nanos bounded(std::int64_t count, Nanos unit) {
  constexpr std::int64_t kMost = 1'000'000'000'000;
  return std::clamp<std::int64_t>(count, 0, kMost) * unit;
}

}  // namespace

std::vector<SlowEntry> read_slow_log(const ReplyTree& reply) {
  std::vector<SlowEntry> entries;
  for (const ReplyTree& item : reply.items) {
    if (item.items.size() < 4 || !item.items[0].is(ReplyTree::Kind::kInteger)) continue;
    SlowEntry entry;
    entry.id = item.items[0].integer;
    entry.at = wall_of(item.items[1].integer);
    entry.took = bounded(item.items[2].integer, std::chrono::microseconds{1});
    const std::vector<ReplyTree>& words = item.items[3].items;
    if (!words.empty()) entry.command = printable(words[0].text, kShownArgument);
    if (words.size() > 1) entry.command += " " + printable(words[1].text, kShownArgument);
    if (words.size() > 2) entry.command += " ...";
    entries.push_back(std::move(entry));
  }
  return entries;
}

std::vector<LatencyEntry> read_latest_latency(const ReplyTree& reply) {
  std::vector<LatencyEntry> entries;
  for (const ReplyTree& item : reply.items) {
    if (item.items.size() < 4 || !item.items[0].is(ReplyTree::Kind::kString)) continue;
    entries.push_back({printable(item.items[0].text, kShownArgument),
                       wall_of(item.items[1].integer),
                       bounded(item.items[2].integer, std::chrono::milliseconds{1}),
                       bounded(item.items[3].integer, std::chrono::milliseconds{1})});
  }
  return entries;
}

// Pairs of a command's name and of pairs: "calls" and a number, "histogram_usec" and pairs of a
// bucket's upper end and how many calls took at most that. Empty buckets are left out.
std::vector<record::Sample> read_latency_histogram(const ReplyTree& reply) {
  std::vector<record::Sample> samples;
  const record::MetricId metric = record::metric("command_latency_count");
  for (std::size_t i = 0; i + 1 < reply.items.size(); i += 2) {
    const std::string& command = reply.items[i].text;
    const std::vector<ReplyTree>& parts = reply.items[i + 1].items;
    for (std::size_t part = 0; part + 1 < parts.size(); part += 2) {
      if (parts[part].text != "histogram_usec") continue;
      const std::vector<ReplyTree>& buckets = parts[part + 1].items;
      std::int64_t below = 0;
      for (std::size_t b = 0; b + 1 < buckets.size(); b += 2) {
        const std::int64_t until = buckets[b + 1].integer;
        samples.push_back({metric, fmt::format("{}<={}us", command, buckets[b].integer),
                           static_cast<double>(until - below)});
        below = until;
      }
    }
  }
  return samples;
}

std::optional<ReplyTree> EngineJournal::ask(resp::Client& client,
                                            std::initializer_list<std::string_view> command,
                                            Nanos deadline, bool& refused) {
  if (refused || client.broken()) return std::nullopt;
  auto reply = client.call(command, deadline);
  if (!reply) return std::nullopt;  // the next question says that the engine is silent
  if (is_list(*reply) || reply->is(ReplyTree::Kind::kString)) return std::move(*reply);
  refused = true;
  return std::nullopt;
}

std::vector<record::Event> EngineJournal::new_slow_entries(resp::Client& client, Nanos deadline,
                                                           WallTime wall_origin) {
  const auto reply = ask(client, {"SLOWLOG", "GET", kSlowLogPage}, deadline, slow_log_refused_);
  if (!reply) return {};
  std::vector<SlowEntry> entries = read_slow_log(*reply);
  std::ranges::sort(entries, {}, &SlowEntry::id);
  const std::optional<std::int64_t> before = last_slow_id_;
  last_slow_id_ = entries.empty() ? before.value_or(-1) : entries.back().id;
  if (!before) return {};
  std::erase_if(entries, [&](const SlowEntry& entry) { return entry.id <= *before; });
  std::vector<record::Event> events;
  // The log is a ring: what fell out of it between two looks shows in its ids.
  const auto lost = entries.empty() ? 0 : entries.front().id - *before - 1;
  for (const SlowEntry& entry : entries) {
    if (slow_told_ >= kMostSlowEntries) break;
    std::string text = fmt::format("{} took {}", entry.command, human_duration(entry.took));
    if (lost > 0 && &entry == &entries.front())
      text += fmt::format("; {} before it had left the slow log",
                          grouped(static_cast<std::uint64_t>(lost)));
    if (++slow_told_ == kMostSlowEntries) text += "; no more of these are told";
    events.push_back(
        {run_time_of(entry.at, wall_origin), record::EventKind::kSlowCommand, std::move(text)});
  }
  return events;
}

EngineJournal::Monitored EngineJournal::monitored(resp::Client& client, Nanos deadline,
                                                  WallTime wall_origin) {
  Monitored seen;
  const auto reply = ask(client, {"LATENCY", "LATEST"}, deadline, monitor_refused_);
  if (!reply) return seen;
  for (const LatencyEntry& entry : read_latest_latency(*reply)) {
    const Nanos at = entry.at.since_epoch - wall_origin.since_epoch;
    if (at < Nanos{0}) continue;  // before the run
    seen.events.push_back(
        {at, record::EventKind::kLatencyEvent,
         fmt::format("{}: the latest of {}, the longest of {}", entry.event,
                     human_duration(entry.latest), human_duration(entry.longest))});
  }
  if (seen.events.empty()) return seen;
  if (auto doctor = ask(client, {"LATENCY", "DOCTOR"}, deadline, monitor_refused_))
    seen.doctor = std::move(doctor->text);
  return seen;
}

std::vector<record::Sample> EngineJournal::latency_histogram(resp::Client& client, Nanos deadline) {
  const auto reply = ask(client, {"LATENCY", "HISTOGRAM"}, deadline, histogram_refused_);
  return reply ? read_latency_histogram(*reply) : std::vector<record::Sample>();
}

}  // namespace headroom::telemetry
