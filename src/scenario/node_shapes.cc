#include "scenario/node_shapes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "base/check.h"
#include "base/text.h"

namespace headroom::scenario {
namespace {

constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
constexpr std::string_view kHeader =
    "node_type,memory_gib,vcpus,architecture,cpu,burst_credits_per_hour,burst_max_credits,"
    "burst_baseline_pct_per_vcpu";
constexpr std::string_view kAsOf = "# as of ";
constexpr std::string_view kBurst = "burst";

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || stop != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<NodeShape> parse_row(std::string_view line) {
  const auto fields = split(line, ',');
  if (fields.size() != 8) return std::nullopt;
  const auto memory_gib = number(fields[1]);
  const auto vcpus = number(fields[2]);
  if (fields[0].empty() || !memory_gib || !vcpus) return std::nullopt;
  NodeShape shape;
  shape.name = fields[0];
  shape.memory_bytes = static_cast<std::uint64_t>(std::llround(*memory_gib * kGiB));
  shape.vcpus = *vcpus;
  shape.architecture = fields[3];
  shape.cpu = fields[4];
  if (fields[5].empty() && fields[6].empty() && fields[7].empty()) return shape;
  const auto per_hour = number(fields[5]);
  const auto max = number(fields[6]);
  const auto baseline_pct = number(fields[7]);
  if (!per_hour || !max || !baseline_pct) return std::nullopt;
  // The last column says the same as the first of the three: what is earned is the baseline.
  const double baseline = *vcpus * *baseline_pct / 100;
  if (std::abs(*per_hour / 60 - baseline) > 1e-9) return std::nullopt;
  shape.credits = CreditRule{*per_hour, *max};
  return shape;
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

bool matches(const NodeShape& shape, const std::string& word) {
  const std::array texts = {shape.name, shape.architecture, shape.cpu,
                            shape.credits ? kBurst : std::string_view()};
  return std::ranges::any_of(
      texts, [&](std::string_view text) { return lower(text).find(word) != std::string::npos; });
}

}  // namespace

std::optional<NodeCatalogue> parse_node_shapes(std::string_view text) {
  NodeCatalogue catalogue;
  bool header = false;
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with(kAsOf)) catalogue.as_of = line.substr(kAsOf.size());
    if (line.empty() || line.starts_with('#')) continue;
    if (!header) {
      if (line != kHeader) return std::nullopt;
      header = true;
      continue;
    }
    auto shape = parse_row(line);
    if (!shape) return std::nullopt;
    catalogue.shapes.push_back(*shape);
  }
  if (!header || catalogue.as_of.empty()) return std::nullopt;
  return catalogue;
}

const NodeCatalogue& node_catalogue() {
  static const NodeCatalogue catalogue = [] {
    auto parsed = parse_node_shapes(node_shapes_text());
    check(parsed.has_value(), "the catalogue of node shapes that was compiled in can be read");
    return std::move(*parsed);
  }();
  return catalogue;
}

const NodeShape* find_node_shape(std::string_view name) {
  const auto& shapes = node_catalogue().shapes;
  const auto found = std::ranges::find(shapes, name, &NodeShape::name);
  return found == shapes.end() ? nullptr : &*found;
}

std::vector<NodeShape> filter_node_shapes(std::string_view filter) {
  const std::string wanted = lower(filter);
  std::vector<NodeShape> found;
  for (const NodeShape& shape : node_catalogue().shapes) {
    const auto words = split(wanted, ' ');
    if (std::ranges::all_of(words,
                            [&](std::string_view w) { return matches(shape, std::string(w)); }))
      found.push_back(shape);
  }
  return found;
}

}  // namespace headroom::scenario
