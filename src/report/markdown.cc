#include "report/markdown.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/latency.h"
#include "analysis/prose.h"
#include "base/text.h"
#include "base/units.h"
#include "report/format.h"
#include "report/head.h"
#include "report/markdown_text.h"

namespace headroom::report {
namespace {

using analysis::LatencySummary;
using analysis::Summary;
using analysis::WindowSummary;

void add_head(std::string& page, const record::Run& run, const Summary& summary,
              const Source& source) {
  page += kMarkdownSignature;
  page += fmt::format("# {}: {}\n\n", markdown_plain(run.header.scenario.name),
                      markdown_plain(headline(summary)));
  if (summary.measured_anything()) page += markdown_plain(summary.regime.evidence) + "\n\n";
  MarkdownCells facts = {
      {"", ""},
      {"state", markdown_plain(state_text(run, source).first)},
      {"target", markdown_plain(target_text(run))},
      {"load", markdown_plain(load_text(run.header.scenario))},
      {"started", iso_time(run.header.started) + ", " + measured_text(summary)},
      {"file", source.file.empty() ? kNotAvailable : markdown_plain(source.file)}};
  if (summary.measured_anything()) {
    const auto& regime = summary.regime.regime;
    facts.push_back(
        {"regime", regime ? std::string(analysis::regime_name(*regime)) : kNotAvailable});
    facts.push_back(
        {"limiter", fmt::format("**{}**. {}", analysis::limiter_name(summary.limiter.limiter),
                                markdown_plain(summary.limiter.evidence))});
  }
  page += markdown_table(facts, true);
}

void add_warnings(std::string& page, const Summary& summary) {
  if (summary.warnings.empty()) return;
  page += fmt::format("## {}\n\n", analysis::counted(summary.warnings.size(), "warning"));
  for (const analysis::Doubt& doubt : summary.warnings)
    page += fmt::format("- **{}**: {}. Next step: {}\n", record::warning_info(doubt.kind).name,
                        markdown_plain(doubt.seen), markdown_plain(doubt.next_step));
  page += '\n';
}

void add_expectations(std::string& page, const Summary& summary) {
  if (summary.expectations.empty()) return;
  page += "## Expectations\n\n";
  for (const analysis::ExpectationResult& result : summary.expectations)
    page += fmt::format("- {}: {}\n", result.met ? "met" : "**not met**",
                        markdown_plain(result.line()));
  page += '\n';
}

// A figure with the reason beside it when it is not known.
std::vector<std::string> figure(const Summary& summary, std::string_view label, std::string value,
                                const std::string& name) {
  const auto why = summary.not_available.find(name);
  std::string note;
  if (value == kNotAvailable && why != summary.not_available.end())
    note = markdown_plain(why->second);
  return {std::string(label), std::move(value), std::move(note)};
}

void add_figures(std::string& page, const Summary& summary) {
  const WindowSummary& measure = summary.measure;
  page += fmt::format("## Numbers, over the measure window of {}\n\n",
                      analysis::seconds_text(measure.window.end - measure.window.begin));
  MarkdownCells cells = {{"figure", "value", "why it is n/a"}};
  const auto add = [&](std::string_view label, std::string value, const std::string& name) {
    cells.push_back(figure(summary, label, std::move(value), name));
  };
  add("throughput", rate_text(measure.throughput_per_s), "measure.throughput_per_s");
  if (summary.schedule) {
    add("asked", rate_text(summary.schedule->asked_per_s), "");
    add("unsent", grouped(summary.schedule->unsent), "");
    add("schedule lag, p99", latency_text(summary.schedule->lag_p99), "");
  }
  add("peak minute", rate_text(measure.peak_throughput_per_minute),
      "measure.peak_throughput_per_minute");
  add("peak second", rate_text(measure.peak_throughput_per_second),
      "measure.peak_throughput_per_second");
  add("CV per minute", percent_text(measure.throughput_cv_per_minute),
      "measure.throughput_cv_per_minute");
  add("CV per second", percent_text(measure.throughput_cv_per_second),
      "measure.throughput_cv_per_second");
  add("hit ratio, client", percent_text(measure.hit_ratio_client), "measure.hit_ratio_client");
  add("hit ratio, engine", percent_text(measure.hit_ratio_engine), "measure.hit_ratio_engine");
  add("memory used, max", percent_text(measure.memory_used_max_ratio),
      "measure.memory_used_max_ratio");
  add("headroom", percent_text(summary.headroom_ratio), "headroom_ratio");
  add("first eviction",
      summary.first_eviction ? analysis::seconds_text(*summary.first_eviction)
      : measure.evictions    ? "none"
                             : kNotAvailable,
      "first_eviction");
  add("evictions", count_text(measure.evictions), "measure.evictions");
  add("expired", count_text(measure.expired), "measure.expired");
  add("peak keys", count_text(summary.peak_keys), "peak_keys");
  add("bytes per key", bytes_text(summary.bytes_per_key), "bytes_per_key");
  add("engine CPU, main thread", percent_text(measure.engine_cpu_main_thread),
      "measure.engine_cpu_main_thread");
  add("engine CPU, process", percent_text(measure.engine_cpu_process),
      "measure.engine_cpu_process");
  add("generator's machine", percent_text(summary.host_cpu_busy_ratio), "host_cpu_busy_ratio");
  page += markdown_table(cells, true);
}

void add_latency(std::string& page, const Summary& summary) {
  if (summary.measure.latencies.empty()) return;
  page += summary.schedule
              ? "## Latency\n\nResponse: from the time for which a request was intended. Others: "
                "from a request's own send.\n\n"
              : "## Latency, from a request's own send\n\n";
  MarkdownCells cells = {{"", "requests", "p50", "p90", "p99", "p99.9", "p99.99", "max"}};
  std::vector<const LatencySummary*> rows;
  for (const LatencySummary& row : summary.measure.latencies) rows.push_back(&row);
  // What users wait for first.
  std::ranges::stable_sort(rows, std::greater(), &LatencySummary::kind);
  for (const LatencySummary* const row : rows) {
    cells.push_back({markdown_plain(analysis::latency_label(*row)), grouped(row->count),
                     latency_text(row->p50), latency_text(row->p90), latency_text(row->p99),
                     latency_text(row->p999), latency_text(row->p9999), latency_text(row->max)});
  }
  page += markdown_table(cells);
}

const LatencySummary* felt(const Summary& summary, const WindowSummary& window) {
  const auto kind =
      summary.schedule ? record::LatencyKind::kResponse : record::LatencyKind::kService;
  for (const LatencySummary& row : window.latencies) {
    if (row.operation == "all" && row.kind == kind) return &row;
  }
  return nullptr;
}

void add_boundary(std::string& page, const Summary& summary) {
  if (!summary.before_eviction || !summary.after_eviction) return;
  const auto latency = [&](const WindowSummary& window, std::optional<Nanos> LatencySummary::* at) {
    const LatencySummary* const row = felt(summary, window);
    return latency_text(row == nullptr ? std::nullopt : row->*at);
  };
  const auto row = [&](std::string_view label, auto read) -> std::vector<std::string> {
    return {std::string(label), read(*summary.before_eviction), read(*summary.after_eviction)};
  };
  page += "## Before and after the first eviction\n\n";
  page += markdown_table(
      {{"", "before", "after"},
       row("throughput", [](const auto& one) { return rate_text(one.throughput_per_s); }),
       row("p50", [&](const auto& one) { return latency(one, &LatencySummary::p50); }),
       row("p99", [&](const auto& one) { return latency(one, &LatencySummary::p99); }),
       row("p99.9", [&](const auto& one) { return latency(one, &LatencySummary::p999); }),
       row("hit ratio, client", [](const auto& one) { return percent_text(one.hit_ratio_client); }),
       row("evictions", [](const auto& one) { return count_text(one.evictions); })});
}

void add_account(std::string& page, const Summary& summary) {
  const analysis::Conservation& account = summary.conservation;
  page += "## Account, over the whole run\n\n";
  MarkdownCells cells = {{"operation", "sent", "ended", "seen by the engine"}};
  for (const analysis::Conservation::Row& row : account.rows) {
    const auto calls = account.engine_calls(row);
    cells.push_back({markdown_plain(row.operation), grouped(row.sent), grouped(row.outcomes),
                     calls ? grouped(*calls) : kNotAvailable});
  }
  page += markdown_table(cells);
}

void add_reproduce(std::string& page, const record::Run& run, const Source& source) {
  page += "## How to reproduce\n\n" + markdown_code(run.header.command_line) + "\nheadroom " +
          markdown_plain(run.header.tool_version) + ", run " + markdown_plain(run.header.run_id) +
          ", SHA-256 of its content " +
          (source.digest.empty() ? std::string("n/a: the file was not sealed")
                                 : markdown_plain(source.digest)) +
          ".\n\n" + markdown_code(run.header.scenario_toml);
}

}  // namespace

std::string render_markdown(const record::Run& run, const Summary& summary, const Source& source) {
  std::string page;
  add_head(page, run, summary, source);
  add_expectations(page, summary);
  add_warnings(page, summary);
  if (summary.measured_anything()) {
    add_figures(page, summary);
    add_latency(page, summary);
    add_boundary(page, summary);
    add_account(page, summary);
  }
  if (!run.end) page += markdown_plain(left_behind(run)) + "\n\n";
  add_reproduce(page, run, source);
  return page;
}

bool is_markdown_report(std::string_view text) { return text.starts_with(kMarkdownSignature); }

}  // namespace headroom::report
