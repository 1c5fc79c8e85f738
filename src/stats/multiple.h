// Many tests at once: one of many finds something by chance more easily than one alone.
#pragma once

#include <span>
#include <vector>

namespace headroom::stats {

// p-values adjusted by Holm's step-down procedure (A simple sequentially rejective multiple test
// procedure, Scand. J. Statistics 6, 1979), in the order given. Rejecting those at or below a level
// keeps the probability of any false rejection at that level, however the tests depend on each
// other.
[[nodiscard]] std::vector<double> holm(std::span<const double> p);

}  // namespace headroom::stats
