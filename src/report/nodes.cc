// The sections about a cluster's nodes and their outages.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "analysis/prose.h"
#include "base/text.h"
#include "base/units.h"
#include "report/format.h"
#include "report/sections.h"
#include "report/text.h"
#include "scenario/loads.h"

namespace headroom::report {
namespace {

using record::Outcome;

std::uint64_t failed(const record::NodeCounts& counts) {
  return counts.requests.of(Outcome::kError) + counts.requests.of(Outcome::kTimeout) +
         counts.requests.of(Outcome::kLost) + counts.requests.of(Outcome::kRejected) +
         counts.requests.of(Outcome::kCorrupt);
}

void add_outage(Page& page, const analysis::OutageSummary& outage, Nanos window_begin) {
  const double begin = std::chrono::duration<double>(outage.begin - window_begin).count();
  const std::string length =
      outage.end ? human_duration(*outage.end - outage.begin) : std::string("no end");
  std::string note = fmt::format("from {:.2f} s into the window, seen by {}; {} failed", begin,
                                 analysis::counted(outage.workers, "worker"),
                                 analysis::counted(outage.failed, "request"));
  if (!outage.successor.empty() && outage.successor != outage.node)
    note += fmt::format("; served by {} from then on", printable(outage.successor));
  note += outage.recovered_after ? fmt::format("; throughput was back after {}",
                                               human_duration(*outage.recovered_after))
                                 : std::string("; throughput did not come back in the window");
  page.row(printable(outage.node, 60), length, note);
}

}  // namespace

void add_nodes(Page& page, const record::Run& run, const analysis::Summary& summary) {
  if (!summary.cluster || summary.cluster->nodes.size() < 2) return;
  const bool open_loop = scenario::is_open_loop(run.header.scenario);
  page.section("NODES", open_loop ? "of the cluster; response latency of what completed there"
                                  : "of the cluster; latency of what completed there");
  std::vector<std::vector<std::string>> cells = {
      {"", "per second", "p50", "p99", "max", "failed", "MOVED", "ASK", "again"}};
  for (const analysis::NodeSummary& node : summary.cluster->nodes) {
    const analysis::NodeLatency latency = node.response.value_or(node.service);
    cells.push_back(
        {printable(node.node, 40), count_text(node.throughput_per_s), latency_text(latency.p50),
         latency_text(latency.p99), latency_text(latency.max), grouped(failed(node.counts)),
         grouped(node.counts.moved), grouped(node.counts.asked), grouped(node.counts.retried)});
  }
  page.table(cells);
  if (summary.cluster->outages.empty()) return;
  page.section("OUTAGES", "time without a good reply about a node's slots");
  for (const analysis::OutageSummary& outage : summary.cluster->outages)
    add_outage(page, outage, summary.measure.window.begin);
}

}  // namespace headroom::report
