#include "report/instrument.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

#include "analysis/prose.h"
#include "base/text.h"
#include "base/units.h"
#include "report/format.h"
#include "report/page.h"

namespace headroom::report {
namespace {

using analysis::CeilingCheck;
using analysis::InstrumentCheck;
using analysis::InstrumentVerdict;
using analysis::LatenessCheck;
using analysis::MachineFacts;
using analysis::QuantileCheck;
using analysis::Trust;
using analysis::TruthCheck;

std::string quantile_name(double q) { return q < 1 ? fmt::format("p{:g}", 100 * q) : "max"; }

// "20,123.4": microseconds with a tenth, which is what the tolerance can be judged by.
std::string us_text(std::optional<Nanos> value) {
  if (!value) return kNotAvailable;
  const auto tenths = std::lround(std::abs(static_cast<double>(value->count())) / 100);
  return fmt::format("{}{}.{}", *value < Nanos{0} ? "-" : "",
                     grouped(static_cast<std::uint64_t>(tenths / 10)), tenths % 10);
}

std::string off_text(const QuantileCheck& quantile) {
  if (!quantile.known()) return kNotAvailable;
  const Nanos off = *quantile.measured - *quantile.truth;
  return (off >= Nanos{0} ? "+" : "") + us_text(off);
}

std::pair<std::string, Tone> trust_text(Trust trust) {
  switch (trust) {
    case Trust::kTrustworthy:
      return {"trustworthy", Tone::kGood};
    case Trust::kWithCaution:
      return {"trustworthy, with the cautions below", Tone::kCaution};
    case Trust::kUntrustworthy:
      return {"UNTRUSTWORTHY", Tone::kBad};
  }
  return {"unknown", Tone::kBad};
}

void add_head(Page& page, const InstrumentCheck& check, const InstrumentVerdict& verdict) {
  const MachineFacts& machine = check.machine;
  std::string about = analysis::counted(machine.cpus_allowed, "CPU");
  for (const std::string& more : {machine.cpu_model, machine.kernel}) {
    if (!more.empty()) about += ", " + printable(more, 60);
  }
  page.paragraph("machine", about);
  page.paragraph("check", fmt::format("{}{}, took {}", check.quick ? "quick, " : "",
                                      analysis::counted(check.workers, "worker"),
                                      analysis::seconds_text(check.took)));
  page.section("VERDICT");
  const auto [text, tone] = trust_text(verdict.trust);
  page.paragraph("", text, tone);
  for (const std::string& conclusion : verdict.conclusions) page.paragraph("", conclusion);
}

void add_doubts(Page& page, const InstrumentVerdict& verdict) {
  if (verdict.doubts.empty()) return;
  page.section("DOUBTS");
  for (const analysis::InstrumentDoubt& doubt : verdict.doubts) {
    page.paragraph(doubt.fatal ? "  fatal" : "  caution", printable(doubt.what, 400),
                   doubt.fatal ? Tone::kBad : Tone::kCaution);
    page.paragraph("", doubt.remedy);
  }
}

// What stands in a case's rows beside its quantiles.
std::vector<std::string> labels_of(const TruthCheck& truth) {
  std::vector<std::string> labels = {truth.name,
                                     "  " + analysis::counted(truth.requests, "request")};
  if (!truth.counts_hold()) labels.push_back(fmt::format("  {} reported", grouped(truth.reported)));
  if (truth.attempts > 1) labels.push_back(fmt::format("  best of {}", truth.attempts));
  labels.resize(truth.quantiles.size());
  return labels;
}

void add_truths(Page& page, const InstrumentCheck& check) {
  page.section("MEASURED AGAINST TRUE", "us; holds within 1 % or 5 us of the truth");
  std::vector<std::vector<std::string>> cells = {
      {"server's script", "", "added", "true", "measured", "off", ""}};
  for (const TruthCheck& truth : check.truths) {
    const std::vector<std::string> labels = labels_of(truth);
    for (std::size_t i = 0; i < truth.quantiles.size(); ++i) {
      const QuantileCheck& quantile = truth.quantiles[i];
      cells.push_back({labels[i], quantile_name(quantile.q), us_text(quantile.added),
                       us_text(quantile.truth), us_text(quantile.measured), off_text(quantile),
                       !quantile.known()  ? "n/a"
                       : quantile.holds() ? "ok"
                                          : "OFF"});
    }
  }
  page.table(cells);
}

void add_lateness(Page& page, std::string_view label, const LatenessCheck& lateness,
                  std::string_view what) {
  page.row(label, latency_text(lateness.p50),
           fmt::format("p99 {}, max {}; {}", latency_text(lateness.p99), latency_text(lateness.max),
                       what));
}

void add_timing(Page& page, const InstrumentCheck& check) {
  page.section("TIMING", "the median, and the tail");
  add_lateness(page, "timed waits", check.timers.lateness,
               fmt::format("how late they ended, at {} /s",
                           grouped(static_cast<std::uint64_t>(check.timers.rate_per_s))));
  page.row("no CPU", percent_text(check.timers.kept_waiting_ratio),
           "of the time, for a worker that was ready to run");
  add_lateness(page, "loop lag", check.loop_lag, "how late a worker looked at its sockets");
}

void add_ceilings(Page& page, const InstrumentCheck& check) {
  page.section("CEILING",
               fmt::format("of one worker with {} connections, against a server that only counts",
                           check.ceilings.empty() ? 0 : check.ceilings.front().connections));
  std::vector<std::vector<std::string>> cells = {
      {"pipeline", "was", "CPU each", "worker", "server", "limit", "ceiling"}};
  for (const CeilingCheck& ceiling : check.ceilings) {
    const auto cpu = ceiling.cpu_ns();
    cells.push_back(
        {fmt::format("{}", ceiling.pipeline), rate_text(ceiling.throughput_per_s()),
         cpu ? human_duration(Nanos{std::llround(*cpu)}) : kNotAvailable,
         analysis::percent(ceiling.generator_ratio()), analysis::percent(ceiling.responder_ratio()),
         std::string(ceiling_limit_name(ceiling.limit())), rate_text(ceiling.ceiling_per_s())});
  }
  page.table(cells);
}

void add_machine(Page& page, const InstrumentCheck& check) {
  const MachineFacts& machine = check.machine;
  page.section("MACHINE", "while this was measured");
  page.row("other programs",
           machine.others_cpus ? fmt::format("{:.2f} CPUs", *machine.others_cpus) : kNotAvailable,
           fmt::format("of the {} that Headroom may use",
                       analysis::counted(machine.cpus_allowed, "CPU")));
  page.row("stolen time", percent_text(machine.steal_ratio), "given to other virtual machines");
  page.row("CPU quota",
           machine.quota_cpus ? fmt::format("{:.3g} CPUs", *machine.quota_cpus) : "none",
           machine.quota_cpus
               ? fmt::format("exhausted for {} of the time", percent_text(machine.throttled_ratio))
               : "");
  page.row("reading the clock", human_duration(machine.clock_reading),
           machine.clocksource.empty() ? "source unknown" : printable(machine.clocksource, 40));
  page.row("governor", machine.governor.empty() ? "unknown" : printable(machine.governor, 40));
}

}  // namespace

std::string render_check_terminal(const InstrumentCheck& check, const InstrumentVerdict& verdict,
                                  const TerminalOptions& options) {
  Page page(options.colour);
  add_head(page, check, verdict);
  add_doubts(page, verdict);
  add_truths(page, check);
  add_timing(page, check);
  add_ceilings(page, check);
  add_machine(page, check);
  return std::move(page).text();
}

}  // namespace headroom::report
