#include "serve/arms_by_difference.h"

#include <algorithm>
#include <string_view>

#include "analysis/comparison.h"
#include "analysis/contract.h"

namespace headroom::serve {
namespace {

// Repeated runs of one thing differ in nothing that asks for something or is asked.
bool tells_apart(std::string_view key) {
  const analysis::Role role = analysis::role_of(key);
  return role == analysis::Role::kFactor || role == analysis::Role::kWorkload;
}

using Settings = std::map<std::string, std::string>;

Settings telling_settings(const analysis::ObservedRun& run) {
  Settings settings;
  for (const auto& [key, value] : run.settings) {
    if (tells_apart(key)) settings.emplace(key, value);
  }
  return settings;
}

}  // namespace

std::vector<analysis::Arm> arms_by_difference(std::vector<analysis::ObservedRun> runs) {
  std::vector<analysis::Arm> arms;
  std::vector<Settings> settings;  // of each arm
  for (analysis::ObservedRun& run : runs) {
    Settings own = telling_settings(run);
    const auto found = std::ranges::find(settings, own);
    const auto at = static_cast<std::size_t>(found - settings.begin());
    if (found == settings.end()) {
      settings.push_back(std::move(own));
      arms.emplace_back();
      // A, B, ..., Z, then numbers: names until what differs gives better ones.
      constexpr std::size_t kLetters = 26;
      arms.back().name =
          at < kLetters ? std::string(1, static_cast<char>('A' + at)) : std::to_string(at + 1);
    }
    arms[at].runs.push_back(std::move(run));
  }
  analysis::name_by_difference(arms);
  return arms;
}

}  // namespace headroom::serve
