// Latency: merging histograms and reading them.
//
// Histograms of intervals, workers and outcomes are merged bucket by bucket, which is exact; no
// quantile is ever an average of quantiles.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/summary.h"
#include "record/load.h"
#include "stats/histogram.h"

namespace headroom::analysis {

// Adds `from` to `into`, which stays sorted by key and gains the keys that it lacks.
void merge_latencies(std::vector<record::LatencySeries>& into,
                     std::span<const record::LatencySeries> from);

// Merge of hit, miss and ok; of one operation, or of all when `operation` is nullopt.
[[nodiscard]] stats::Histogram completed_latency(
    std::span<const record::LatencySeries> series, record::LatencyKind kind,
    std::optional<std::uint16_t> operation = std::nullopt);

// The quantiles that we report.
enum class Quantile { kP50, kP90, kP99, kP999, kP9999 };
[[nodiscard]] double quantile_value(Quantile quantile);           // 0.99
[[nodiscard]] std::string_view quantile_name(Quantile quantile);  // "p99"
// A quantile q is reported when at least one sample is expected beyond it, 1 / (1 - q): below that
// it would only be the maximum under another name. 2, 10, 100, 1,000, 10,000.
[[nodiscard]] std::uint64_t samples_needed(Quantile quantile);
[[nodiscard]] std::optional<Nanos> supported_quantile(const stats::Histogram& histogram,
                                                      Quantile quantile);

// The row of one histogram, which is not empty; `outcome`: nullopt is the merge of the completed.
[[nodiscard]] LatencySummary summarize_latency(const stats::Histogram& histogram,
                                               std::string operation, record::LatencyKind kind,
                                               std::optional<record::Outcome> outcome,
                                               Reasons& reasons, const std::string& prefix);

// All latencies of a window: "all" first, then per operation the merge of its completed outcomes
// (where it has several) and each outcome by itself. `merged` is sorted by key. Reasons for
// quantiles with too few samples go under `prefix`.
[[nodiscard]] std::vector<LatencySummary> summarize_latencies(
    std::span<const record::LatencySeries> merged, std::span<const std::string> operations,
    Reasons& reasons, const std::string& prefix);

// "all", "GET", "GET hit", "SET rejected"; with " (response)" where it is from the intended time:
// how a row is called everywhere.
[[nodiscard]] std::string latency_label(const LatencySummary& latency);

}  // namespace headroom::analysis
