// The makers of claims, by subject. Internal to `analysis`; compare() calls them all.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/arm.h"
#include "analysis/claim.h"
#include "analysis/comparison.h"

namespace headroom::analysis {

// Realised key counts that differ by more than this are not the same data.
inline constexpr double kSameKeys = 0.02;
// Runs whose throughput differs by more than this from lowest to highest have no headline.
inline constexpr double kSameHeadline = 0.10;
// Less of a burst credit than this is none.
inline constexpr double kCreditGone = 1.0;
// Throughput that grows by less than this share of what the workers did does not scale.
inline constexpr double kScales = 0.9;

// Everything a maker may look at; its claims go into `claims`.
struct ClaimContext {
  std::span<const Arm> arms;
  const Contract& contract;
  std::span<const Contrast> contrasts;
  const ComparisonOptions& options;
  std::vector<Claim>& claims;
};

// Separation, and the order in throughput, latency, CPU efficiency, hit ratio, first eviction and
// bytes per key; equality; the ladder.
void claim_orders(const ClaimContext& context);
void claim_same_band(const ClaimContext& context);
void claim_ladder(const ClaimContext& context);
// Capacity, headroom, concurrency, scaling, CPU.
void claim_capacity(const ClaimContext& context);
void claim_scaling(const ClaimContext& context);
void claim_cpu(const ClaimContext& context);
// Memory, states, credits, cost.
void claim_memory(const ClaimContext& context);
void claim_states(const ClaimContext& context);
void claim_cost(const ClaimContext& context);

// "48,891 /s (47,932 to 51,268 /s, 3 runs)"
[[nodiscard]] std::string spread_text(Figure figure, const Spread& spread);
// "A: 48,891 /s (...)"
[[nodiscard]] std::string arm_spread(const Arm& arm, Figure figure);
// Requests in flight by Little's law, throughput x mean latency; nullopt where either is unknown.
[[nodiscard]] std::optional<double> in_flight(const Arm& arm);
// Whether all slots were in use, by the limiter or by Little's law.
[[nodiscard]] bool concurrency_limited(const Arm& arm);
// Whether keys were evicted in any run: nullopt where it is not known.
[[nodiscard]] std::optional<bool> evicted(const Arm& arm);
// "A, B and C"
[[nodiscard]] std::string listed(std::span<const std::string> names);

}  // namespace headroom::analysis
