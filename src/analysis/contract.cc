#include "analysis/contract.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "analysis/prose.h"
#include "base/text.h"

namespace headroom::analysis {
namespace {

using enum Standing;
constexpr std::array kReasons = {
    ReasonInfo{ReasonKind::kRunFault, "run-fault", kInvalid, "Leave the run out, or repeat it."},
    ReasonInfo{ReasonKind::kArmMixed, "arm-mixed", kInvalid,
               "Let an arm hold repeated runs of one scenario; make one arm of each value."},
    ReasonInfo{ReasonKind::kWorkloadDiffers, "workload-differs", kInvalid,
               "Repeat one side with the other's settings, or name the setting with --factor if it "
               "is what you mean to compare."},
    ReasonInfo{ReasonKind::kControlDiffers, "control-differs", kConditional,
               "Repeat one side with the other's setting."},
    ReasonInfo{ReasonKind::kEngineConfiguration, "engine-configuration", kConditional,
               "Run both engines with the same configuration."},
    ReasonInfo{ReasonKind::kEnvironmentDiffers, "environment-differs", kConditional,
               "Run all arms on the same machine and kernel."},
    ReasonInfo{ReasonKind::kToolDiffers, "tool-differs", kConditional,
               "Make all runs with the same build of Headroom."},
    ReasonInfo{ReasonKind::kSeveralFactors, "several-factors", kConditional,
               "Change one factor at a time, so that a difference has one cause."},
    ReasonInfo{ReasonKind::kRegimesDiffer, "regimes-differ", kConditional,
               "Compare runs in the same regime: other memory, keys or duration."},
    ReasonInfo{ReasonKind::kSharedHost, "shared-host", kConditional,
               "Run the load from another machine, or give engine and workers CPUs of their own."},
    ReasonInfo{ReasonKind::kUnequalRepeats, "unequal-repeats", kConditional,
               "Repeat the smaller arm until both have as many runs."},
    ReasonInfo{ReasonKind::kFewRepeats, "few-repeats", kConditional,
               "Make at least three runs an arm; five allow an interval."},
    ReasonInfo{ReasonKind::kOrder, "order", kConditional, "Alternate the arms: A, B, A, B."},
    ReasonInfo{ReasonKind::kUnknown, "unknown", kConditional,
               "State what is missing, or repeat the runs with Headroom."},
};

constexpr std::size_t kFewestRepeats = 3;

class Checker {
 public:
  Checker(std::span<const Arm> arms, std::span<const std::string> intended)
      : arms_(arms), intended_(intended) {}

  Contract check() {
    check_runs();
    check_settings();
    check_factors();
    check_repeats();
    check_states();
    check_order();
    check_unknown();
    std::ranges::stable_sort(contract_.reasons, {}, [](const Reason& reason) {
      return -static_cast<int>(reason_info(reason.kind).standing);
    });
    for (const Reason& reason : contract_.reasons)
      contract_.standing = std::max(contract_.standing, reason_info(reason.kind).standing);
    return std::move(contract_);
  }

 private:
  void add(ReasonKind kind, std::string seen, std::string_view name = {}) {
    contract_.reasons.push_back(
        {kind, std::string(name.empty() ? reason_info(kind).name : name), std::move(seen)});
  }

  [[nodiscard]] bool is_intended(const std::string& key) const {
    return std::ranges::any_of(intended_, [&](const std::string& one) {
      return one == key || factor_of(one) == factor_of(key);
    });
  }

  void check_runs() {
    for (const Arm& arm : arms_) {
      for (const ObservedRun& run : arm.runs) {
        for (const Fault& fault : run.faults)
          add(ReasonKind::kRunFault, fmt::format("{}: {}.", run.name, fault.seen),
              fault_name(fault.kind));
      }
    }
  }

  // Every key that any run knows, once.
  [[nodiscard]] std::set<std::string> keys() const {
    std::set<std::string> keys;
    for (const Arm& arm : arms_) {
      for (const ObservedRun& run : arm.runs) {
        for (const auto& [key, value] : run.settings) keys.insert(key);
      }
    }
    return keys;
  }

  void check_settings() {
    for (const std::string& key : keys()) {
      const Role role = role_of(key);
      if (role == Role::kIgnored && !is_intended(key)) continue;
      if (!check_inside_arms(key, role)) continue;
      check_between_arms(key, role);
    }
  }

  // Whether the runs of each arm agree on it, as far as they know it.
  bool check_inside_arms(const std::string& key, Role role) {
    bool agrees = true;
    for (const Arm& arm : arms_) {
      std::set<std::string> values;
      for (const ObservedRun& run : arm.runs) {
        if (const auto found = run.settings.find(key); found != run.settings.end())
          values.insert(printable(found->second, 60));
      }
      if (values.size() < 2) continue;
      agrees = false;
      const std::string seen =
          fmt::format("The runs of {} have {} of {}.", arm.name, key, fmt::join(values, ", "));
      // What was resolved at run time, or belongs to the machine, may vary within one scenario.
      add(role == Role::kFactor || role == Role::kWorkload ? ReasonKind::kArmMixed
                                                           : reason_of(role),
          seen);
    }
    return agrees;
  }

  [[nodiscard]] static ReasonKind reason_of(Role role) {
    switch (role) {
      case Role::kWorkload:
        return ReasonKind::kWorkloadDiffers;
      case Role::kEngine:
        return ReasonKind::kEngineConfiguration;
      case Role::kEnvironment:
        return ReasonKind::kEnvironmentDiffers;
      case Role::kTool:
        return ReasonKind::kToolDiffers;
      case Role::kControl:
      case Role::kFactor:
      case Role::kIgnored:
        return ReasonKind::kControlDiffers;
    }
    return ReasonKind::kControlDiffers;
  }

  [[nodiscard]] static bool lacks_everywhere(const Arm& arm, const std::string& key) {
    return std::ranges::none_of(arm.runs, [&](const ObservedRun& run) {
      return run.imported || run.settings.contains(key);
    });
  }

  void check_between_arms(const std::string& key, Role role) {
    Difference difference{key, factor_of(key), {}};
    std::set<std::string> values;
    bool missing = false;
    for (const Arm& arm : arms_) {
      difference.values.push_back(arm.setting(key));
      // A run file holds its whole scenario: what does not stand there was not asked for.
      if (role == Role::kWorkload && lacks_everywhere(arm, key))
        difference.values.back() = "absent";
      if (difference.values.back())
        values.insert(*difference.values.back());
      else
        missing = true;
    }
    if (values.size() < 2) {
      // A setting that only one kind of target has is no gap of what is known.
      if (missing && role != Role::kFactor) not_everywhere_.insert(key);
      return;
    }
    if (is_intended(key) || role == Role::kFactor) {
      contract_.factors.push_back(std::move(difference));
      return;
    }
    std::vector<std::string> shown;
    for (const auto& value : difference.values)
      shown.push_back(value ? printable(*value, 60) : "unknown");
    add(reason_of(role), fmt::format("{} is {}.", key, fmt::join(shown, " against ")));
    contract_.controls.push_back(std::move(difference));
  }

  void check_factors() {
    std::set<std::string> differing;
    for (const Difference& difference : contract_.factors) differing.insert(difference.factor);
    // maxmemory follows from what a node's memory is given as.
    const bool follows = std::ranges::any_of(contract_.factors, [](const Difference& difference) {
      return difference.key == "target.memory" || difference.key == "target.scale" ||
             difference.key == "target.reserved_memory_pct";
    });
    if (follows) differing.erase("maxmemory");
    std::set<std::string> meant;
    for (const std::string& key : intended_) meant.insert(factor_of(key));
    const bool all_meant = std::ranges::includes(meant, differing);
    if (differing.size() > 1 && (meant.empty() || !all_meant || meant.size() > 1))
      add(ReasonKind::kSeveralFactors, fmt::format("The arms differ in {} factors at once: {}.",
                                                   differing.size(), fmt::join(differing, ", ")));
  }

  void check_repeats() {
    std::set<std::size_t> sizes;
    std::vector<std::string> shown;
    for (const Arm& arm : arms_) {
      sizes.insert(arm.size());
      shown.push_back(fmt::format("{} has {}", arm.name, counted(arm.size(), "run")));
    }
    if (sizes.size() > 1)
      add(ReasonKind::kUnequalRepeats,
          fmt::format("The repeat counts are unequal: {}.", fmt::join(shown, ", ")));
    if (*sizes.begin() < kFewestRepeats)
      add(ReasonKind::kFewRepeats,
          fmt::format("Fewer than {} runs in an arm: {}.", kFewestRepeats, fmt::join(shown, ", ")));
  }

  void check_states() {
    std::map<Regime, std::set<std::string>> regimes;
    std::size_t shared = 0;
    std::size_t all = 0;
    for (const Arm& arm : arms_) {
      for (const ObservedRun& run : arm.runs) {
        if (run.regime) regimes[*run.regime].insert(arm.name);
        shared += run.limiter == Limiter::kHost ? 1 : 0;
        ++all;
      }
    }
    if (regimes.size() > 1) {
      std::vector<std::string> shown;
      for (const auto& [regime, names] : regimes)
        shown.push_back(fmt::format("{} ({})", regime_name(regime), fmt::join(names, ", ")));
      add(ReasonKind::kRegimesDiffer,
          fmt::format("The runs were in different regimes: {}.", fmt::join(shown, "; ")));
    }
    if (shared > 0)
      add(ReasonKind::kSharedHost,
          fmt::format("In {} of {} engine and generator shared a machine whose CPUs were all "
                      "busy.",
                      shared, counted(all, "run")));
  }

  void check_order() {
    for (std::size_t i = 0; i < arms_.size(); ++i) {
      for (std::size_t j = i + 1; j < arms_.size(); ++j) {
        if (arms_[i].size() > 1 && arms_[j].size() > 1 && ordered_by_arm(arms_[i], arms_[j]))
          add(ReasonKind::kOrder,
              fmt::format("All runs of {} and of {} were made one arm after the other: what "
                          "changed meanwhile looks like a difference between them.",
                          arms_[i].name, arms_[j].name));
      }
    }
  }

  void check_unknown() {
    std::vector<std::string> missing;
    const auto any = [&](auto lacks) {
      return std::ranges::any_of(
          arms_, [&](const Arm& arm) { return std::ranges::any_of(arm.runs, lacks); });
    };
    if (any([](const ObservedRun& run) { return !run.started; }))
      missing.emplace_back("the order of the runs");
    if (any([](const ObservedRun& run) { return !run.complete; }))
      missing.emplace_back("whether every run was complete");
    if (any([](const ObservedRun& run) { return !run.adds_up; }))
      missing.emplace_back("whether every request is accounted for");
    if (any([](const ObservedRun& run) { return !run.limiter; }))
      missing.emplace_back("what limited the runs");
    if (any([](const ObservedRun& run) { return !run.regime; }))
      missing.emplace_back("the regime of every run");
    std::size_t unlisted = not_everywhere_.size();
    for (const std::string& key : not_everywhere_) {
      if (role_of(key) != Role::kWorkload) continue;
      missing.push_back(key + " of every run");
      --unlisted;
    }
    if (unlisted > 0) missing.push_back(counted(unlisted, "recorded setting") + " of some runs");
    if (!missing.empty())
      add(ReasonKind::kUnknown,
          fmt::format("Not known, and so not checked: {}.", fmt::join(missing, "; ")));
  }

  std::span<const Arm> arms_;
  std::span<const std::string> intended_;
  std::set<std::string> not_everywhere_;
  Contract contract_;
};

}  // namespace

std::string_view standing_name(Standing standing) {
  constexpr std::array<std::string_view, 3> kNames = {"comparable", "conditional", "invalid"};
  return kNames.at(static_cast<std::size_t>(standing));
}

std::span<const ReasonInfo> reason_catalogue() { return kReasons; }

const ReasonInfo& reason_info(ReasonKind kind) {
  return kReasons.at(static_cast<std::size_t>(kind));
}

bool Contract::has(ReasonKind kind) const {
  return std::ranges::find(reasons, kind, &Reason::kind) != reasons.end();
}

Contract check_contract(std::span<const Arm> arms, std::span<const std::string> intended) {
  return Checker(arms, intended).check();
}

bool ordered_by_arm(const Arm& a, const Arm& b) {
  const auto known = [](const ObservedRun& run) { return run.started.has_value(); };
  if (!std::ranges::all_of(a.runs, known) || !std::ranges::all_of(b.runs, known)) return false;
  const auto before = [](const Arm& first, const Arm& second) {
    return std::ranges::max(first.runs, {}, &ObservedRun::started).started <
           std::ranges::min(second.runs, {}, &ObservedRun::started).started;
  };
  return before(a, b) || before(b, a);
}

}  // namespace headroom::analysis
