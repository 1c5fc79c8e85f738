#include "target/join.h"

#include <fmt/format.h>
#include <poll.h>

#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "base/units.h"

namespace headroom::target {
namespace {

constexpr int kPauseMs = 20;  // between two looks: nothing tells when an engine is ready

// Asks `ready` again and again; it returns why it is not ready, or nothing. What cannot be asked is
// an Error at once.
using Ready = std::function<Result<std::string>()>;
Status await(const Ready& ready, const Patience& patience, std::string_view what) {
  const Nanos began = real_clock().now();
  while (true) {
    const auto why_not = ready();
    if (!why_not) return fail(why_not.error());
    if (why_not->empty()) return {};
    if (patience.given_up())
      return fail(ErrorKind::kIncomplete, "{} was not there yet when the run was stopped", what);
    if (real_clock().now() >= patience.until) {
      return fail(ErrorKind::kTarget, "{} was not there after {}: {}", what,
                  human_duration(real_clock().now() - began), *why_not);
    }
    ::poll(nullptr, 0, kPauseMs);
  }
}

Result<resp::Info> info_of(const Joining& engine, std::string_view section, Nanos until) {
  const std::array<std::string_view, 1> sections = {section};
  return engine.client->info(sections, until);
}

// A command that answers OK.
Status tell(const Joining& engine, std::span<const std::string_view> command, Nanos until) {
  const auto reply = engine.client->call(command, until);
  if (!reply) return fail(reply.error());
  if (reply->is(resp::ReplyTree::Kind::kString)) return {};
  return fail(ErrorKind::kTarget, "{} ({}): {} {} answered {}", engine.client->address().text(),
              engine.place->label, command[0], command[1], reply->describe());
}
Status tell(const Joining& engine, std::initializer_list<std::string_view> command, Nanos until) {
  return tell(engine, std::span(command.begin(), command.size()), until);
}

Status assign_slots(const Joining& engine, std::uint32_t shards, Nanos until) {
  const SlotRange range = slots_of(engine.place->shard, shards);
  std::vector<std::string> slots;
  for (std::uint32_t slot = range.first; slot <= range.last; ++slot)
    slots.push_back(std::to_string(slot));
  // ADDSLOTSRANGE would be shorter, but came with Redis 7.
  std::vector<std::string_view> command = {"CLUSTER", "ADDSLOTS"};
  command.insert(command.end(), slots.begin(), slots.end());
  return tell(engine, command, until);
}

Result<resp::Info> cluster_info(const Joining& engine, Nanos until) {
  const auto reply = engine.client->call({"CLUSTER", "INFO"}, until);
  if (!reply) return fail(reply.error());
  if (!reply->is(resp::ReplyTree::Kind::kString)) {
    return fail(ErrorKind::kTarget, "{} answered CLUSTER INFO with {}",
                engine.client->address().text(), reply->describe());
  }
  return resp::Info::parse(reply->text);
}

// Why an engine does not see the whole cluster yet; empty: it does.
Result<std::string> why_not_whole(const Joining& engine, std::size_t engines, std::uint32_t shards,
                                  Nanos until) {
  const auto info = cluster_info(engine, until);
  if (!info) return fail(info.error());
  if (info->text("cluster_state") == "ok" && info->count("cluster_known_nodes") == engines &&
      info->count("cluster_size") == shards)
    return std::string();
  return fmt::format("{} says cluster_state:{}, knows {} of {} nodes and {} of {} shards",
                     engine.place->label, info->text("cluster_state").value_or("?"),
                     info->count("cluster_known_nodes").value_or(0), engines,
                     info->count("cluster_size").value_or(0), shards);
}

Status await_acquaintance(const std::vector<Joining>& engines, const Patience& patience) {
  return await(
      [&]() -> Result<std::string> {
        for (const Joining& engine : engines) {
          const auto info = cluster_info(engine, patience.until);
          if (!info) return fail(info.error());
          const auto known = info->count("cluster_known_nodes").value_or(0);
          if (known != engines.size())
            return fmt::format("{} knows {} of {} nodes", engine.place->label, known,
                               engines.size());
        }
        return std::string();
      },
      patience, "the cluster");
}

Result<std::string> id_of(const Joining& engine, Nanos until) {
  const auto reply = engine.client->call({"CLUSTER", "MYID"}, until);
  if (!reply) return fail(reply.error());
  if (reply->is(resp::ReplyTree::Kind::kString)) return reply->text;
  return fail(ErrorKind::kTarget, "{} answered CLUSTER MYID with {}",
              engine.client->address().text(), reply->describe());
}

Status introduce(const std::vector<Joining>& engines, Nanos until) {
  const net::Address& first = engines.front().client->address();
  const std::string port = std::to_string(first.port);
  for (std::size_t i = 0; i < engines.size(); ++i) {
    // Different epochs, as redis-cli gives them: no two primaries have to agree on them first.
    const std::string epoch = std::to_string(i + 1);
    if (auto told = tell(engines[i], {"CLUSTER", "SET-CONFIG-EPOCH", epoch}, until); !told)
      return told;
    if (i == 0) continue;
    if (auto told = tell(engines[i], {"CLUSTER", "MEET", first.host, port}, until); !told)
      return told;
  }
  return {};
}

Status follow_primaries(const std::vector<Joining>& engines, Nanos until) {
  for (const Joining& engine : engines) {
    if (engine.place->replica == 0) continue;
    const auto id = id_of(engines[engine.place->primary], until);
    if (!id) return fail(id.error());
    if (auto told = tell(engine, {"CLUSTER", "REPLICATE", *id}, until); !told) return told;
  }
  return {};
}

}  // namespace

Status await_replication(const std::vector<Joining>& engines, const Patience& patience) {
  return await(
      [&]() -> Result<std::string> {
        for (const Joining& engine : engines) {
          if (engine.place->replica == 0) continue;
          const auto info = info_of(engine, "replication", patience.until);
          if (!info) return fail(info.error());
          if (info->text("master_link_status") != "up")
            return fmt::format("{} says master_link_status:{}", engine.place->label,
                               info->text("master_link_status").value_or("?"));
        }
        return std::string();
      },
      patience, "replication");
}

Status make_cluster(const std::vector<Joining>& engines, std::uint32_t shards,
                    const Patience& patience) {
  for (const Joining& engine : engines) {
    if (engine.place->replica > 0) continue;
    if (auto assigned = assign_slots(engine, shards, patience.until); !assigned) return assigned;
  }
  if (auto introduced = introduce(engines, patience.until); !introduced) return introduced;
  if (auto known = await_acquaintance(engines, patience); !known) return known;
  if (auto followed = follow_primaries(engines, patience.until); !followed) return followed;
  if (auto replicated = await_replication(engines, patience); !replicated) return replicated;
  return await(
      [&]() -> Result<std::string> {
        for (const Joining& engine : engines) {
          auto why_not = why_not_whole(engine, engines.size(), shards, patience.until);
          if (!why_not || !why_not->empty()) return why_not;
        }
        return std::string();
      },
      patience, "the cluster");
}

}  // namespace headroom::target
