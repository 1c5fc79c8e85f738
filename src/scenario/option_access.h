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
inline constexpr std::array kKeyOwnershipNames = {
    Name<KeyOwnership>{KeyOwnership::kPerWorker, "per-worker"},
    Name<KeyOwnership>{KeyOwnership::kShared, "shared"}};
inline constexpr std::array kProtocolNames = {Name<Protocol>{Protocol::kResp2, "resp2"},
                                              Name<Protocol>{Protocol::kResp3, "resp3"}};
inline constexpr std::array kTlsVersionNames = {Name<TlsVersion>{TlsVersion::k12, "1.2"},
                                                Name<TlsVersion>{TlsVersion::k13, "1.3"}};
inline constexpr std::array kArrivalsNames = {Name<Arrivals>{Arrivals::kEven, "even"},
                                              Name<Arrivals>{Arrivals::kPoisson, "poisson"}};
inline constexpr std::array kTraceFormatNames = {
    Name<TraceFormat>{TraceFormat::kMonitor, "monitor"},
    Name<TraceFormat>{TraceFormat::kCsv, "csv"}, Name<TraceFormat>{TraceFormat::kTsv, "tsv"}};
inline constexpr std::array kTraceTimingNames = {
    Name<TraceTiming>{TraceTiming::kOriginal, "original"},
    Name<TraceTiming>{TraceTiming::kScaled, "scaled"},
    Name<TraceTiming>{TraceTiming::kFast, "fast"}};
constexpr const auto& names_of(TraceFormat) { return kTraceFormatNames; }
constexpr const auto& names_of(TraceTiming) { return kTraceTimingNames; }
inline constexpr std::array kReadFromNames = {Name<ReadFrom>{ReadFrom::kPrimary, "primary"},
                                              Name<ReadFrom>{ReadFrom::kReplica, "replica"},
                                              Name<ReadFrom>{ReadFrom::kAny, "any"}};
constexpr const auto& names_of(TargetKind) { return kKindNames; }
constexpr const auto& names_of(KeyOwnership) { return kKeyOwnershipNames; }
constexpr const auto& names_of(Protocol) { return kProtocolNames; }
constexpr const auto& names_of(TlsVersion) { return kTlsVersionNames; }
constexpr const auto& names_of(Arrivals) { return kArrivalsNames; }
constexpr const auto& names_of(ReadFrom) { return kReadFromNames; }

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
inline std::optional<Value> to_value(double number) { return Value(number); }
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

inline std::optional<Value> to_value(const std::vector<Expectation>& expectations) {
  return expectations.empty() ? std::nullopt : std::optional<Value>(expectations);
}
std::optional<Value> to_value(const KeyDistribution& distribution);
std::optional<Value> to_value(const ValueSize& size);
std::optional<Value> to_value(const ValueContent& content);
std::optional<Value> to_value(const Ttl& ttl);
std::optional<Value> to_value(const BackendTime& time);
std::optional<Value> to_value(const Rate& rate);
std::optional<Value> to_value(const ThinkTime& think_time);
std::optional<Value> to_value(const StageRate& rate);
std::optional<Value> to_value(const ConnectionsInUse& connections);
std::optional<Value> to_value(const Mix& mix);
std::optional<Value> to_value(const FillTask& fill);
template <class Member>
std::optional<Value> to_value(const std::optional<Member>& member) {
  return member ? to_value(*member) : std::nullopt;
}

inline void from_value(std::vector<Expectation>& expectations, const Value& value) {
  expectations = std::get<std::vector<Expectation>>(value);
}
void from_value(KeyDistribution& distribution, const Value& value);
void from_value(ValueSize& size, const Value& value);
void from_value(ValueContent& content, const Value& value);
void from_value(Ttl& ttl, const Value& value);
void from_value(BackendTime& time, const Value& value);
void from_value(Rate& rate, const Value& value);
void from_value(ThinkTime& think_time, const Value& value);
void from_value(StageRate& rate, const Value& value);
void from_value(ConnectionsInUse& connections, const Value& value);
void from_value(Mix& mix, const Value& value);
void from_value(FillTask& fill, const Value& value);
template <class Enum>
  requires std::is_enum_v<Enum>
void from_value(Enum& member, const Value& value) {
  const auto& names = names_of(Enum{});
  const auto* found = std::ranges::find(names, std::get<std::string>(value), &Name<Enum>::name);
  check(found != names.end(), "a word that was read is one of the choices");
  member = found->value;
}
template <class Integer>
  requires(std::is_unsigned_v<Integer> && !std::is_same_v<Integer, bool>)
void from_value(Integer& number, const Value& value) {
  number = static_cast<Integer>(std::get<std::uint64_t>(value));  // its range was checked
}
inline void from_value(std::string& text, const Value& value) {
  text = std::get<std::string>(value);
}
inline void from_value(bool& truth, const Value& value) { truth = std::get<bool>(value); }
inline void from_value(double& number, const Value& value) { number = std::get<double>(value); }
inline void from_value(Nanos& duration, const Value& value) { duration = std::get<Nanos>(value); }
inline void from_value(std::optional<std::uint64_t>& number, const Value& value) {
  const auto* given = std::get_if<std::uint64_t>(&value);
  number = given != nullptr ? std::optional(*given) : std::nullopt;
}
template <class Member>
void from_value(std::optional<Member>& member, const Value& value) {
  from_value(member.emplace(), value);
}

// Access to scenario.*Member, and to (scenario.*Part).*Member.
template <auto Member>
constexpr Access at() {
  return {
      [](const Scenario& s, std::size_t) -> std::optional<Value> { return to_value(s.*Member); },
      [](Scenario& s, std::size_t, const Value& value) { from_value(s.*Member, value); }};
}
template <auto Part, auto Member>
constexpr Access at() {
  return {
      [](const Scenario& s, std::size_t) -> std::optional<Value> {
        return to_value((s.*Part).*Member);
      },
      [](Scenario& s, std::size_t, const Value& value) { from_value((s.*Part).*Member, value); }};
}
// The same for a count whose absence is no "auto".
template <auto Part, auto Member>
constexpr Access present_at() {
  return {[](const Scenario& s, std::size_t) -> std::optional<Value> {
            const auto& member = (s.*Part).*Member;
            return member ? std::optional<Value>(std::uint64_t{*member}) : std::nullopt;
          },
          [](Scenario& s, std::size_t, const Value& value) {
            auto& member = (s.*Part).*Member;
            from_value(member.emplace(), value);
          }};
}
// Access to ((scenario.*Part).*Inner).*Member.
template <auto Part, auto Inner, auto Member>
constexpr Access at() {
  return {[](const Scenario& s, std::size_t) -> std::optional<Value> {
            return to_value(((s.*Part).*Inner).*Member);
          },
          [](Scenario& s, std::size_t, const Value& value) {
            from_value(((s.*Part).*Inner).*Member, value);
          }};
}
// Access to ((scenario.*Part).*Rows)[row].*Member: of a repeated table.
template <auto Part, auto Rows, auto Member>
constexpr Access at_row() {
  return {[](const Scenario& s, std::size_t row) -> std::optional<Value> {
            return to_value(((s.*Part).*Rows)[row].*Member);
          },
          [](Scenario& s, std::size_t row, const Value& value) {
            from_value(((s.*Part).*Rows)[row].*Member, value);
          }};
}

// Access to (scenario.*Rows)[row].*Member: of a repeated table at the top of the file.
template <auto Rows, auto Member>
constexpr Access at_top_row() {
  return {[](const Scenario& s, std::size_t row) -> std::optional<Value> {
            return to_value((s.*Rows)[row].*Member);
          },
          [](Scenario& s, std::size_t row, const Value& value) {
            from_value((s.*Rows)[row].*Member, value);
          }};
}

}  // namespace headroom::scenario
