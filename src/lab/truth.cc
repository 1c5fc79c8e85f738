#include "lab/truth.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace headroom::lab {

using scripted::Served;

Truth truth_of(const scripted::Observed& observed, std::size_t depth) {
  std::map<std::uint64_t, std::vector<const Served*>> by_connection;
  for (const Served& each : observed.log) {
    if (each.command == "GET" || each.command == "SET")
      by_connection[each.connection].push_back(&each);
  }
  Truth truth;
  for (const auto& [connection, requests] : by_connection) {
    for (std::size_t i = 0; i < requests.size(); ++i) {
      if (const auto added = requests[i]->added()) truth.added.push_back(*added);
      if (i + depth >= requests.size()) continue;
      const Served& next = *requests[i + depth];
      if (requests[i]->sent && next.sent) truth.whole.push_back(*next.sent - *requests[i]->sent);
    }
  }
  std::ranges::sort(truth.added);
  std::ranges::sort(truth.whole);
  return truth;
}

std::optional<Nanos> quantile_of(const std::vector<Nanos>& ascending, double q) {
  if (ascending.empty()) return std::nullopt;
  const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(ascending.size())));
  return ascending.at(std::clamp<std::size_t>(rank, 1, ascending.size()) - 1);
}

}  // namespace headroom::lab
