#include "resp/topology.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

namespace headroom::resp {
namespace {

template <class... Args>
tl::unexpected<Error> malformed(fmt::format_string<Args...> format, Args&&... args) {
  return fail(ErrorKind::kTarget, "its answer about the cluster is malformed: {}",
              fmt::format(format, std::forward<Args>(args)...));
}

std::optional<std::uint16_t> slot_number(const ReplyTree& reply) {
  if (!reply.is(ReplyTree::Kind::kInteger) || reply.integer < 0 ||
      reply.integer >= static_cast<std::int64_t>(kSlots)) {
    return std::nullopt;
  }
  return static_cast<std::uint16_t>(reply.integer);
}

std::optional<std::uint16_t> port_number(const ReplyTree& reply) {
  if (!reply.is(ReplyTree::Kind::kInteger) || reply.integer < 1 || reply.integer > 65'535) {
    return std::nullopt;
  }
  return static_cast<std::uint16_t>(reply.integer);
}

Result<SlotRange> slot_range(const ReplyTree& first, const ReplyTree& last) {
  const auto from = slot_number(first);
  const auto to = slot_number(last);
  if (!from || !to || *from > *to) {
    return malformed("the slots are {} to {}", first.describe(), last.describe());
  }
  return SlotRange{*from, *to};
}

// A map, as RESP3 has it, or as RESP2 has it: an array of names and values.
using Fields = std::map<std::string_view, const ReplyTree*>;
Result<Fields> fields_of(const ReplyTree& reply, std::string_view what) {
  const bool is_map = reply.is(ReplyTree::Kind::kMap) || reply.is(ReplyTree::Kind::kArray);
  if (!is_map || reply.items.size() % 2 != 0) {
    return malformed("{} is {}", what, reply.describe());
  }
  Fields fields;
  for (std::size_t i = 0; i < reply.items.size(); i += 2) {
    fields.emplace(reply.items[i].text, &reply.items[i + 1]);
  }
  return fields;
}

std::string_view text_of(const Fields& fields, std::string_view name) {
  const auto found = fields.find(name);
  return found == fields.end() ? std::string_view() : std::string_view(found->second->text);
}

struct Node {
  net::Address address;
  bool is_primary = false;
  bool is_online = false;
};

Result<Node> shard_node(const ReplyTree& reply, const AddressContext& context) {
  const auto fields = fields_of(reply, "a node");
  if (!fields) return fail(fields.error());
  const auto port = fields->find(context.tls ? "tls-port" : "port");
  if (port == fields->end()) {
    return malformed("a node has no {}", context.tls ? "tls-port" : "port");
  }
  const auto number = port_number(*port->second);
  if (!number) return malformed("a node's port is {}", port->second->describe());
  // "endpoint" is what clients are to use; it may be null.
  Node node;
  node.address = {host_or_asked(text_of(*fields, "endpoint"), context), *number, {}};
  node.is_primary = text_of(*fields, "role") == "master" || text_of(*fields, "role") == "primary";
  node.is_online = text_of(*fields, "health") == "online";
  return node;
}

Result<Shard> read_shard(const ReplyTree& reply, const AddressContext& context) {
  const auto fields = fields_of(reply, "a shard");
  if (!fields) return fail(fields.error());
  const auto slots = fields->find("slots");
  const auto nodes = fields->find("nodes");
  if (slots == fields->end() || nodes == fields->end()) {
    return malformed("a shard has no slots or no nodes");
  }
  const std::vector<ReplyTree>& bounds = slots->second->items;
  if (bounds.size() % 2 != 0) return malformed("a shard's slots are no pairs");
  Shard shard;
  for (std::size_t i = 0; i < bounds.size(); i += 2) {
    const auto range = slot_range(bounds[i], bounds[i + 1]);
    if (!range) return fail(range.error());
    shard.slots.push_back(*range);
  }
  std::vector<Node> read;
  for (const ReplyTree& each : nodes->second->items) {
    auto node = shard_node(each, context);
    if (!node) return fail(node.error());
    read.push_back(std::move(*node));
  }
  // While a failover settles, a shard may name a primary that failed beside its successor.
  const auto is_usable = [](const Node& node) { return node.is_primary && node.is_online; };
  auto primary = std::ranges::find_if(read, is_usable);
  if (primary == read.end()) primary = std::ranges::find_if(read, &Node::is_primary);
  if (primary == read.end()) {
    if (shard.slots.empty()) return shard;
    return malformed("a shard with slots has no primary");
  }
  shard.primary = primary->address;
  for (const Node& node : read) {
    if (!node.is_primary && node.is_online) shard.replicas.push_back(node.address);
  }
  return shard;
}

// [host, port, id, ...]
Result<net::Address> slots_node(const ReplyTree& reply, const AddressContext& context) {
  if (!reply.is(ReplyTree::Kind::kArray) || reply.items.size() < 2) {
    return malformed("a node is {}", reply.describe());
  }
  const auto port = port_number(reply.items[1]);
  if (!port) return malformed("a node's port is {}", reply.items[1].describe());
  return net::Address{host_or_asked(reply.items[0].text, context), *port, {}};
}

bool same(const net::Address& a, const net::Address& b) {
  return a.host == b.host && a.port == b.port;
}

}  // namespace

Status Topology::add(Shard shard) {
  if (shard.slots.empty()) return {};  // a replica's or a new node's shard serves nothing yet
  if (shards_.size() == kNoShard) return malformed("it has too many shards");
  const auto index = static_cast<std::uint16_t>(shards_.size());
  for (const SlotRange& range : shard.slots) {
    for (std::size_t slot = range.first; slot <= range.last; ++slot) {
      if (shard_of_[slot] != kNoShard) return malformed("slot {} is served twice", slot);
      shard_of_[slot] = index;
    }
  }
  shards_.push_back(std::move(shard));
  return {};
}

std::size_t Topology::covered() const {
  return kSlots - static_cast<std::size_t>(std::ranges::count(shard_of_, kNoShard));
}

Result<Topology> Topology::from_shards(const ReplyTree& reply, const AddressContext& context) {
  if (!reply.is(ReplyTree::Kind::kArray)) return malformed("it is {}", reply.describe());
  Topology topology;
  for (const ReplyTree& each : reply.items) {
    auto shard = read_shard(each, context);
    if (!shard) return fail(shard.error());
    if (Status added = topology.add(std::move(*shard)); !added) return fail(added.error());
  }
  return topology;
}

Result<Topology> Topology::from_slots(const ReplyTree& reply, const AddressContext& context) {
  if (!reply.is(ReplyTree::Kind::kArray)) return malformed("it is {}", reply.describe());
  // One entry a range; those of one primary make a shard.
  std::vector<Shard> shards;
  for (const ReplyTree& entry : reply.items) {
    if (!entry.is(ReplyTree::Kind::kArray) || entry.items.size() < 3) {
      return malformed("a range of slots is {}", entry.describe());
    }
    const auto range = slot_range(entry.items[0], entry.items[1]);
    if (!range) return fail(range.error());
    Shard shard;
    for (std::size_t i = 2; i < entry.items.size(); ++i) {
      auto address = slots_node(entry.items[i], context);
      if (!address) return fail(address.error());
      if (i == 2) {
        shard.primary = std::move(*address);
      } else {
        shard.replicas.push_back(std::move(*address));
      }
    }
    const auto known = std::ranges::find_if(
        shards, [&](const Shard& other) { return same(other.primary, shard.primary); });
    (known == shards.end() ? shards.emplace_back(std::move(shard)) : *known)
        .slots.push_back(*range);
  }
  Topology topology;
  for (Shard& shard : shards) {
    if (Status added = topology.add(std::move(shard)); !added) return fail(added.error());
  }
  return topology;
}

}  // namespace headroom::resp
