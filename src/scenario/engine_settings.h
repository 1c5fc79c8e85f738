// What a scenario says to the engine of a local node in the engine's own words. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "scenario/scenario.h"

namespace headroom::scenario {

// A line of target.engine_config: "io-threads 4".
struct EngineSetting {
  std::string name;   // in lower case
  std::string value;  // the rest of the line, as it stands
  friend bool operator==(const EngineSetting&, const EngineSetting&) = default;
};
// Empty lines and comments (#) are passed over. An Error (kUsage) says which line is none, or is a
// setting that Headroom makes itself and which option stands for it.
[[nodiscard]] Result<std::vector<EngineSetting>> read_engine_settings(std::string_view text);

// The words of target.engine_args, with {port}, {maxmemory}, {policy} and {directory} replaced by
// `values` of those names. An Error (kUsage) names a placeholder that is not there, or says that
// {port} is missing: nobody would know where the server listens.
[[nodiscard]] Result<std::vector<std::string>> read_engine_args(
    std::string_view text, const std::map<std::string, std::string, std::less<>>& values);

// How many engines a local target has: primaries and replicas.
[[nodiscard]] std::uint32_t engine_count(const Target& target);

}  // namespace headroom::scenario
