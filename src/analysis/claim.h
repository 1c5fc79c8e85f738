// What a comparison states: each with a verdict, its evidence, the guards that held it back and
// what would settle it. docs/CLAIMS.md explains every kind and every guard.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::analysis {

enum class ClaimKind {
  kSeparation,
  kThroughputOrder,
  kLatencyOrder,
  kSameBand,
  kCapacity,
  kHeadroom,
  kGenerationLadder,
  kScaling,
  kConcurrency,
  kCpuEfficiency,
  kCpuLead,
  kCpuBottleneck,
  kMemoryEfficiency,
  kCliffTiming,
  kHitRatio,
  kOperatingState,
  kHeadline,
  kWorkingSet,
  kBurstCredits,
  kCost,
};
struct ClaimInfo {
  ClaimKind kind;
  std::string_view name;  // "throughput-order"
  std::string_view asks;  // the question that it answers, one sentence
};
[[nodiscard]] std::span<const ClaimInfo> claim_catalogue();
[[nodiscard]] const ClaimInfo& claim_info(ClaimKind kind);

enum class Verdict { kSupported, kNotSupported, kCannotTell };
[[nodiscard]] std::string_view verdict_name(Verdict verdict);  // "supported"

// Why a claim is not made, or is worth less.
enum class GuardKind {
  kTooFewRuns,
  kOverlap,
  kNotFound,
  kNotTested,
  kDrift,
  kRegimes,
  kNotStated,
  kConcurrencyLimited,
  kNoEngineLimit,
  kSaturated,
  kUnequalRepeats,
  kSharedHost,
  kCpuAlone,
  kKeyCounts,
  kEvictions,
  kWideSpread,
  kNoMargin,
  kNoPrice,
  kNoThrottling,
  kTheseRunsOnly,
};
struct GuardInfo {
  GuardKind kind;
  std::string_view name;     // "key-counts"
  std::string_view meaning;  // why it holds a claim back, one sentence
};
[[nodiscard]] std::span<const GuardInfo> guard_catalogue();
[[nodiscard]] const GuardInfo& guard_info(GuardKind kind);

struct Guard {
  GuardKind kind = GuardKind::kNotStated;
  std::string limit;  // one whole sentence with names and numbers: where the comparison stops
};

struct Claim {
  ClaimKind kind = ClaimKind::kSeparation;
  std::string statement;  // one sentence, as if it were true
  Verdict verdict = Verdict::kCannotTell;
  std::vector<std::string> evidence;  // sentences with numbers and names
  std::vector<Guard> guards;
  std::string settle;    // what would settle it; empty when it is settled
  bool primary = false;  // about a figure that was stated in advance
};

}  // namespace headroom::analysis
