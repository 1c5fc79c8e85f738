// How a member of a Scenario becomes the Value of an option, and back. Internal to the option
// table.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/check.h"
#include "scenario/options.h"
#include "scenario/scenario.h"
#include "scenario/value.h"

namespace headroom::scenario {

// The words of enumerations.
template <class Enum>
struct Name {
  Enum value;
  std::string_view name;
};
inline constexpr std::array kKindNames = {Name<TargetKind>{TargetKind::kLocal, "local"},
                                          Name<TargetKind>{TargetKind::kEndpoint, "endpoint"}};
inline constexpr std::array kProtocolNames = {Name<Protocol>{Protocol::kResp2, "resp2"},
                                              Name<Protocol>{Protocol::kResp3, "resp3"}};
inline constexpr std::array kTlsVersionNames = {Name<TlsVersion>{TlsVersion::k12, "1.2"},
                                                Name<TlsVersion>{TlsVersion::k13, "1.3"}};
constexpr const auto& names_of(TargetKind) { return kKindNames; }
constexpr const auto& names_of(Protocol) { return kProtocolNames; }
constexpr const auto& names_of(TlsVersion) { return kTlsVersionNames; }

template <class Enum>
std::string_view name_of(Enum value) {
  const auto& names = names_of(value);
  const auto* found = std::ranges::find(names, value, &Name<Enum>::value);
  check(found != names.end(), "every value of an option has a name");
  return found->name;
}

template <class Enum>
ChoiceType choice_of() {
  ChoiceType choice;
  for (const auto& entry : names_of(Enum{})) choice.choices.push_back(entry.name);
  return choice;
}

// How a member of a Scenario becomes a Value, and back. An empty text is an absent one.
inline std::optional<Value> to_value(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional<Value>(text);
}
inline std::optional<Value> to_value(bool truth) { return Value(truth); }
inline std::optional<Value> to_value(Nanos duration) { return Value(duration); }
template <class Enum>
  requires std::is_enum_v<Enum>
std::optional<Value> to_value(Enum value) {
  return Value(std::string(name_of(value)));
}
template <class Integer>
  requires std::is_unsigned_v<Integer>
std::optional<Value> to_value(Integer number) {
  return Value(std::uint64_t{number});
}
inline std::optional<Value> to_value(const std::optional<std::uint64_t>& number) {
  return number ? Value(*number) : Value(Auto{});
}

template <class Member>
void from_value(Member& member, const Value& value) {
  if constexpr (std::is_enum_v<Member>) {
    const auto& names = names_of(Member{});
    const auto* found = std::ranges::find(names, std::get<std::string>(value), &Name<Member>::name);
    check(found != names.end(), "a word that was read is one of the choices");
    member = found->value;
  } else if constexpr (std::is_same_v<Member, std::optional<std::uint64_t>>) {
    const auto* number = std::get_if<std::uint64_t>(&value);
    member = number != nullptr ? std::optional(*number) : std::nullopt;
  } else if constexpr (std::is_unsigned_v<Member> && !std::is_same_v<Member, bool>) {
    member = static_cast<Member>(std::get<std::uint64_t>(value));  // its range was checked
  } else {
    member = std::get<Member>(value);
  }
}

// Access to scenario.*Member, and to (scenario.*Part).*Member.
template <auto Member>
constexpr Access at() {
  return {[](const Scenario& s) -> std::optional<Value> { return to_value(s.*Member); },
          [](Scenario& s, const Value& value) { from_value(s.*Member, value); }};
}
template <auto Part, auto Member>
constexpr Access at() {
  return {[](const Scenario& s) -> std::optional<Value> { return to_value((s.*Part).*Member); },
          [](Scenario& s, const Value& value) { from_value((s.*Part).*Member, value); }};
}

}  // namespace headroom::scenario
