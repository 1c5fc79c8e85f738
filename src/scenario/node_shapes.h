// The catalogue of node types that a local node can be given the shape of. Compiled in: see
// node_shapes.csv, which keeps its source and date.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace headroom::scenario {

// One CPU credit is one vCPU for one minute.
struct CreditRule {
  double per_hour = 0;  // earned; the baseline, in vCPUs, is per_hour / 60
  double max = 0;       // what the bucket holds at most
  friend bool operator==(const CreditRule&, const CreditRule&) = default;
};

struct NodeShape {
  std::string_view name;           // "cache.t4g.micro"
  std::uint64_t memory_bytes = 0;  // of the whole node, before any is reserved
  double vcpus = 0;
  std::string_view architecture;      // "arm64", "x86_64"
  std::string_view cpu;               // "Graviton2", "Intel"
  std::optional<CreditRule> credits;  // of burstable types
};

struct NodeCatalogue {
  std::vector<NodeShape> shapes;
  std::string_view as_of;  // the date of the facts, "2026-11-30"
};

// The text of node_shapes.csv. Texts of the catalogue point into it.
[[nodiscard]] std::string_view node_shapes_text();
// nullopt if the text is not such a table. Pure.
[[nodiscard]] std::optional<NodeCatalogue> parse_node_shapes(std::string_view text);

[[nodiscard]] const NodeCatalogue& node_catalogue();
[[nodiscard]] const NodeShape* find_node_shape(std::string_view name);
// Those whose name, architecture or CPU contains each word of `filter`, ASCII case aside; "burst"
// stands for the burstable ones.
[[nodiscard]] std::vector<NodeShape> filter_node_shapes(std::string_view filter);

}  // namespace headroom::scenario
