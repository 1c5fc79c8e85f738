#include "scenario/stage_options.h"

#include "scenario/load_forms.h"
#include "scenario/option_access.h"
#include "scenario/workload_options.h"

namespace headroom::scenario {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

constexpr std::uint32_t kHighestWeight = 1'000'000;
const CountType kConnections{0, 10'000};

std::uint32_t count(const Call& call, std::size_t argument, std::size_t part = 0) {
  return static_cast<std::uint32_t>(scalar<std::uint64_t>(call, argument, part));
}

FormsType stage_rate_type() {
  FormsType type = rate_type();
  type.forms.push_back({.name = "factor",
                        .parameters = {{"FACTOR", {DecimalType{0, 1000}}}},
                        .meaning = "FACTOR times what load.rate asks at the time"});
  return type;
}

FormsType connections_type() {
  return {{
      {.name = "", .parameters = {{"COUNT", {kConnections}}}, .meaning = "so many all the time"},
      {.name = "ramp",
       .parameters = {{"FROM", {kConnections}}, {"TO", {kConnections}}},
       .meaning = "changes evenly from FROM to TO while the stage lasts"},
  }};
}

FormsType mix_type() {
  return {{{.name = "weights",
            .parameters = {{"NAME:WEIGHT",
                            {TextType{TextForm::kName, 32}, CountType{1, kHighestWeight}}}},
            .repeats = true,
            .meaning = "these operations, by weight, and no others"}}};
}

FormsType fill_type() {
  return {{
      {.name = "",
       .parameters = {{"RATE", {CountType{1, 100'000'000}}}},
       .meaning = "so many SETs a second"},
      {.name = "closed",
       .parameters = {{"CONNECTIONS", {CountType{1, 1'000}}}},
       .meaning = "as many SETs as CONNECTIONS get done, one after the other"},
  }};
}

void add_time(std::vector<Option>& table) {
  table.push_back({.section = "stage",
                   .name = "name",
                   .type = TextType{TextForm::kName, 32},
                   .when_absent = "none; every stage needs it",
                   .help = "What its window is called.",
                   .access = at_top_row<&Scenario::stages, &Stage::name>()});
  table.push_back({.section = "stage",
                   .name = "at",
                   .type = DurationType{Nanos{0}, hours{7 * 24}},
                   .when_absent = "none; every stage needs it",
                   .unit = "since measure began",
                   .help = "When it begins.",
                   .access = at_top_row<&Scenario::stages, &Stage::at>()});
  table.push_back({.section = "stage",
                   .name = "for",
                   .type = DurationType{milliseconds{1}, hours{7 * 24}},
                   .when_absent = "until the next stage, or the end of measure",
                   .help = "How long it lasts.",
                   .access = at_top_row<&Scenario::stages, &Stage::length>()});
  table.push_back({.section = "stage",
                   .name = "repeat_every",
                   .type = DurationType{milliseconds{1}, hours{7 * 24}},
                   .when_absent = "it comes once",
                   .help = "From one begin to the next: the stage comes again and again, each time "
                           "as a window of its own, as long as measure has room for all of it.",
                   .needs = "for",
                   .access = at_top_row<&Scenario::stages, &Stage::repeat_every>()});
}

void add_changes(std::vector<Option>& table) {
  table.push_back({.section = "stage",
                   .name = "tenant",
                   .type = TextType{TextForm::kName, 32},
                   .when_absent = "every load",
                   .help = "Name of the [[tenant]] whose load it changes.",
                   .access = at_top_row<&Scenario::stages, &Stage::tenant>()});
  table.push_back({.section = "stage",
                   .name = "rate",
                   .type = stage_rate_type(),
                   .when_absent = "as load.rate goes on",
                   .unit = "requests per second, all workers together",
                   .help = "Instead of load.rate. A curve begins with the stage. Afterwards "
                           "load.rate is where it would be without the stage.",
                   .access = at_top_row<&Scenario::stages, &Stage::rate>()});
  table.push_back({.section = "stage",
                   .name = "connections",
                   .type = connections_type(),
                   .when_absent = "load.connections",
                   .unit = "per worker",
                   .help = "Connections in use. All that some stage needs are opened at the "
                           "start, and those that are not in use wait.",
                   .access = at_top_row<&Scenario::stages, &Stage::connections>()});
  table.push_back({.section = "stage",
                   .name = "think_time",
                   .type = think_time_type(),
                   .when_absent = "load.think_time",
                   .unit = "per slot",
                   .help = "Instead of load.think_time. Closed loop only.",
                   .access = at_top_row<&Scenario::stages, &Stage::think_time>()});
  table.push_back({.section = "stage",
                   .name = "mix",
                   .type = mix_type(),
                   .when_absent = "the workload's",
                   .help = "Which operations are drawn: SET and GET of workload.ratio, or commands "
                           "by their names.",
                   .access = at_top_row<&Scenario::stages, &Stage::mix>()});
  table.push_back({.section = "stage",
                   .name = "fill",
                   .type = fill_type(),
                   .when_absent = "none",
                   .help = "A load beside the others, under the stage's name: SETs of new keys in "
                           "sequence, by a worker of its own.",
                   .access = at_top_row<&Scenario::stages, &Stage::fill>()});
  table.push_back({.section = "stage",
                   .name = "fill_value_size",
                   .type = value_size_type(),
                   .when_absent = "workload.value_size",
                   .help = "Size of the values that fill writes.",
                   .needs = "fill",
                   .access = at_top_row<&Scenario::stages, &Stage::fill_value_size>()});
}

}  // namespace

void add_stage_options(std::vector<Option>& table) {
  add_time(table);
  add_changes(table);
}

std::optional<Value> to_value(const StageRate& rate) {
  if (const auto* factor = std::get_if<RateFactor>(&rate))
    return Value(Call{"factor", {{factor->factor}}});
  return Value(call_of(std::get<Rate>(rate)));
}

std::optional<Value> to_value(const ConnectionsInUse& connections) {
  const std::uint64_t from = connections.from;
  const std::uint64_t to = connections.to;
  return from == to ? Value(Call{"", {{from}}}) : Value(Call{"ramp", {{from}, {to}}});
}

std::optional<Value> to_value(const Mix& mix) {
  Call call{"weights", {}};
  for (const Mix::Entry& entry : mix.entries)
    call.arguments.push_back({entry.operation, std::uint64_t{entry.weight}});
  return Value(std::move(call));
}

std::optional<Value> to_value(const FillTask& fill) {
  return fill.per_s ? Value(Call{"", {{*fill.per_s}}})
                    : Value(Call{"closed", {{std::uint64_t{fill.connections}}}});
}

void from_value(StageRate& rate, const Value& value) {
  const Call& call = std::get<Call>(value);
  if (call.form == "factor")
    rate = RateFactor{scalar<double>(call, 0)};
  else
    rate = rate_of(call);
}

void from_value(ConnectionsInUse& connections, const Value& value) {
  const Call& call = std::get<Call>(value);
  connections.from = count(call, 0);
  connections.to = call.form.empty() ? connections.from : count(call, 1);
}

void from_value(Mix& mix, const Value& value) {
  const Call& call = std::get<Call>(value);
  mix.entries.clear();
  for (std::size_t i = 0; i < call.arguments.size(); ++i)
    mix.entries.push_back({scalar<std::string>(call, i), count(call, i, 1)});
}

void from_value(FillTask& fill, const Value& value) {
  const Call& call = std::get<Call>(value);
  fill = {};
  if (call.form.empty())
    fill.per_s = scalar<std::uint64_t>(call, 0);
  else
    fill.connections = count(call, 0);
}

}  // namespace headroom::scenario
