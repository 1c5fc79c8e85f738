// What is known of one run, as far as a comparison asks: a few kilobytes, so that a hundred runs of
// an hour each can be compared without holding their seconds.
//
// It comes from a run file, or from a table that another tool or an old report left. What the table
// does not say is absent here, and weakens what can be claimed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/expectations.h"
#include "analysis/figure.h"
#include "analysis/outline.h"
#include "analysis/summary.h"
#include "base/clock.h"
#include "record/run.h"
#include "stats/histogram.h"

namespace headroom::analysis {

// Why a run may not be compared with anything. Each names itself in a comparison's contract.
enum class FaultKind {
  kNothingMeasured,
  kIncomplete,
  kTruncated,
  kTampered,
  kWorkerMissing,
  kGeneratorLimited,
  kAccount,  // requests are unaccounted for
};
[[nodiscard]] std::string_view fault_name(FaultKind kind);  // "incomplete"
struct Fault {
  FaultKind kind = FaultKind::kIncomplete;
  std::string seen;  // one clause with numbers, about this run
};

struct ObservedRun {
  std::string name;  // of its file, or as the table calls it
  bool imported = false;
  std::optional<WallTime> started;
  // Scenario keys with their canonical text ("timing.measure" -> "1m"), and facts by their own
  // name ("engine.version"). Absent is unknown.
  std::map<std::string, std::string> settings;
  std::map<Figure, double> figures;
  std::optional<Regime> regime;
  std::optional<Limiter> limiter;
  std::optional<std::uint64_t> slots;  // requests that the closed loop may have in flight
  std::optional<bool> complete;
  std::optional<bool> adds_up;  // every request is accounted for
  std::vector<Fault> faults;
  std::vector<ExpectationResult> expectations;  // that were asked of all runs of the comparison
  stats::Histogram latency;  // service time of all completed requests; empty: not known
  Outline outline;           // empty: not known
};

// `intact`: whether the file still has the content that was sealed; nullopt: it was never sealed.
[[nodiscard]] ObservedRun observe(const record::Run& run, const Summary& summary, std::string name,
                                  std::optional<bool> intact);

// "workers x connections x pipeline", where all three are known.
[[nodiscard]] std::optional<std::uint64_t> slots_of(
    const std::map<std::string, std::string>& settings);

}  // namespace headroom::analysis
