#include "report/terminal.h"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/prose.h"
#include "base/text.h"
#include "base/units.h"
#include "report/format.h"
#include "report/page.h"
#include "report/sections.h"
#include "report/text.h"
#include "scenario/node.h"
#include "scenario/operations.h"

namespace headroom::report {
namespace {

using analysis::Regime;
using analysis::Summary;

std::string fact(const record::Run& run, const std::string& key) {
  const auto found = run.facts.find(key);
  return found == run.facts.end() ? std::string() : printable(found->second, 60);
}

// Of an engine that the run started; empty where it was not recorded.
std::string engine_pid(const record::Run& run) {
  if (const std::string pid = fact(run, "engine.pid"); !pid.empty()) return pid;
  // Without that fact the event of its start has it: "started valkey 9.1.2 as pid 4711 on ..."
  static constexpr std::string_view kBefore = " as pid ";
  for (const record::Event& event : run.events) {
    const std::size_t at = event.text.find(kBefore);
    if (event.kind != record::EventKind::kNote || at == std::string::npos) continue;
    const std::string_view rest = std::string_view(event.text).substr(at + kBefore.size());
    return std::string(rest.substr(0, rest.find_first_not_of("0123456789")));
  }
  return {};
}

// "TLSv1.3"
std::string tls_text(const record::Run& run) {
  const std::string agreed = fact(run, "target.tls");
  return agreed.empty() ? std::string("TLS") : agreed.substr(0, agreed.find(','));
}

// "local valkey 9.1.2, maxmemory 64 MiB, allkeys-lru"
std::string target_text(const record::Run& run) {
  const scenario::Target& target = run.header.scenario.target;
  const bool local = target.kind == scenario::TargetKind::kLocal;
  const std::string engine = fact(run, "engine.name");
  const std::string version = fact(run, "engine.version");
  const std::string node = scenario::node_text(target);
  std::string text = local ? "local " : "";
  text += engine.empty() ? std::string("engine of unknown name") : engine;
  if (!version.empty()) text += " " + version;
  if (!local)
    text += " at " + (target.socket.empty()
                          ? fmt::format("{}:{}", printable(target.host, 100), target.port)
                          : printable(target.socket, 100));
  if (local && !node.empty()) text += " as " + node;
  if (target.tls) text += fmt::format(" under {}", tls_text(run));
  if (target.protocol == scenario::Protocol::kResp3) text += ", RESP3";
  if (local)
    text +=
        fmt::format(", maxmemory {}, {}", human_bytes(static_cast<double>(target.maxmemory_bytes)),
                    printable(target.maxmemory_policy, 40));
  return text;
}

std::string load_text(const scenario::Scenario& scenario) {
  const scenario::Load& load = scenario.load;
  const scenario::Workload& workload = scenario.workload;
  const auto* fixed = std::get_if<std::uint64_t>(&workload.value_size);
  const std::string values =
      fixed != nullptr ? fmt::format("{}-byte values", *fixed)
                       : fmt::format("values of {}", scenario::describe_size(workload.value_size));
  const bool uniform = std::holds_alternative<scenario::UniformKeys>(workload.key_distribution);
  return fmt::format("{} x {}, pipeline {}, {}, {}{}", analysis::counted(load.workers, "worker"),
                     analysis::counted(load.connections, "connection"), load.pipeline, values,
                     scenario::describe_mix(workload),
                     uniform ? "" : ", keys " + scenario::describe_keys(workload));
}

std::pair<std::string, Tone> state_text(const record::Run& run, const Source& source) {
  const auto ended = [&]() -> std::pair<std::string, Tone> {
    if (!run.end) return {"INCOMPLETE: never finished", Tone::kBad};
    switch (*run.end) {
      case record::RunEnd::kComplete:
        return {"complete", Tone::kGood};
      case record::RunEnd::kInterrupted:
        return {"INCOMPLETE: interrupted", Tone::kCaution};
      case record::RunEnd::kFailed:
        return {"INCOMPLETE: " + printable(run.end_reason), Tone::kBad};
    }
    return {"unknown", Tone::kBad};
  };
  auto [text, tone] = ended();
  switch (source.seal) {
    case Seal::kSealed:
      return {
          fmt::format("{}; sealed, sha256 {}...", text, printable(source.digest, 64).substr(0, 16)),
          tone};
    case Seal::kTampered:
      return {text + "; CHANGED SINCE IT WAS SEALED: do not trust any number below", Tone::kBad};
    case Seal::kIncomplete:
      return {text + "; not sealed", tone};
    case Seal::kNotChecked:
      return {text, tone};
  }
  return {text, tone};
}

Tone regime_tone(const std::optional<Regime>& regime) {
  if (!regime) return Tone::kCaution;
  switch (*regime) {
    case Regime::kHeadroom:
      return Tone::kGood;
    case Regime::kBoundary:
    case Regime::kSaturated:
      return Tone::kCaution;
    case Regime::kRejecting:
      return Tone::kBad;
  }
  return Tone::kPlain;
}

std::string measured_text(const Summary& summary) {
  const analysis::Window& window = summary.measure.window;
  if (summary.measured_anything())
    return "measured " + analysis::seconds_text(window.end - window.begin);
  const auto why = summary.not_available.find("measure");
  return "nothing measured" +
         (why == summary.not_available.end() ? std::string() : ": " + why->second);
}

bool still_filling(const Summary& summary) {
  return std::ranges::find(summary.warnings, record::WarningKind::kStillFilling,
                           &analysis::Doubt::kind) != summary.warnings.end();
}

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
                 still_filling(summary) ? Tone::kCaution : regime_tone(regime.regime));
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

// What a run without an end may have left behind. Its engine was to be ended by the kernel with
// Headroom itself, but nobody was there to see it.
std::string left_behind(const record::Run& run) {
  if (run.header.scenario.target.kind != scenario::TargetKind::kLocal)
    return "It never happened: keys that the run wrote may still be on the target.";
  const std::string directory = fact(run, "node.directory");
  std::string text = "It never happened, so nothing proves that the engine is gone: ";
  if (const std::string pid = engine_pid(run); !pid.empty())
    text += fmt::format("look for its process with ps -p {}", pid);
  else
    text += "its pid was not recorded";
  if (!directory.empty())
    text +=
        fmt::format("; its directory {} may remain until the next run of a local node", directory);
  return text + ".";
}

void add_receipts(Page& page, const record::Run& run) {
  if (run.receipts.empty() && run.end) return;
  page.section("TEAR-DOWN", run.end ? "what the run made and how it is known to be gone"
                                    : "not done: the run has no end");
  if (!run.end) {
    for (const std::string& line : wrap(left_behind(run), Page::kWidth - 2))
      page.line("  " + line, Tone::kCaution);
  }
  for (const record::Receipt& receipt : run.receipts) {
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
    add_warnings(page, summary);
    add_receipts(page, run);
    return std::move(page).text();
  }
  add_verdict(page, summary);
  add_warnings(page, summary);
  add_throughput(page, summary);
  add_latency(page, summary);
  add_connections(page, summary);
  add_cache(page, run, summary);
  add_cpu(page, run, summary);
  add_boundary(page, summary);
  add_over_time(page, run, summary);
  add_account(page, summary);
  add_receipts(page, run);
  return std::move(page).text();
}

}  // namespace headroom::report
