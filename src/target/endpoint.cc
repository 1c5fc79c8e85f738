#include "target/endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/units.h"
#include "net/socket.h"
#include "resp/client.h"
#include "scenario/keys.h"
#include "target/engine.h"
#include "target/probe.h"
#include "target/server.h"

namespace headroom::target {
namespace {

// A shard that owns every slot serves every key, cluster mode or not.
Status check_serves_all_keys(resp::Client& client, const Engine& engine, bool as_cluster,
                             Nanos deadline) {
  if (as_cluster) {
    if (engine.cluster_enabled) return {};
    return fail(ErrorKind::kTarget,
                "{} is no cluster (cluster_enabled is 0): leave target.cluster out",
                client.address().text());
  }
  if (engine.role == "slave") {
    return fail(ErrorKind::kTarget,
                "{} is a replica and takes no writes: give the primary's address",
                client.address().text());
  }
  if (!engine.cluster_enabled) return {};
  const auto reply = client.call({"CLUSTER", "INFO"}, deadline);
  if (!reply) return fail(reply.error());
  const auto shards = resp::Info::parse(reply->text).count("cluster_size");
  if (shards <= 1U) return {};
  return fail(
      ErrorKind::kTarget,
      "{} is one of the {} shards of a cluster: set target.cluster = true to load all of it",
      client.address().text(), *shards);
}

Result<std::uint64_t> count_keys(resp::Client& client, const Engine& engine, Nanos deadline) {
  const auto selected = client.dbsize(deadline);
  if (!selected) return selected;
  return std::max(*selected, engine.keys.value_or(0));
}

// Of all databases, over a connection of its own; nullopt if the server does not tell.
Result<std::optional<std::uint64_t>> keys_now(const resp::Server& server, Nanos deadline) {
  auto client = resp::Client::connect(server, deadline);
  if (!client) return fail(std::move(client.error()));
  constexpr std::array<std::string_view, 1> kKeyspace = {"keyspace"};
  const auto info = client->info(kKeyspace, deadline);
  if (!info) return fail(info.error());
  return info->keyspace_sum("keys");
}

}  // namespace

Result<Description> Endpoint::provision(Nanos deadline) {
  const Nanos until = real_clock().now() + (deadline - clock_.now());
  auto server = server_of(scenario_);
  if (!server) return fail(std::move(server.error()));
  const net::Address given = server->address;
  auto client = resp::Client::connect(*server, until);
  if (!client) return fail(std::move(client.error()));
  if (auto pong = client->ping(until); !pong) return fail(std::move(pong.error()));
  const auto engine = describe_engine(*client, until, sink_);
  if (!engine) return fail(engine.error());
  if (auto usable = check_serves_all_keys(*client, *engine, scenario_.cluster, until); !usable) {
    return fail(std::move(usable.error()));
  }
  const auto keys = count_keys(*client, *engine, until);
  if (!keys) return fail(keys.error());
  if (*keys > 0 && !scenario_.allow_existing_data) {
    return fail(ErrorKind::kTarget,
                "{} holds {} keys already: use an empty one, or set target.allow_existing_data = "
                "true to write beside them (Headroom never flushes)",
                given.text(), grouped(*keys));
  }
  if (auto measured = measure_clock(*client, clock_, until, sink_); !measured) {
    return fail(std::move(measured.error()));
  }
  if (*keys > 0) {
    sink_.warning({record::WarningKind::kExistingData,
                   fmt::format("{} held {} keys before the run", given.text(), grouped(*keys))});
  }

  Description description;
  if (given.socket.empty()) {
    if (auto peer = net::peer_address(client->fd())) server->address = std::move(*peer);
  }
  sink_.fact("target.address", given.text());
  sink_.fact("target.peer", server->address.text());
  if (const std::string tls = client->tls_description(); !tls.empty()) {
    sink_.fact("target.tls", tls + (scenario_.tls_verify ? "" : ", certificate not verified"));
  }
  description.server = *server;
  description.cluster = scenario_.cluster;
  description.engine = engine->name;
  description.version = engine->version;
  description.maxmemory_bytes = engine->maxmemory_bytes;
  if (engine->maxmemory_bytes) {
    description.node_memory_bytes = scenario::implied_node_memory_bytes(*engine->maxmemory_bytes);
  }
  description.maxmemory_policy = engine->maxmemory_policy;
  description.on_this_host = net::ends_on_one_host(client->fd());
  sink_.fact("target.on_this_host", description.on_this_host ? "yes" : "no");
  description.existing_keys = *keys;
  server_ = std::move(*server);
  given_ = given;
  return description;
}

Status Endpoint::answers(Nanos deadline) {
  check(server_.has_value(), "only a target that was provisioned is asked");
  return answers_at(*server_, real_clock().now() + (deadline - clock_.now()));
}

Status Endpoint::teardown(Nanos grace) {
  if (!server_) return {};
  const auto keys = keys_now(*server_, real_clock().now() + grace);
  std::string evidence = fmt::format("{} was given, not started", given_.text());
  if (!keys) {
    evidence += fmt::format(", but does not answer: {}", keys.error().message);
  } else if (*keys) {
    evidence += fmt::format(": it answers and holds {} keys; those that this run wrote stay",
                            grouped(**keys));
  } else {
    evidence += ": it answers, but does not tell how many keys it holds";
  }
  sink_.receipt({clock_.now() - origin_, "left running", std::move(evidence), keys.has_value()});
  return {};
}

}  // namespace headroom::target
