// Makes one target of several engines that already run: replication and clusters.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "resp/client.h"
#include "target/topology.h"

namespace headroom::target {

// An engine to be joined. `client` is connected to it.
struct Joining {
  const Place* place = nullptr;
  resp::Client* client = nullptr;
};
struct Patience {
  Nanos until{0};                  // a time of real_clock()
  std::function<bool()> given_up;  // asked between two looks
};

// `engines` in the order of places_of(). Errors (kTarget) are one line that names an engine and
// says what it was waited for; kIncomplete: it was given up.

// Waits until every replica, which was started as one, has its primary's data and follows it.
[[nodiscard]] Status await_replication(const std::vector<Joining>& engines,
                                       const Patience& patience);

// Gives each primary its slots, makes all know one another, makes the replicas follow, and waits
// until every engine says that all slots are served (cluster_state:ok) by so many shards, and that
// it knows all others.
[[nodiscard]] Status make_cluster(const std::vector<Joining>& engines, std::uint32_t shards,
                                  const Patience& patience);

}  // namespace headroom::target
