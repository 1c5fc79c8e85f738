// What a setting or fact is in a comparison.
#include <algorithm>
#include <array>
#include <string_view>

#include "analysis/contract.h"
#include "scenario/options.h"

namespace headroom::analysis {
namespace {

struct Rule {
  std::string_view prefix;  // the longest that fits decides
  Role role;
};
constexpr std::array kRules = {
    Rule{"", Role::kIgnored},
    Rule{"target.", Role::kFactor},
    Rule{"target.shape", Role::kFactor},
    Rule{"target.username", Role::kIgnored},
    Rule{"target.password_", Role::kIgnored},
    Rule{"target.allow_existing_data", Role::kControl},
    Rule{"node.type", Role::kFactor},
    Rule{"node.shape", Role::kFactor},
    Rule{"node.enforcement", Role::kControl},
    Rule{"workload.", Role::kWorkload},
    Rule{"workload.keys.realised", Role::kControl},
    Rule{"load.", Role::kFactor},
    Rule{"load.connect_timeout", Role::kControl},
    Rule{"load.request_timeout", Role::kControl},
    Rule{"load.keep_slowest", Role::kControl},
    Rule{"load.fine_splits", Role::kControl},
    Rule{"load.request_log", Role::kControl},
    Rule{"expect.", Role::kIgnored},
    Rule{"tenant.", Role::kWorkload},
    Rule{"stage.", Role::kWorkload},
    Rule{"timing.", Role::kWorkload},
    Rule{"timing.drain", Role::kControl},
    Rule{"timing.sample_interval", Role::kControl},
    Rule{"engine.name", Role::kFactor},
    Rule{"engine.version", Role::kFactor},
    Rule{"engine.allocator", Role::kEngine},
    Rule{"engine.arch", Role::kEnvironment},
    Rule{"engine.os", Role::kEnvironment},
    Rule{"engine.config.", Role::kEngine},
    // Where a node lives, not how it works.
    Rule{"engine.config.port", Role::kIgnored},
    Rule{"engine.config.bind", Role::kIgnored},
    Rule{"engine.config.dir", Role::kIgnored},
    Rule{"engine.config.pidfile", Role::kIgnored},
    Rule{"engine.config.logfile", Role::kIgnored},
    Rule{"engine.config.unixsocket", Role::kIgnored},
    Rule{"engine.config.maxmemory", Role::kFactor},
    Rule{"engine.config.maxmemory-", Role::kEngine},
    Rule{"engine.config.maxmemory-policy", Role::kFactor},
    Rule{"host.", Role::kEnvironment},
    Rule{"host.memory_bytes", Role::kIgnored},
    Rule{"tool.", Role::kTool},
};

struct Family {
  std::string_view prefix;
  std::string_view factor;
};
constexpr std::array kFamilies = {
    Family{"engine.name", "engine"},
    Family{"engine.version", "engine"},
    Family{"target.engine_path", "engine"},
    Family{"target.maxmemory_policy", "maxmemory policy"},
    Family{"engine.config.maxmemory-policy", "maxmemory policy"},
    Family{"target.maxmemory", "maxmemory"},
    Family{"engine.config.maxmemory", "maxmemory"},
    Family{"target.kind", "target"},
    Family{"target.host", "target"},
    Family{"target.port", "target"},
    Family{"target.socket", "target"},
    Family{"target.shape", "node"},
    Family{"target.memory", "node"},
    Family{"target.reserved_memory_pct", "node"},
    Family{"target.scale", "node"},
    Family{"target.vcpus", "node"},
    Family{"target.credits_", "node"},
    Family{"node.", "node"},
};

// Facts may stand beside options under the name of a section ("target.address"): what they say of
// the target differs from run to run.
bool is_fact_of_a_section(std::string_view key) {
  constexpr std::array<std::string_view, 4> kSections = {"target.", "workload.", "load.",
                                                         "timing."};
  return std::ranges::any_of(kSections, [&](auto section) { return key.starts_with(section); }) &&
         scenario::find_option(key) == nullptr;
}

}  // namespace

Role role_of(std::string_view key) {
  const auto named = std::ranges::find(kRules, key, &Rule::prefix);
  if (named == kRules.end() && is_fact_of_a_section(key)) return Role::kIgnored;
  const Rule* best = kRules.data();
  for (const Rule& rule : kRules) {
    if (key.starts_with(rule.prefix) && rule.prefix.size() >= best->prefix.size()) best = &rule;
  }
  return best->role;
}

std::string factor_of(std::string_view key) {
  const auto* family = std::ranges::find_if(
      kFamilies, [&](const Family& one) { return key.starts_with(one.prefix); });
  return std::string(family == kFamilies.end() ? key : family->factor);
}

}  // namespace headroom::analysis
