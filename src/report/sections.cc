#include "report/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/latency.h"
#include "analysis/prose.h"
#include "base/text.h"
#include "base/units.h"
#include "report/format.h"
#include "report/text.h"

namespace headroom::report {
namespace {

using analysis::LatencySummary;
using analysis::Summary;
using analysis::WindowSummary;
using record::Outcome;

// Why a number is n/a, for the note beside it; empty if it is there.
std::string why_not(const Summary& summary, const std::string& name) {
  const auto found = summary.not_available.find(name);
  return found == summary.not_available.end() ? std::string() : found->second;
}

// A row whose note is the reason when there is no value.
template <class T>
void row_or_reason(Page& page, const Summary& summary, std::string_view label,
                   const std::optional<T>& value, const std::string& text, const std::string& name,
                   const std::string& note = {}) {
  page.row(label, text, value ? note : why_not(summary, name));
}

std::string seconds_note(const analysis::Window& window, Nanos origin) {
  return fmt::format("{} to {}", analysis::seconds_text(window.begin - origin),
                     analysis::seconds_text(window.end - origin));
}

// Outcomes without a latency of their own, e.g. "SET lost 3": nothing may be missing from the page.
std::string other_outcomes(const WindowSummary& window) {
  std::string text;
  for (const auto& [operation, outcomes] : window.outcomes) {
    for (const auto& [outcome, count] : outcomes) {
      if (count == 0 || has_reply(outcome)) continue;
      text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", printable(operation, 16),
                          outcome_name(outcome), grouped(count));
    }
  }
  return text;
}

const LatencySummary* all_completed(const WindowSummary& window, record::LatencyKind kind) {
  const auto found = std::ranges::find_if(window.latencies, [kind](const LatencySummary& row) {
    return row.operation == "all" && row.kind == kind;
  });
  return found == window.latencies.end() ? nullptr : &*found;
}

// What a user felt: response latency where there is a schedule.
record::LatencyKind felt(const Summary& summary) {
  return summary.schedule ? record::LatencyKind::kResponse : record::LatencyKind::kService;
}

// What an open loop was asked for, and how punctual it was.
void add_schedule(Page& page, const analysis::ScheduleSummary& schedule) {
  page.row("asked", rate_text(schedule.asked_per_s),
           fmt::format("{} due, {} unsent{}, {} sent {} or more late", grouped(schedule.due),
                       grouped(schedule.unsent),
                       schedule.oldest_unsent ? fmt::format(" (the oldest due for {})",
                                                            latency_text(schedule.oldest_unsent))
                                              : std::string(),
                       grouped(schedule.late), human_duration(record::kLateSend)));
  page.row("schedule lag p99", latency_text(schedule.lag_p99),
           fmt::format("p50 {}, max {}; from intended time to send", latency_text(schedule.lag_p50),
                       human_duration(schedule.lag_max)));
}

struct LatencyRow {
  const LatencySummary* latency = nullptr;
  bool below = false;  // the service latency of the row above it
  bool apart = false;  // the response latency of some of the requests of another row
};

// "GET hit" and, where it is below the response latency of the same requests, "  service".
std::string latency_name(const LatencyRow& row) {
  if (row.below) return "  service";
  if (row.apart) return printable(analysis::latency_label(*row.latency), 24);
  LatencySummary plain = *row.latency;
  plain.kind = record::LatencyKind::kService;
  return printable(analysis::latency_label(plain), 24);
}

// Of requests of an open loop the response latency, which a user feels, each with the service
// latency of the same requests below it; of others there is only the latter. Where a row is about
// loads of both kinds, the response latency is of fewer requests than the service latency.
std::vector<LatencyRow> ordered_latencies(const WindowSummary& window) {
  const auto find = [&](const LatencySummary& row, record::LatencyKind kind) {
    return std::ranges::find_if(window.latencies, [&](const LatencySummary& other) {
      return other.kind == kind && other.operation == row.operation &&
             other.all_completed == row.all_completed &&
             (row.all_completed || other.outcome == row.outcome);
    });
  };
  const auto end = window.latencies.end();
  std::vector<LatencyRow> rows;
  for (const LatencySummary& row : window.latencies) {
    const bool response = row.kind == record::LatencyKind::kResponse;
    const auto other =
        find(row, response ? record::LatencyKind::kService : record::LatencyKind::kResponse);
    const bool same = other != end && other->count == row.count;
    if (!response && same) continue;
    rows.push_back({.latency = &row, .apart = response && other != end && !same});
    if (response && same) rows.push_back({.latency = &*other, .below = true});
  }
  return rows;
}

// Whole up to a hundred million, so that the table keeps its width.
std::string requests_text(std::uint64_t count) {
  constexpr std::uint64_t kWidest = 100'000'000;
  return count < kWidest ? grouped(count) : human_count(static_cast<double>(count));
}

// "1,371.5 B"
std::string bytes_per_key_text(std::optional<double> bytes) {
  if (!bytes || *bytes < 0) return bytes_text(bytes);
  const double tenths = std::round(*bytes * 10);
  return fmt::format("{}.{:.0f} B", count_text(std::floor(tenths / 10)), std::fmod(tenths, 10));
}

// A level is not calm: what its seconds scatter hides smaller changes.
std::string noise_note(const WindowSummary& level) {
  constexpr double kWorthNaming = 0.01;
  if (level.throughput_cv_per_second.value_or(0) < kWorthNaming) return {};
  return fmt::format(" as far as noise of {} from second to second lets see",
                     percent_text(level.throughput_cv_per_second));
}

// Of several primaries the ratio is that of the fullest, and the bytes are of all.
std::string memory_note(const Summary& summary) {
  const WindowSummary& measure = summary.measure;
  const std::string bytes = fmt::format("{} of {}", bytes_text(summary.memory_used_max_bytes),
                                        bytes_text(summary.maxmemory_bytes));
  const std::string mean = percent_text(measure.memory_used_mean_ratio);
  if (measure.fullest_node.empty()) return fmt::format("{}; mean {}", bytes, mean);
  return fmt::format("of the fullest primary, {}; mean {}; all primaries {}",
                     printable(measure.fullest_node, 60), mean, bytes);
}

// A fact that should be a number, as one; anything else as it stands.
std::string grouped_digits(const std::string& fact) {
  const Result<std::uint64_t> value = parse_count(fact);
  return value ? grouped(*value) : printable(fact, 24);
}

std::string engine_note(const Summary& summary) {
  const WindowSummary& measure = summary.measure;
  const std::string process =
      fmt::format("whole process {}", percent_text(measure.engine_cpu_process));
  if (measure.busiest_node.empty()) return process;
  return fmt::format("of the busiest, {}; {}; all engines {}", printable(measure.busiest_node, 60),
                     process, percent_text(measure.engines_cpu));
}

// Rows of a node that is held to a shape, or was to be.
void add_node(Page& page, const record::Run& run, const Summary& summary) {
  const auto held = run.facts.find("node.cpu");
  if (held != run.facts.end() && !summary.node) {
    page.row("node", kNotAvailable, printable(held->second, 200));
  }
  if (!summary.node) return;
  const analysis::NodeCpu& node = *summary.node;
  page.row("node", percent_text(node.cpu_ratio),
           fmt::format(
               "{}quota {} at the end; it held the node for {} of the time",
               node.name.empty() ? std::string() : "most held, " + printable(node.name, 60) + ": ",
               percent_text(node.quota_vcpus), percent_text(node.held_ratio)));
  if (!node.credits_last) return;
  page.row("CPU credits", decimal_text(node.credits_last, 2),
           fmt::format("at the end, {} at first; {} spent", decimal_text(node.credits_first, 2),
                       decimal_text(node.credits_spent, 2)));
}

}  // namespace

void add_throughput(Page& page, const Summary& summary) {
  const WindowSummary& measure = summary.measure;
  page.section("THROUGHPUT",
               fmt::format("window: measure, {}",
                           analysis::seconds_text(measure.window.end - measure.window.begin)));
  row_or_reason(page, summary, "mean", measure.throughput_per_s,
                rate_text(measure.throughput_per_s), "measure.throughput_per_s",
                fmt::format("{} requests completed", grouped(measure.completed)));
  if (summary.schedule) add_schedule(page, *summary.schedule);
  row_or_reason(page, summary, "peak minute", measure.peak_throughput_per_minute,
                rate_text(measure.peak_throughput_per_minute),
                "measure.peak_throughput_per_minute");
  row_or_reason(page, summary, "peak second", measure.peak_throughput_per_second,
                rate_text(measure.peak_throughput_per_second),
                "measure.peak_throughput_per_second");
  row_or_reason(page, summary, "CV per minute", measure.throughput_cv_per_minute,
                percent_text(measure.throughput_cv_per_minute), "measure.throughput_cv_per_minute");
  row_or_reason(page, summary, "CV per second", measure.throughput_cv_per_second,
                percent_text(measure.throughput_cv_per_second), "measure.throughput_cv_per_second");
  if (!summary.stable) {
    page.row("stable segment", kNotAvailable, why_not(summary, "stable_segment"));
    return;
  }
  const analysis::StableSegment& stable = *summary.stable;
  std::string note =
      fmt::format("{}, {}", seconds_note(stable.summary.window, measure.window.begin),
                  stable.segments == 1 ? "one level" + noise_note(stable.summary)
                                       : fmt::format("the longest of {}", stable.segments));
  if (stable.low_per_s && stable.high_per_s)
    note += fmt::format("; mean within {} to {} ({})", count_text(stable.low_per_s),
                        rate_text(stable.high_per_s), percent_text(stable.confidence));
  if (stable.interval_too_narrow) note += "; it drifts, so in truth wider";
  page.row("stable segment", rate_text(stable.mean_per_s), note);
}

void add_latency(Page& page, const Summary& summary) {
  page.section("LATENCY", summary.schedule
                              ? "response: what users wait; service: what the engine takes"
                              : "from a request's own send to its parsed reply");
  if (summary.measure.latencies.empty()) {
    page.line("  n/a: no request of the window has a latency");
    return;
  }
  std::vector<std::vector<std::string>> cells = {
      {"", "p50", "p90", "p99", "p99.9", "p99.99", "max", "requests"}};
  bool too_few = false;
  bool open = false;
  for (const LatencyRow& row : ordered_latencies(summary.measure)) {
    const LatencySummary& latency = *row.latency;
    too_few |= !latency.p9999;
    open |= latency.kind == record::LatencyKind::kResponse;
    cells.push_back({latency_name(row), latency_text(latency.p50), latency_text(latency.p90),
                     latency_text(latency.p99), latency_text(latency.p999),
                     latency_text(latency.p9999), latency_text(latency.max),
                     requests_text(latency.count)});
  }
  page.table(cells);
  if (open) {
    for (const std::string& line : wrap(
             "The first row of each is response: from the time for which a request was intended to "
             "its end. Waits for a free slot are in it, and requests that were given up with their "
             "age. The row below is service: from its own send to its parsed reply.",
             Page::kWidth - 2))
      page.line("  " + line);
  }
  if (too_few) page.line("  n/a: a quantile needs 1 / (1 - q) requests, p99.99 for example 10,000");
  if (const std::string others = other_outcomes(summary.measure); !others.empty())
    page.row("without a reply", "", others);
}

void add_cache(Page& page, const record::Run& run, const Summary& summary) {
  const WindowSummary& measure = summary.measure;
  page.section("CACHE");
  row_or_reason(page, summary, "hit ratio, client", measure.hit_ratio_client,
                percent_text(measure.hit_ratio_client), "measure.hit_ratio_client");
  row_or_reason(page, summary, "hit ratio, engine", measure.hit_ratio_engine,
                percent_text(measure.hit_ratio_engine), "measure.hit_ratio_engine");
  row_or_reason(page, summary, "memory used, max", measure.memory_used_max_ratio,
                percent_text(measure.memory_used_max_ratio), "measure.memory_used_max_ratio",
                memory_note(summary));
  const double beyond = std::max(0.0, -summary.headroom_ratio.value_or(0));
  row_or_reason(
      page, summary, "headroom", summary.headroom_ratio,
      percent_text(beyond > 0 ? 0.0 : summary.headroom_ratio), "headroom_ratio",
      beyond > 0 ? percent_text(beyond) + " beyond maxmemory at its most" : std::string());
  row_or_reason(page, summary, "first eviction", summary.first_eviction,
                summary.first_eviction ? analysis::seconds_text(*summary.first_eviction)
                : measure.evictions    ? "none"
                                       : kNotAvailable,
                "first_eviction", "into the window");
  row_or_reason(page, summary, "evictions", measure.evictions, count_text(measure.evictions),
                "measure.evictions");
  row_or_reason(page, summary, "expired", measure.expired, count_text(measure.expired),
                "measure.expired");
  if (summary.cache_aside) {
    const analysis::CacheAsideSummary& fills = *summary.cache_aside;
    page.row("cache-aside", grouped(fills.filled),
             fmt::format("fills; {} misses began one, {} failed, {} abandoned, {} under way at the "
                         "end",
                         grouped(fills.begun), grouped(fills.failed), grouped(fills.abandoned),
                         grouped(fills.waiting_at_end)));
  }
  const auto key_space = run.facts.find("workload.keys");
  const bool fills = std::ranges::any_of(summary.loads, &analysis::LoadSummary::fills);
  row_or_reason(
      page, summary, "peak keys", summary.peak_keys, count_text(summary.peak_keys), "peak_keys",
      key_space == run.facts.end() ? std::string()
                                   : "of a key space of " + grouped_digits(key_space->second) +
                                         (fills ? ", and those of fill tasks" : ""));
  row_or_reason(page, summary, "bytes per key", summary.bytes_per_key,
                bytes_per_key_text(summary.bytes_per_key), "bytes_per_key");
  row_or_reason(page, summary, "fragmentation", summary.fragmentation_ratio,
                decimal_text(summary.fragmentation_ratio, 2), "fragmentation_ratio",
                fmt::format("RSS max {}, swap max {}", bytes_text(summary.rss_max_bytes),
                            bytes_text(summary.swap_max_bytes)));
}

void add_cpu(Page& page, const record::Run& run, const Summary& summary) {
  const WindowSummary& measure = summary.measure;
  page.section("CPU", "100 % is one CPU");
  row_or_reason(page, summary, "engine main thread", measure.engine_cpu_main_thread,
                percent_text(measure.engine_cpu_main_thread), "measure.engine_cpu_main_thread",
                engine_note(summary));
  if (!measure.engine_cpu_main_thread && measure.engine_cpu_process)
    page.row("engine process", percent_text(measure.engine_cpu_process));
  add_node(page, run, summary);

  std::optional<double> busiest;
  std::optional<Nanos> lag_p99;
  std::optional<Nanos> lag_max;
  double together = 0;
  for (const analysis::WorkerSummary& worker : summary.workers) {
    busiest = std::max(busiest, worker.cpu_ratio);
    lag_p99 = std::max(lag_p99, worker.loop_lag_p99);
    lag_max = std::max(lag_max, worker.loop_lag_max);
    together += worker.cpu_ratio.value_or(0);
  }
  row_or_reason(
      page, summary, "busiest worker", busiest, percent_text(busiest), "generator",
      summary.workers.size() < 2
          ? std::string()
          : fmt::format("all {} together {}; throughput differs by {}", summary.workers.size(),
                        percent_text(together), percent_text(summary.worker_skew_ratio)));
  page.row("loop lag p99", latency_text(lag_p99),
           lag_p99 ? fmt::format("max {}; how late {} looked at its sockets", latency_text(lag_max),
                                 summary.workers.size() < 2 ? "the worker" : "the worst worker")
                   : std::string("written only when the measure phase ends"));
  const record::MetricSeries* cpus = run.find_metric("host_cpus");
  row_or_reason(page, summary, "this machine", summary.host_cpu_busy_ratio,
                percent_text(summary.host_cpu_busy_ratio), "host_cpu_busy_ratio",
                cpus != nullptr && !cpus->points.empty()
                    ? fmt::format("of all {:.0f} CPUs", cpus->points.back().value)
                    : std::string("of all CPUs"));
  row_or_reason(page, summary, "in flight, mean", measure.concurrency,
                decimal_text(measure.concurrency, 2), "measure.concurrency",
                fmt::format("of {} (throughput x mean latency)",
                            analysis::counted(summary.configured_slots, "slot")));
}

void add_boundary(Page& page, const Summary& summary) {
  if (!summary.before_eviction || !summary.after_eviction) return;
  const WindowSummary& before = *summary.before_eviction;
  const WindowSummary& after = *summary.after_eviction;
  const Nanos origin = summary.measure.window.begin;
  page.section("BEFORE AND AFTER THE FIRST EVICTION",
               summary.schedule ? "whole seconds; response latency" : "whole seconds");
  const auto quantile = [&summary](const WindowSummary& window,
                                   std::optional<Nanos> LatencySummary::* which) {
    const LatencySummary* all = all_completed(window, felt(summary));
    return latency_text(all == nullptr ? std::nullopt : all->*which);
  };
  const auto both = [&](const char* label, const auto& text) {
    return std::vector<std::string>{label, text(before), text(after)};
  };
  page.table({
      {"", "before", "after"},
      both("window", [&](const WindowSummary& w) { return seconds_note(w.window, origin); }),
      both("throughput", [](const WindowSummary& w) { return rate_text(w.throughput_per_s); }),
      both("p50", [&](const WindowSummary& w) { return quantile(w, &LatencySummary::p50); }),
      both("p99", [&](const WindowSummary& w) { return quantile(w, &LatencySummary::p99); }),
      both("p99.9", [&](const WindowSummary& w) { return quantile(w, &LatencySummary::p999); }),
      both("hit ratio, client",
           [](const WindowSummary& w) { return percent_text(w.hit_ratio_client); }),
      both("evictions", [](const WindowSummary& w) { return count_text(w.evictions); }),
      both("engine main thread",
           [](const WindowSummary& w) { return percent_text(w.engine_cpu_main_thread); }),
  });
  page.line("  The seconds in which evictions began are in neither.");
}

void add_account(Page& page, const Summary& summary) {
  const analysis::Conservation& account = summary.conservation;
  page.section("ACCOUNT", "whole run: every request ends exactly once");
  std::vector<std::vector<std::string>> cells = {{"", "sent", "ended", "seen by the engine"}};
  std::size_t told = 0;  // operations of which the engine tells
  for (const analysis::Conservation::Row& row : account.rows) {
    const auto engine_calls = account.engine_calls(row);
    told += engine_calls ? 1 : 0;
    cells.push_back({printable(row.operation, 16), grouped(row.sent), grouped(row.outcomes),
                     engine_calls ? grouped(*engine_calls) : kNotAvailable});
  }
  // Where operations share commands, or have several, the engine's account is of commands.
  if (told < account.rows.size() && account.engine_agrees) {
    for (const analysis::Conservation::Command& command : account.commands) {
      cells.push_back({"  " + printable(upper(command.name), 16), grouped(command.sent), "",
                       command.engine_calls ? grouped(*command.engine_calls) : kNotAvailable});
    }
  }
  page.table(cells);
  const std::string client = account.client_adds_up ? "adds up" : "DOES NOT ADD UP";
  const std::string under_way =
      account.in_flight > 0 ? fmt::format(" ({} still under way)", grouped(account.in_flight)) : "";
  const std::string engine = !account.engine_agrees
                                 ? "n/a: " + why_not(summary, "conservation.engine_agrees")
                             : *account.engine_agrees ? "agrees"
                                                      : "DISAGREES";
  for (const std::string& line :
       wrap(fmt::format("client {}{}; engine {}", client, under_way, engine), Page::kWidth - 2))
    page.line("  " + line);
}

}  // namespace headroom::report
