// Latencies as they were, seen from outside of the load engine.
//
// The scripted server writes down when it had each request and when it gave the reply away: what it
// added is the least that can be reported. And in a closed loop each reply lets the next request
// go, so that the kernel's stamps of the requests give each request's latency from outside of the
// client: on one connection, request i + depth left when the reply to request i had been read and
// handled. That is the most that can be reported, and but for the handling the truth itself.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "scripted/scripted_server.h"

namespace headroom::lab {

// Of the GET and SET requests that a server was asked in closed loop. Ascending.
struct Truth {
  std::vector<Nanos> added;  // by the server, from reading the request to writing the reply
  // From a request's departure to that of the request which its reply let go. Fewer: the kernel
  // stamps from a moment after the start on, and the last requests let none go.
  std::vector<Nanos> whole;
};

// `depth` is the number of requests that were in flight per connection. The server needs
// Script::stamp_requests() for `whole`.
[[nodiscard]] Truth truth_of(const scripted::Observed& observed, std::size_t depth);

// The smallest value with at least q of all at or below it, as stats::Histogram has it; nullopt if
// there is none.
[[nodiscard]] std::optional<Nanos> quantile_of(const std::vector<Nanos>& ascending, double q);

}  // namespace headroom::lab
