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

// Expects and gives values that fit the option's type. `row` is that of a repeated table, from 0
// and below its count; other options have none.
struct Access {
  std::optional<Value> (*getter)(const Scenario&, std::size_t row) = nullptr;
  void (*setter)(Scenario&, std::size_t row, const Value&) = nullptr;
  // Whether `row` is a tenant's, whose workload and load stand for those of the scenario.
  bool of_tenant = false;

  // nullopt: the scenario does not have it.
  [[nodiscard]] std::optional<Value> get(const Scenario& scenario, std::size_t row = 0) const;
  void set(Scenario& scenario, const Value& value, std::size_t row = 0) const;
};

// One option's part of what a shorthand says.
struct Setting {
  std::string_view name;  // of an option of the same section
  Value value;
};

struct Option {
  // "load", "workload.command"; empty for what stands above the first section.
  std::string_view section{};
  std::string_view name{};  // "workers"
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
  // A repeated table whose rows say instead what this option says; empty: none.
  std::string_view unless{};
  // An option that says all that this option would say; empty: none.
  std::string_view excluded_by{};
  // What it is when it is not given, worked out from options before it; nullopt: default_text.
  std::optional<Value> (*derive)(const Scenario&) = nullptr;
  // The section whose option of the same name says what it is when it is not given; empty: none.
  std::string_view inherits{};
  Access access{};

  // "load.workers"; of a repeated table "workload.command.0.weight", "tenant.0.rate".
  [[nodiscard]] std::string key(std::size_t row = 0) const;
  [[nodiscard]] bool is_for(TargetKind kind) const;
  // Whether it means anything in this scenario: its kind of target, what it needs is there, and
  // what says the same, or excludes it, is not.
  [[nodiscard]] bool applies_to(const Scenario& scenario, std::size_t row = 0) const;
};

struct Section {
  std::string_view name{};  // empty for the top of the file
  std::string_view help{};
  // Of a repeated table, [[workload.command]]: at most so many rows, how many there are, and how to
  // make them that many. Null for sections that stand once.
  std::size_t most_rows = 0;
  std::size_t (*count)(const Scenario&) = nullptr;
  void (*resize)(Scenario&, std::size_t rows) = nullptr;

  [[nodiscard]] bool repeats() const { return count != nullptr; }
  // How often its options stand in the scenario: rows of a repeated table, else 1.
  [[nodiscard]] std::size_t rows(const Scenario& scenario) const {
    return repeats() ? count(scenario) : 1;
  }
  // As it is written: "[load]", "[[workload.command]]".
  [[nodiscard]] std::string header() const;
};

// In the order in which they are printed; options of a section stand together, and after what they
// need.
[[nodiscard]] std::span<const Option> option_table();
[[nodiscard]] std::span<const Section> section_table();

[[nodiscard]] const Section* find_section(std::string_view name);
[[nodiscard]] const Option* find_option(std::string_view section, std::string_view name);
[[nodiscard]] const Option* find_option(std::string_view key);  // "load.workers"

// A key taken apart: "workload.command.2.weight" is row 2 of section "workload.command".
struct Key {
  std::string_view section{};
  std::optional<std::size_t> row{};  // of repeated tables, and only of them
  std::string_view name{};
};
[[nodiscard]] Key split_key(std::string_view key);

// "local", "endpoint"
[[nodiscard]] std::string_view target_kind_name(TargetKind kind);

}  // namespace headroom::scenario
