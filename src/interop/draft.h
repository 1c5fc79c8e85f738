// A scenario in the making: options set one by one, each by a flag that is named when it proves
// wrong. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "scenario/scenario.h"

namespace headroom::interop {

class Draft {
 public:
  // Sets "section.name" (an option of the table) to what `text` says, as after --set. A later
  // setting replaces an earlier one. What is wrong is kept for finish(), under `written`: the flag
  // as it was given, or "by default".
  void set(std::string_view key, std::string_view text, std::string_view written);
  void set(std::string_view key, std::uint64_t number, std::string_view written);
  void unset(std::string_view key) { settings_.erase(std::string(key)); }
  // One more [[workload.command]], about keys of this distribution (empty: the workload's).
  void add_command(std::string_view text, std::string_view weight, std::string_view keys,
                   std::string_view written);
  // A mistake that is no option's.
  void wrong(std::string_view written, std::string_view what);
  [[nodiscard]] bool failed() const { return !errors_.empty(); }

  // The scenario, with Headroom's defaults for the rest and `overrides` ("key=value") on top; or
  // all mistakes, a line each.
  [[nodiscard]] Result<scenario::Scenario> finish(const std::vector<std::string>& overrides) const;

 private:
  struct Setting {
    std::string toml;
    std::string written;
  };
  std::map<std::string, Setting> settings_;  // by key
  std::vector<Setting> commands_;            // whole rows
  std::vector<std::string> errors_;
};

// A whole number in decimal digits, as the other programs write them; the error is the end of a
// message.
[[nodiscard]] Result<std::uint64_t> read_number(std::string_view text);

}  // namespace headroom::interop
