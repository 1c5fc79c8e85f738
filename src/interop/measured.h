// What a run measured, as far as other programs' formats ask for it: sums over `measure`, by
// operation and second. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "record/run.h"
#include "stats/histogram.h"

namespace headroom::interop {

// Of one operation, or of all.
struct Tally {
  record::OperationCounts counts;
  stats::Histogram completed;  // service latency of completed requests

  void add(const Tally& other);
};

struct Second {
  std::vector<Tally> operations;  // as Measured::names
  Tally all;
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
};

struct Measured {
  std::vector<std::string> names;  // of operations: "SET"
  std::vector<Second> seconds;     // the last one may be a part of one
  Second whole;
  WallTime begin;  // of the window
  WallTime end;
  double length_s = 0;
  std::uint64_t connections_lost = 0;
  bool interrupted = false;  // the run did not complete

  [[nodiscard]] double per_s(std::uint64_t count) const {
    return length_s > 0 ? static_cast<double>(count) / length_s : 0;
  }
};

// Of a run that did not complete: the seconds that all of its workers recorded.
[[nodiscard]] Measured measured(const record::Run& run);

}  // namespace headroom::interop
