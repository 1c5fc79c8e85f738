// What a worker keeps when its target is a cluster: clients in place of connections, and requests
// that may have to be made again. In a run against one server there is none of it.
//
// A client has one connection to every node it needs. connections_ of the worker holds those of all
// clients to node 0, then those to node 1, and so on; the streams and allowances that belong to a
// client are those of its connection to node 0.
#pragma once

#include <bitset>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "load/cluster_map.h"
#include "load/command.h"
#include "load/in_flight.h"
#include "load/pacing.h"
#include "load/route.h"
#include "load/workload.h"
#include "resp/server.h"

namespace headroom::load {

// All that it takes to make a request again.
struct RoutedRequest {
  Request request;
  Nanos first_sent{0};  // clock time; 0: never sent
  Nanos intended{0};    // run time; no schedule: 0
  std::uint32_t client = 0;
  std::uint16_t slot = 0;
  std::uint8_t redirections = 0;
  bool asking = false;  // goes, or went, with ASKING before it, which is not answered yet

  [[nodiscard]] bool was_sent() const { return first_sent > Nanos{0}; }
};

struct ClusterNode {
  resp::Server server;
  std::string name;
  bool needed = false;                             // every client has a connection to it
  std::vector<InFlight> slots;                     // of all clients' connections
  std::vector<RoutedRequest> requests;             // of each of them
  std::vector<std::deque<RoutedRequest>> waiting;  // by client, for its connection
  std::vector<bool> wanted;                        // by client: it is open, or being opened
  Batch batch;                                     // empty between the calls of fill_client()
};

// A time in which the slots of a node have no good reply.
struct OpenOutage {
  std::uint16_t node = 0;
  Nanos begin{0};  // clock time
  std::bitset<resp::kSlots> slots;
};

struct ClusterTraffic {
  // A request that was told to come again waits so long.
  static constexpr Nanos kPause = std::chrono::milliseconds{20};
  // A request that is sent on more often than this is an error.
  static constexpr std::uint8_t kMostRedirections = 16;
  // Shorter ones are one connection's trouble.
  static constexpr Nanos kLeastOutage = std::chrono::milliseconds{10};

  ClusterTraffic(ClusterMap& cluster_map, std::uint32_t client_count, Random replica_stream)
      : map(cluster_map),
        clients(client_count),
        busy(client_count, 0),
        unsent(client_count, 0),
        refill(client_count),
        random(replica_stream) {}

  ClusterMap& map;
  const std::uint32_t clients;
  std::uint64_t version = 0;  // of the view that was taken
  std::vector<Route> routes;  // by operation
  std::vector<std::unique_ptr<ClusterNode>> nodes;
  std::vector<std::uint16_t> primaries;              // by slot
  std::vector<std::vector<std::uint16_t>> replicas;  // by node
  std::vector<std::uint32_t> busy;    // by client: requests drawn that have not ended
  std::vector<std::uint32_t> unsent;  // by client: of those, never sent
  std::uint64_t unsent_in_all = 0;
  std::vector<std::uint16_t> touched;  // nodes whose batch is not empty
  FreeConnections refill;  // clients that may have room since something ended without their doing
  using Paused = std::pair<Nanos, RoutedRequest>;  // until when (clock time)
  std::deque<Paused> paused;                       // in order of time: all pause equally long
  // Of transactions: what the first redirected part of the oldest one said, by connection.
  std::vector<std::pair<std::uint32_t, std::string>> part_detours;
  std::vector<OpenOutage> outages;
  Random random;
};

}  // namespace headroom::load
