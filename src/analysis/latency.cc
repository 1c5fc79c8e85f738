#include "analysis/latency.h"

#include <algorithm>
#include <array>

#include "base/units.h"

namespace headroom::analysis {
namespace {

using record::LatencyKind;
using record::LatencySeries;
using stats::Histogram;

struct QuantileInfo {
  double value;
  std::string_view name;
  std::uint64_t samples_needed;
};
constexpr std::array<QuantileInfo, 5> kQuantiles{{{0.5, "p50", 2},
                                                  {0.9, "p90", 10},
                                                  {0.99, "p99", 100},
                                                  {0.999, "p99.9", 1'000},
                                                  {0.9999, "p99.99", 10'000}}};

const QuantileInfo& info(Quantile quantile) {
  return kQuantiles.at(static_cast<std::size_t>(quantile));
}

LatencySummary summarize(const Histogram& histogram) {
  LatencySummary summary;
  summary.count = histogram.count();
  summary.out_of_range = histogram.below() + histogram.above();
  summary.mean_ns = histogram.mean_ns();
  summary.min = histogram.min();
  summary.p50 = supported_quantile(histogram, Quantile::kP50);
  summary.p90 = supported_quantile(histogram, Quantile::kP90);
  summary.p99 = supported_quantile(histogram, Quantile::kP99);
  summary.p999 = supported_quantile(histogram, Quantile::kP999);
  summary.p9999 = supported_quantile(histogram, Quantile::kP9999);
  summary.max = histogram.max();
  return summary;
}

// "latency[GET hit]: p99.9 and beyond need 1,000 samples, there are 812"
void explain_missing(const LatencySummary& latency, Reasons& reasons, const std::string& prefix) {
  for (const QuantileInfo& quantile : kQuantiles) {
    if (latency.count >= quantile.samples_needed) continue;
    reasons[fmt::format("{}.latency[{}].{}", prefix, latency_label(latency), quantile.name)] =
        fmt::format("needs {} samples, there are {}", grouped(quantile.samples_needed),
                    grouped(latency.count));
  }
}

}  // namespace

void merge_latencies(std::vector<LatencySeries>& into, std::span<const LatencySeries> from) {
  for (const LatencySeries& series : from) {
    const auto place = std::ranges::lower_bound(into, series.key, {}, &LatencySeries::key);
    if (place != into.end() && place->key == series.key)
      place->histogram.merge(series.histogram);
    else
      into.insert(place, series);
  }
}

Histogram completed_latency(std::span<const LatencySeries> series, LatencyKind kind,
                            std::optional<std::uint16_t> operation) {
  Histogram merged;
  for (const LatencySeries& one : series) {
    if (one.key.kind == kind && is_completed(one.key.outcome) &&
        (!operation || one.key.operation == *operation))
      merged.merge(one.histogram);
  }
  return merged;
}

double quantile_value(Quantile quantile) { return info(quantile).value; }
std::string_view quantile_name(Quantile quantile) { return info(quantile).name; }
std::uint64_t samples_needed(Quantile quantile) { return info(quantile).samples_needed; }

std::optional<Nanos> supported_quantile(const Histogram& histogram, Quantile quantile) {
  if (histogram.count() < samples_needed(quantile)) return std::nullopt;
  return histogram.quantile(quantile_value(quantile));
}

LatencySummary summarize_latency(const Histogram& histogram, std::string operation,
                                 LatencyKind kind, std::optional<record::Outcome> outcome,
                                 Reasons& reasons, const std::string& prefix) {
  LatencySummary row = summarize(histogram);
  row.operation = std::move(operation);
  row.kind = kind;
  row.all_completed = !outcome;
  if (outcome) row.outcome = *outcome;
  explain_missing(row, reasons, prefix);
  return row;
}

std::vector<LatencySummary> summarize_latencies(std::span<const LatencySeries> merged,
                                                std::span<const std::string> operations,
                                                Reasons& reasons, const std::string& prefix) {
  std::vector<LatencySummary> rows;
  const auto add = [&](const Histogram& histogram, std::string operation, LatencyKind kind,
                       std::optional<record::Outcome> outcome) {
    if (histogram.empty()) return;
    rows.push_back(
        summarize_latency(histogram, std::move(operation), kind, outcome, reasons, prefix));
  };
  for (const LatencyKind kind : {LatencyKind::kService, LatencyKind::kResponse}) {
    add(completed_latency(merged, kind), "all", kind, std::nullopt);
    for (std::uint16_t operation = 0; operation < operations.size(); ++operation) {
      const auto belongs = [&](const LatencySeries& series) {
        return series.key.operation == operation && series.key.kind == kind;
      };
      const auto completed_outcomes =
          std::ranges::count_if(merged, [&](const LatencySeries& series) {
            return belongs(series) && is_completed(series.key.outcome);
          });
      if (completed_outcomes > 1)
        add(completed_latency(merged, kind, operation), operations[operation], kind, std::nullopt);
      for (const LatencySeries& series : merged) {
        if (belongs(series)) add(series.histogram, operations[operation], kind, series.key.outcome);
      }
    }
  }
  return rows;
}

std::string latency_label(const LatencySummary& latency) {
  std::string label = latency.operation;
  if (!latency.all_completed) label += fmt::format(" {}", outcome_name(latency.outcome));
  if (latency.kind == LatencyKind::kResponse) label += " (response)";
  return label;
}

}  // namespace headroom::analysis
