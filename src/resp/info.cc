#include "resp/info.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.h"

namespace headroom::resp {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return lower(x) == lower(y); });
}

template <class Number>
std::optional<Number> parse_whole(std::string_view text) {
  Number result{};
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), result);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return result;
}

}  // namespace

std::optional<std::string_view> info_part(std::string_view value, std::string_view name) {
  for (const std::string_view part : split(value, ',')) {
    if (part.size() > name.size() && part.starts_with(name) && part[name.size()] == '=') {
      return part.substr(name.size() + 1);
    }
  }
  return std::nullopt;
}

std::optional<double> info_number(std::string_view text) {
  const auto result = parse_whole<double>(text);
  if (!result || !std::isfinite(*result)) return std::nullopt;
  return result;
}

Info Info::parse(std::string_view text) {
  Info info;
  for (std::string_view line : split(text, '\n')) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with('#')) {
      info.sections_.push_back({std::string(trim(line.substr(1))), {}});
      continue;
    }
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) continue;
    if (info.sections_.empty()) info.sections_.emplace_back();
    info.sections_.back().fields.push_back(
        {std::string(line.substr(0, colon)), std::string(line.substr(colon + 1))});
  }
  return info;
}

const Info::Section* Info::section(std::string_view name) const {
  const auto found = std::ranges::find_if(
      sections_, [&](const Section& s) { return equal_ignoring_case(s.name, name); });
  return found == sections_.end() ? nullptr : &*found;
}

std::optional<std::string_view> Info::text(std::string_view field) const {
  for (const Section& section : sections_) {
    for (const Field& candidate : section.fields) {
      if (candidate.name == field) return candidate.value;
    }
  }
  return std::nullopt;
}

std::optional<double> Info::number(std::string_view field) const {
  const auto value = text(field);
  return value ? info_number(*value) : std::nullopt;
}

std::optional<std::uint64_t> Info::count(std::string_view field) const {
  const auto value = text(field);
  return value ? parse_whole<std::uint64_t>(*value) : std::nullopt;
}

std::optional<std::uint64_t> Info::keyspace_sum(std::string_view part) const {
  const Section* keyspace = section("Keyspace");
  if (keyspace == nullptr) return std::nullopt;
  std::uint64_t sum = 0;
  for (const Field& database : keyspace->fields) {
    const auto value = info_part(database.value, part);
    const auto keys = value ? parse_whole<std::uint64_t>(*value) : std::nullopt;
    if (!keys) return std::nullopt;
    sum += *keys;
  }
  return sum;
}

}  // namespace headroom::resp
