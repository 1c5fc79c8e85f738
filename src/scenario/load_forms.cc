#include "scenario/load_forms.h"

#include <utility>

#include "base/check.h"
#include "scenario/option_access.h"

namespace headroom::scenario {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr std::uint64_t kHighestRate = 100'000'000;
constexpr std::size_t kLongestPathBytes = 4095;

const CountType kSomeRate{1, kHighestRate};
const CountType kAnyRate{0, kHighestRate};
const DurationType kCurveTime{milliseconds{1}, hours{7 * 24}};
const DurationType kThinkingTime{nanoseconds{1}, hours{1}};

std::uint64_t count(const Call& call, std::size_t argument) {
  return scalar<std::uint64_t>(call, argument);
}

}  // namespace

FormsType rate_type() {
  return {{
      {.name = "", .parameters = {{"RATE", {kSomeRate}}}, .meaning = "always the same"},
      {.name = "ramp",
       .parameters = {{"FROM", {kAnyRate}}, {"TO", {kAnyRate}}, {"OVER", {kCurveTime}}},
       .meaning = "changes evenly from FROM to TO, and stays there"},
      {.name = "steps",
       .parameters = {{"RATE:DURATION", {kAnyRate, kCurveTime}}},
       .repeats = true,
       .meaning = "one RATE after the other; the last one stays"},
      {.name = "sine",
       .parameters = {{"MEAN", {kSomeRate}}, {"AMPLITUDE", {kAnyRate}}, {"PERIOD", {kCurveTime}}},
       .meaning = "swings between MEAN - AMPLITUDE and MEAN + AMPLITUDE, from MEAN upwards"},
      {.name = "file",
       .parameters = {{"PATH", {TextType{TextForm::kPath, kLongestPathBytes}}}},
       .meaning = "lines \"seconds,rate\" with straight lines between them; the last rate stays"},
  }};
}

Rate rate_of(const Call& call) {
  if (call.form.empty()) return ConstantRate{count(call, 0)};
  if (call.form == "ramp") return RampRate{count(call, 0), count(call, 1), scalar<Nanos>(call, 2)};
  if (call.form == "sine") return SineRate{count(call, 0), count(call, 1), scalar<Nanos>(call, 2)};
  if (call.form == "file") return FileRate{scalar<std::string>(call, 0)};
  check(call.form == "steps", "a rate that was read has one of its forms");
  StepsRate rate;
  for (std::size_t i = 0; i < call.arguments.size(); ++i)
    rate.steps.push_back({count(call, i), scalar<Nanos>(call, i, 1)});
  return rate;
}

Call call_of(const Rate& rate) {
  const Overloaded convert{
      [](const ConstantRate& r) { return Call{"", {{r.per_s}}}; },
      [](const RampRate& r) { return Call{"ramp", {{r.from_per_s}, {r.to_per_s}, {r.over}}}; },
      [](const StepsRate& r) {
        Call call{"steps", {}};
        for (const StepsRate::Step& step : r.steps)
          call.arguments.push_back({step.per_s, step.length});
        return call;
      },
      [](const SineRate& r) {
        return Call{"sine", {{r.mean_per_s}, {r.amplitude_per_s}, {r.period}}};
      },
      [](const FileRate& r) { return Call{"file", {{r.path}}}; },
  };
  return std::visit(convert, rate);
}

FormsType think_time_type() {
  return {{
      {.name = "", .parameters = {{"TIME", {kThinkingTime}}}, .meaning = "always the same"},
      {.name = "exponential",
       .parameters = {{"MEAN", {kThinkingTime}}},
       .meaning = "drawn anew each time, exponentially distributed"},
  }};
}

ThinkTime think_time_of(const Call& call) {
  const auto kind = call.form.empty() ? ThinkTime::Kind::kFixed : ThinkTime::Kind::kExponential;
  return {kind, scalar<Nanos>(call, 0)};
}

Call call_of(const ThinkTime& think_time) {
  const bool fixed = think_time.kind == ThinkTime::Kind::kFixed;
  return {fixed ? "" : "exponential", {{think_time.mean}}};
}

std::optional<Value> to_value(const Rate& rate) { return Value(call_of(rate)); }
std::optional<Value> to_value(const ThinkTime& think_time) { return Value(call_of(think_time)); }
void from_value(Rate& rate, const Value& value) { rate = rate_of(std::get<Call>(value)); }
void from_value(ThinkTime& think_time, const Value& value) {
  think_time = think_time_of(std::get<Call>(value));
}

}  // namespace headroom::scenario
