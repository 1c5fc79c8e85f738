#include "analysis/claim.h"

#include <array>

namespace headroom::analysis {
namespace {

constexpr std::array kClaims = {
    ClaimInfo{ClaimKind::kSeparation, "separation",
              "Did every run of one arm exceed every run of the other?"},
    ClaimInfo{ClaimKind::kThroughputOrder, "throughput-order",
              "Has one arm the higher throughput, beyond the runs at hand?"},
    ClaimInfo{ClaimKind::kLatencyOrder, "latency-order",
              "Has one arm the lower latency at a quantile, beyond the runs at hand?"},
    ClaimInfo{ClaimKind::kSameBand, "same-band",
              "Are two arms as good as equal, within a margin stated beforehand?"},
    ClaimInfo{ClaimKind::kCapacity, "capacity",
              "Is the throughput that was measured the most that the node can do?"},
    ClaimInfo{ClaimKind::kHeadroom, "headroom", "Did all runs serve the load with memory left?"},
    ClaimInfo{ClaimKind::kGenerationLadder, "generation-ladder",
              "Is each arm better than the one before it?"},
    ClaimInfo{ClaimKind::kScaling, "scaling",
              "Does throughput grow as much as the number of workers?"},
    ClaimInfo{
        ClaimKind::kConcurrency, "concurrency",
        "Was throughput what the requests in flight allow, rather than what the node can do?"},
    ClaimInfo{ClaimKind::kCpuEfficiency, "cpu-efficiency",
              "Does one arm serve more operations for a second of engine CPU?"},
    ClaimInfo{ClaimKind::kCpuLead, "cpu-lead",
              "Does a lower engine CPU mean more throughput or capacity?"},
    ClaimInfo{ClaimKind::kCpuBottleneck, "cpu-bottleneck", "Did the engine's CPU limit the runs?"},
    ClaimInfo{ClaimKind::kMemoryEfficiency, "memory-efficiency",
              "Does one arm need less memory for the same data?"},
    ClaimInfo{ClaimKind::kCliffTiming, "cliff-timing",
              "Does one arm begin to evict later than the other?"},
    ClaimInfo{ClaimKind::kHitRatio, "hit-ratio", "Does one arm serve more of its reads?"},
    ClaimInfo{ClaimKind::kOperatingState, "operating-state",
              "Were all runs of an arm in the same state?"},
    ClaimInfo{ClaimKind::kHeadline, "headline", "Do the runs of an arm agree on one throughput?"},
    ClaimInfo{ClaimKind::kWorkingSet, "working-set",
              "Does low latency show that the working set fits into memory?"},
    ClaimInfo{ClaimKind::kBurstCredits, "burst-credits",
              "Were the runs held back by used-up CPU credits?"},
    ClaimInfo{ClaimKind::kCost, "cost", "Does one arm serve more operations for the money?"},
};

constexpr std::array kGuards = {
    GuardInfo{GuardKind::kTooFewRuns, "too-few-runs",
              "With so few runs even a complete separation happens too often by chance."},
    GuardInfo{GuardKind::kOverlap, "overlap", "A run of the one lies among the runs of the other."},
    GuardInfo{GuardKind::kNotFound, "not-found",
              "No difference was found, which is not the same as no difference."},
    GuardInfo{GuardKind::kNotTested, "not-tested",
              "Only figures stated in advance are tested, unless all of these differ."},
    GuardInfo{GuardKind::kDrift, "drift",
              "The arms ran one after the other, and the machine may have changed meanwhile."},
    GuardInfo{GuardKind::kRegimes, "regimes",
              "The arms were in different regimes, so they did different work."},
    GuardInfo{GuardKind::kNotStated, "not-stated", "What the claim needs is not known."},
    GuardInfo{GuardKind::kConcurrencyLimited, "concurrency-limited",
              "A closed loop with full slots shows slots / latency, not what the node can do."},
    GuardInfo{GuardKind::kNoEngineLimit, "no-engine-limit",
              "A capacity is seen only where engine or node was the limit."},
    GuardInfo{GuardKind::kSaturated, "saturated",
              "Memory was full and keys were evicted: the work changed its nature."},
    GuardInfo{GuardKind::kUnequalRepeats, "unequal-repeats",
              "An arm with more runs has more chances for an extreme."},
    GuardInfo{GuardKind::kSharedHost, "shared-host",
              "Engine and generator took CPU from each other."},
    GuardInfo{GuardKind::kCpuAlone, "cpu-alone",
              "CPU that was not used did not limit, and says nothing of what else would."},
    GuardInfo{GuardKind::kKeyCounts, "key-counts",
              "Memory of different numbers of keys is not comparable by its total."},
    GuardInfo{GuardKind::kEvictions, "evictions",
              "A hit ratio means something only together with what was evicted for it."},
    GuardInfo{GuardKind::kWideSpread, "wide-spread",
              "The runs of one arm differ too much for one number to stand for them."},
    GuardInfo{GuardKind::kNoMargin, "no-margin",
              "Equality is always within a margin, which has to be stated beforehand."},
    GuardInfo{GuardKind::kNoPrice, "no-price",
              "A cost needs a price with its region, date and source."},
    GuardInfo{GuardKind::kNoThrottling, "no-throttling",
              "A low balance without a throttled CPU is no depletion."},
    GuardInfo{GuardKind::kTheseRunsOnly, "these-runs-only",
              "What holds for the runs at hand need not hold for the next."},
};

}  // namespace

std::span<const ClaimInfo> claim_catalogue() { return kClaims; }
const ClaimInfo& claim_info(ClaimKind kind) { return kClaims.at(static_cast<std::size_t>(kind)); }

std::string_view verdict_name(Verdict verdict) {
  constexpr std::array<std::string_view, 3> kNames = {"supported", "not supported", "cannot tell"};
  return kNames.at(static_cast<std::size_t>(verdict));
}

std::span<const GuardInfo> guard_catalogue() { return kGuards; }
const GuardInfo& guard_info(GuardKind kind) { return kGuards.at(static_cast<std::size_t>(kind)); }

}  // namespace headroom::analysis
