#include "stats/multiple.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace headroom::stats {

std::vector<double> holm(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t index) { return p[index]; });
  std::vector<double> adjusted(p.size());
  double reached = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const double factor = static_cast<double>(p.size() - rank);
    reached = std::max(reached, std::min(1.0, factor * p[order[rank]]));
    adjusted[order[rank]] = reached;
  }
  return adjusted;
}

}  // namespace headroom::stats
