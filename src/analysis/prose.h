// Words for the sentences of evidence. Ratios are numbers from 0 to 1 everywhere else; a sentence
// for people says percent.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace headroom::analysis {

// "97.3 %", "0.02 %", "100 %"; never rounds what is below 100 % up to it.
[[nodiscard]] std::string percent(double ratio);
// "1 worker", "3 workers"; with a plural of its own, "2 replies".
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view noun,
                                  std::string_view plural = {});
// Of a p-value: "0.032", "< 0.0001".
[[nodiscard]] std::string p_text(double p);
// "20.3 s"
[[nodiscard]] std::string seconds_text(Nanos offset);

}  // namespace headroom::analysis
