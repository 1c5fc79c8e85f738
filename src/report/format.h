// How numbers are written for people. Percent exists only here and in sentences of evidence.
#pragma once

#include <optional>
#include <string>

#include "base/clock.h"

namespace headroom::report {

inline constexpr const char* kNotAvailable = "n/a";

// "48,912"; whole numbers.
[[nodiscard]] std::string count_text(std::optional<double> value);
// "48,912 /s"; one digit more below 100.
[[nodiscard]] std::string rate_text(std::optional<double> per_second);
// "97.3 %"
[[nodiscard]] std::string percent_text(std::optional<double> ratio);
// "1.23 ms"
[[nodiscard]] std::string latency_text(std::optional<Nanos> latency);
// "18.5 MiB"
[[nodiscard]] std::string bytes_text(std::optional<double> bytes);
// "1.05"
[[nodiscard]] std::string decimal_text(std::optional<double> value, int digits);

}  // namespace headroom::report
