#include "report/terminal.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/prose.h"
#include "base/text.h"
#include "base/units.h"
#include "report/expectations.h"
#include "report/format.h"
#include "report/head.h"
#include "report/page.h"
#include "report/sections.h"
#include "report/text.h"

namespace headroom::report {
namespace {

using analysis::Summary;

void add_head(Page& page, const record::Run& run, const Summary& summary, const Source& source) {
  const scenario::Scenario& scenario = run.header.scenario;
  page.line(printable(scenario.name, 76), Tone::kStrong);
  page.paragraph("target", target_text(run));
  page.paragraph("load", load_text(scenario));
  page.paragraph("started",
                 fmt::format("{}, {}", iso_time(run.header.started), measured_text(summary)));
  if (!source.file.empty()) page.paragraph("file", printable(source.file, 400));
  const auto [state, tone] = state_text(run, source);
  page.paragraph("state", state, tone);
}

void add_verdict(Page& page, const Summary& summary) {
  page.section("VERDICT");
  const analysis::RegimeVerdict& regime = summary.regime;
  page.paragraph("  regime", regime.regime ? analysis::regime_name(*regime.regime) : kNotAvailable,
                 regime_tone(summary));
  page.paragraph("", printable(regime.evidence, 1000));
  page.paragraph("  limiter", analysis::limiter_name(summary.limiter.limiter), Tone::kStrong);
  page.paragraph("", printable(summary.limiter.evidence, 1000));
}

void add_warnings(Page& page, const Summary& summary) {
  if (summary.warnings.empty()) return;
  page.section(fmt::format("{}", analysis::counted(summary.warnings.size(), "WARNING", "WARNINGS")),
               "each with its next step");
  for (const analysis::Doubt& doubt : summary.warnings) {
    page.line(fmt::format("  ! {}", record::warning_info(doubt.kind).name), Tone::kCaution);
    page.paragraph("", printable(doubt.seen, 1000));
    page.paragraph("       ->", doubt.next_step);
  }
}

void add_receipts(Page& page, const record::Run& run) {
  if (run.receipts.empty() && run.end) return;
  page.section("TEAR-DOWN", run.end ? "what the run made and how it is known to be gone"
                                    : "not done: the run has no end");
  if (!run.end) {
    for (const std::string& line : wrap(left_behind(run), Page::kWidth - 2))
      page.line("  " + line, Tone::kCaution);
  }
  const record::PhaseSpan* teardown = run.phase(record::Phase::kTeardown);
  for (const record::Receipt& receipt : run.receipts) {
    // Those of earlier boundaries are in the JSON.
    if (teardown != nullptr && receipt.time < teardown->begin) continue;
    page.row(printable(receipt.what, 100), receipt.proved ? "proved" : "NOT PROVED",
             printable(receipt.evidence, 400));
  }
}

}  // namespace

std::string render_terminal(const record::Run& run, const Summary& summary, const Source& source,
                            const TerminalOptions& options) {
  Page page(options.colour);
  add_head(page, run, summary, source);
  if (!summary.measured_anything()) {  // a page of n/a would only hide how the run ended
    add_expectations(page, summary.expectations);
    add_warnings(page, summary);
    add_receipts(page, run);
    return std::move(page).text();
  }
  add_verdict(page, summary);
  add_expectations(page, summary.expectations);
  add_warnings(page, summary);
  add_throughput(page, summary);
  add_loads(page, summary);
  add_stages(page, summary);
  add_latency(page, summary);
  add_splits(page, summary);
  add_slowest(page, run, summary);
  add_nodes(page, run, summary);
  add_engine_commands(page, summary);
  add_connections(page, summary);
  add_cache(page, run, summary);
  add_cpu(page, run, summary);
  add_members(page, summary);
  add_boundary(page, summary);
  add_over_time(page, run, summary);
  add_account(page, summary);
  add_receipts(page, run);
  return std::move(page).text();
}

}  // namespace headroom::report
