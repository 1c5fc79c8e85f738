// Whether arms may be compared at all, and with what reservations: looked at before any number.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/arm.h"

namespace headroom::analysis {

enum class Standing { kComparable, kConditional, kInvalid };
[[nodiscard]] std::string_view standing_name(Standing standing);

enum class ReasonKind {
  // Of one run: it may be compared with nothing. The fault says which.
  kRunFault,
  // Of an arm or of several: another experiment.
  kArmMixed,         // the runs of one arm are not of one scenario
  kWorkloadDiffers,  // what was asked, for how long, or how it was prepared
  // Reservations.
  kControlDiffers,       // a setting that is not meant to be the difference
  kEngineConfiguration,  // recorded engine configuration differs
  kEnvironmentDiffers,   // machine, kernel
  kToolDiffers,          // version or build of Headroom
  kSeveralFactors,       // more than one intended factor at once
  kRegimesDiffer,        // the nodes were in different states
  kSharedHost,           // engine and generator competed for CPU
  kUnequalRepeats,
  kFewRepeats,  // fewer than three runs in an arm
  kOrder,       // all runs of one arm came before all of the other
  kUnknown,     // not stated, so not checked
};
struct ReasonInfo {
  ReasonKind kind;
  std::string_view name;    // "unequal-repeats"
  Standing standing;        // what it makes of a comparison, at least
  std::string_view settle;  // what would remove it, one sentence
};
[[nodiscard]] std::span<const ReasonInfo> reason_catalogue();
[[nodiscard]] const ReasonInfo& reason_info(ReasonKind kind);

struct Reason {
  ReasonKind kind = ReasonKind::kUnknown;
  std::string name;  // the catalogue's, or the fault's
  std::string seen;  // one sentence with names and values
};

// A setting that is not the same in all arms.
struct Difference {
  std::string key;                                 // "load.pipeline"
  std::string factor;                              // what it belongs to: "engine", "load.pipeline"
  std::vector<std::optional<std::string>> values;  // by arm; absent: not known
};

struct Contract {
  Standing standing = Standing::kComparable;
  std::vector<Reason> reasons;       // the gravest first
  std::vector<Difference> factors;   // meant to differ
  std::vector<Difference> controls;  // not meant to
  [[nodiscard]] bool has(ReasonKind kind) const;
};

// What a setting is in a comparison.
enum class Role {
  kIgnored,      // names, seeds, process ids: says nothing about what was measured
  kFactor,       // may be what is compared: the target, the engine, the amount of load
  kWorkload,     // what was asked and for how long: must not differ
  kControl,      // could matter: a difference is a reservation
  kEngine,       // recorded configuration of the engine: likewise
  kEnvironment,  // machine and kernel: likewise
  kTool,
};
[[nodiscard]] Role role_of(std::string_view key);
// Settings that change together are one factor: "engine" is program, name and version.
[[nodiscard]] std::string factor_of(std::string_view key);

// `intended` are keys that the caller means to differ, whatever their role; without any, factors
// are told by their role. Arms are not empty.
[[nodiscard]] Contract check_contract(std::span<const Arm> arms,
                                      std::span<const std::string> intended);

// Whether all runs of one of these arms began before the first of the other; false where the times
// are not known.
[[nodiscard]] bool ordered_by_arm(const Arm& a, const Arm& b);

}  // namespace headroom::analysis
