// The one table of options. The scenario parser, `--set`, the canonical print, `headroom run
// --help`, docs/SCENARIO.md and the shell completions are all made from it: a new option is one
// entry here and one member of scenario::Scenario.
//
// An entry has two halves: what the option is (type, default, words) and how it reaches a Scenario
// (Access). Everything but the latter works for the members of repeated tables too.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenario/scenario.h"
#include "scenario/value.h"

namespace headroom::scenario {

// Both expect and give values that fit the option's type.
struct Access {
  // nullopt: the scenario does not have it.
  std::optional<Value> (*get)(const Scenario&) = nullptr;
  void (*set)(Scenario&, const Value&) = nullptr;
};

// One option's part of what a shorthand says.
struct Setting {
  std::string_view name;  // of an option of the same section
  Value value;
};

struct Option {
  std::string_view section{};  // "load"; empty for what stands above the first section
  std::string_view name{};     // "workers"
  OptionType type{};
  // As after --set. Empty: none, and `when_absent` says what its absence means.
  std::string_view default_text{};
  std::string_view when_absent{};
  std::string_view unit{};  // "per worker", where the value does not say it
  std::string_view help{};  // whole sentences
  // Kinds of target that it is for; empty: all. Given for another kind, it is an error.
  std::vector<TargetKind> kinds{};
  // An option of the same section without which, or while it is false, this one means nothing;
  // empty: none.
  std::string_view needs{};
  // Of a shorthand: the settings that a value of its type stands for. It leaves nothing else in a
  // Scenario and has no access. Absent: an ordinary option.
  std::vector<Setting> (*expand)(const Value&) = nullptr;
  // What it is when it is not given, worked out from options before it; nullopt: default_text.
  std::optional<Value> (*derive)(const Scenario&) = nullptr;
  Access access{};

  [[nodiscard]] std::string key() const;  // "load.workers"
  [[nodiscard]] bool is_for(TargetKind kind) const;
  // Whether it means anything in this scenario: its kind of target, and what it needs is there.
  [[nodiscard]] bool applies_to(const Scenario& scenario) const;
};

struct Section {
  std::string_view name;  // empty for the top of the file
  std::string_view help;
};

// In the order in which they are printed; options of a section stand together, and after what they
// need.
[[nodiscard]] std::span<const Option> option_table();
[[nodiscard]] std::span<const Section> section_table();

[[nodiscard]] const Option* find_option(std::string_view section, std::string_view name);
[[nodiscard]] const Option* find_option(std::string_view key);  // "load.workers"

// "local", "endpoint"
[[nodiscard]] std::string_view target_kind_name(TargetKind kind);

}  // namespace headroom::scenario
