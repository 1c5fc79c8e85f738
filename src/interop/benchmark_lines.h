// What valkey-benchmark writes for scripts: its --csv table and its -q lines. Pure.
#pragma once

#include <string>
#include <string_view>

#include "record/run.h"

namespace headroom::interop {

// "test","rps","avg_latency_ms",... and a row below it for each test.
[[nodiscard]] std::string benchmark_csv_header();
// Latencies in milliseconds with so many decimal places; an empty text where nothing completed.
[[nodiscard]] std::string benchmark_csv_row(std::string_view test, const record::Run& run,
                                            unsigned precision);
// "SET: 104166.66 requests per second, p50=0.255 msec"
[[nodiscard]] std::string benchmark_line(std::string_view test, const record::Run& run,
                                         unsigned precision);

}  // namespace headroom::interop
