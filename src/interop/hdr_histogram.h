// Histograms in the formats of HdrHistogram (Gil Tene, hdrhistogram.org), for its plotters and log
// processors. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"
#include "stats/histogram.h"

namespace headroom::interop {

// The percentile distribution as text, in milliseconds, five reporting ticks per half distance:
// what HdrHistogram's percentile printers write and its plotter reads.
[[nodiscard]] std::string hdr_percentiles(const stats::Histogram& histogram);

// One histogram of microseconds with three significant digits, in HdrHistogram's V2 compressed
// encoding, as base64: what a histogram log holds. Values are rounded to whole microseconds, those
// below one to one; a bucket of ours goes where its middle belongs.
[[nodiscard]] std::string hdr_encoded(const stats::Histogram& histogram);

// A histogram log (format version 1.2) of one interval. `title` is one line.
[[nodiscard]] std::string hdr_log(const stats::Histogram& histogram, std::string_view title,
                                  WallTime begin, WallTime end);

}  // namespace headroom::interop
