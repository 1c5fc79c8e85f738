#include "scenario/options.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.h"
#include "base/units.h"
#include "scenario/load_forms.h"
#include "scenario/loads.h"
#include "scenario/notify_options.h"
#include "scenario/option_access.h"
#include "scenario/stage_options.h"
#include "scenario/target_options.h"
#include "scenario/tenant_options.h"
#include "scenario/trace_options.h"
#include "scenario/workload_options.h"

namespace headroom::scenario {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Access kRequestsAccess = {
    [](const Scenario& s, std::size_t) -> std::optional<Value> {
      return s.load.requests ? std::optional<Value>(*s.load.requests) : std::nullopt;
    },
    [](Scenario& s, std::size_t, const Value& value) {
      s.load.requests = std::get<std::uint64_t>(value);
    }};

void add_top(std::vector<Option>& table) {
  table.push_back({.name = "name",
                   .type = TextType{TextForm::kName, 64},
                   .when_absent = "the file's name without its ending",
                   .help = "Names the scenario, and the run files it leaves.",
                   .access = at<&Scenario::name>()});
  table.push_back({.name = "description",
                   .type = TextType{TextForm::kProse, 1000},
                   .when_absent = "none",
                   .help = "What the scenario is for. Kept in the run file.",
                   .access = at<&Scenario::description>()});
  table.push_back({.name = "seed",
                   .type = CountType{0, (std::uint64_t{1} << 63U) - 1},
                   .default_text = "1",
                   .help = "Every connection of every worker derives its own random stream from "
                           "it. The same seed draws the same keys in the same order; repeated "
                           "runs that should draw other keys need other seeds.",
                   .access = at<&Scenario::seed>()});
}

void add_load(std::vector<Option>& table) {
  table.push_back({.section = "load",
                   .name = "workers",
                   .type = CountType{1, 512},
                   .default_text = "1",
                   .help = "Load generator threads, each with its own connections and keys.",
                   .access = at<&Scenario::load, &Load::workers>()});
  table.push_back({.section = "load",
                   .name = "connections",
                   .type = CountType{1, 10'000},
                   .default_text = "10",
                   .unit = "per worker",
                   .help = "Connections of each worker. All together, idle ones included, at most "
                           "65,535, as many as one client address can have to one port. Of a "
                           "cluster: clients, each with one connection to every node it needs.",
                   .access = at<&Scenario::load, &Load::connections>()});
  table.push_back({.section = "load",
                   .name = "pipeline",
                   .type = CountType{1, 10'000},
                   .default_text = "1",
                   .unit = "per connection",
                   .help = "Requests in flight on each connection; of a cluster, of each client.",
                   .access = at<&Scenario::load, &Load::pipeline>()});
  table.push_back({.section = "load",
                   .name = "connect_timeout",
                   .type = DurationType{milliseconds{1}, minutes{10}},
                   .default_text = "5s",
                   .help = "How long opening, securing and authenticating a connection may take.",
                   .access = at<&Scenario::load, &Load::connect_timeout>()});
  table.push_back({.section = "load",
                   .name = "request_timeout",
                   .type = DurationType{milliseconds{1}, hours{1}},
                   .default_text = "10s",
                   .help = "How long a reply is waited for. Then the request counts as timed out, "
                           "the others on its connection as lost, and the connection is opened "
                           "anew.",
                   .access = at<&Scenario::load, &Load::request_timeout>()});
  table.push_back({.section = "load",
                   .name = "reconnect_every",
                   .type = CountType{0, 1'000'000'000'000},
                   .default_text = "0",
                   .unit = "requests per connection",
                   .help = "After so many requests, and all of their replies, a connection is "
                           "closed and opened anew, during warm-up and measure. 0: never.",
                   .access = at<&Scenario::load, &Load::reconnect_every>()});
  table.push_back({.section = "load",
                   .name = "idle_connections",
                   .type = CountType{0, 10'000},
                   .default_text = "0",
                   .unit = "per worker",
                   .help = "Connections that are opened besides, kept, and never used.",
                   .access = at<&Scenario::load, &Load::idle_connections>()});
  table.push_back({.section = "load",
                   .name = "connect_spread",
                   .type = DurationType{Nanos{0}, hours{1}},
                   .default_text = "0s",
                   .help = "Time over which the connections are opened, evenly. 0s: as fast as "
                           "the server takes them. connect_timeout comes on top.",
                   .access = at<&Scenario::load, &Load::connect_spread>()});
  table.push_back({.section = "load",
                   .name = "requests",
                   .type = CountType{1, 1'000'000'000'000'000},
                   .when_absent = "as many as measure has time for",
                   .unit = "all workers together",
                   .help = "How many requests measure sends, an even share of them on each "
                           "connection. Measure ends with the last reply, or on time if that is "
                           "earlier.",
                   .excluded_by = "workload.trace.file",
                   .access = kRequestsAccess});
}

// When requests are made, and how far away the engine seems.
void add_load_model(std::vector<Option>& table) {
  table.push_back({.section = "load",
                   .name = "rate",
                   .type = rate_type(),
                   .when_absent = "closed loop: a slot sends its next request when it has a reply",
                   .unit = "requests per second, all workers together",
                   .help = "Open loop: every request has an intended time that no reply can delay. "
                           "What finds no free slot (connections x pipeline) waits, and its wait "
                           "is a part of its response latency. A curve begins with measure; the "
                           "warm-up has the rate that it begins with.",
                   .excluded_by = "workload.trace.file",
                   .access = at<&Scenario::load, &Load::rate>()});
  table.push_back({.section = "load",
                   .name = "arrivals",
                   .type = choice_of<Arrivals>(),
                   .default_text = "even",
                   .help = "even: equal distances. poisson: independent of one another, as those "
                           "of many users are.",
                   .needs = "rate",
                   .access = at<&Scenario::load, &Load::arrivals>()});
  table.push_back({.section = "load",
                   .name = "think_time",
                   .type = think_time_type(),
                   .when_absent = "none",
                   .unit = "per slot",
                   .help = "Pause between a reply and the next request of the slot that it freed. "
                           "Closed loop only.",
                   .excluded_by = "workload.trace.file",
                   .access = at<&Scenario::load, &Load::think_time>()});
  table.push_back({.section = "load",
                   .name = "emulated_rtt",
                   .type = DurationType{Nanos{1}, seconds{10}},
                   .when_absent = "none",
                   .help = "Round trip to a local node that the client adds to every reply, as if "
                           "the engine were that far away. Less than request_timeout.",
                   .kinds = {TargetKind::kLocal},
                   .excluded_by = "workload.trace.file",
                   .access = at<&Scenario::load, &Load::emulated_rtt>()});
  table.push_back({.section = "load",
                   .name = "read_from",
                   .type = choice_of<ReadFrom>(),
                   .when_absent = "primary",
                   .help = "Which nodes of a cluster commands go to that only read. replica: a "
                           "random one of the slot's replicas, or the primary where it has none. "
                           "any: a random one of primary and replicas.",
                   .access = at<&Scenario::load, &Load::read_from>()});
}

// Which requests are looked at one by one.
void add_close_look(std::vector<Option>& table) {
  table.push_back({.section = "load",
                   .name = "keep_slowest",
                   .type = BooleanType{},
                   .default_text = "true",
                   .help = "Whether the run file keeps the 100 slowest requests of measure, with "
                           "key, value size, worker and time.",
                   .access = at<&Scenario::load, &Load::keep_slowest>()});
  table.push_back({.section = "load",
                   .name = "fine_splits",
                   .type = BooleanType{},
                   .default_text = "true",
                   .help = "Whether latency is kept by value size too, where values have sizes of "
                           "several classes, and by hot and cold keys, where some are more popular "
                           "than others.",
                   .access = at<&Scenario::load, &Load::fine_splits>()});
  table.push_back({.section = "load",
                   .name = "request_log",
                   .type = DecimalType{0.0001, 1},
                   .when_absent = "none",
                   .unit = "of the requests",
                   .help = "Share of the requests of measure, drawn at random, that the run file "
                           "keeps one by one; headroom export --requests csv prints them. Each "
                           "takes some 100 bytes.",
                   .access = at<&Scenario::load, &Load::request_log>()});
}

void add_timing(std::vector<Option>& table) {
  table.push_back({.section = "timing",
                   .name = "warmup",
                   .type = DurationType{Nanos{0}, hours{24}},
                   .default_text = "0s",
                   .help = "Load at full strength before measuring, which no number is about. "
                           "Memory fills in it all the same.",
                   .access = at<&Scenario::timing, &Timing::warmup>()});
  table.push_back({.section = "timing",
                   .name = "measure",
                   .type = DurationType{seconds{1}, hours{7 * 24}},
                   .default_text = "1m",
                   .help = "The window that the numbers are about. It ends on time, whatever the "
                           "engine does.",
                   .access = at<&Scenario::timing, &Timing::measure>()});
  table.push_back({.section = "timing",
                   .name = "drain",
                   .type = DurationType{Nanos{0}, minutes{10}},
                   .default_text = "2s",
                   .help = "How long replies in flight are waited for after measure. What has no "
                           "reply then counts as lost.",
                   .access = at<&Scenario::timing, &Timing::drain>()});
  table.push_back({.section = "timing",
                   .name = "sample_interval",
                   .type = DurationType{milliseconds{100}, minutes{1}},
                   .default_text = "1s",
                   .help = "How often engine and node are sampled. Not longer than measure.",
                   .access = at<&Scenario::timing, &Timing::sample_interval>()});
}

void add_expect(std::vector<Option>& table) {
  table.push_back({.section = "expect",
                   .name = "conditions",
                   .type = ExpectationsType{},
                   .when_absent = "none",
                   .help = "A run that does not meet all of them ends with exit code 5. "
                           "[WINDOW.][OPERATION.][OUTCOME.]FIGURE, one of < <= > >= ==, and a "
                           "value; `headroom report --list-figures` has the figures.",
                   .access = at<&Scenario::expect>()});
}

std::vector<Option> make_table() {
  std::vector<Option> table;
  add_top(table);
  add_target_options(table);
  add_workload_options(table);
  add_trace_options(table);
  add_load(table);
  add_load_model(table);
  add_close_look(table);
  add_tenant_options(table);
  add_timing(table);
  add_stage_options(table);
  add_expect(table);
  add_notify_options(table);
  return table;
}

}  // namespace

std::optional<Value> Access::get(const Scenario& scenario, std::size_t row) const {
  return of_tenant ? getter(as_tenant(scenario, row), 0) : getter(scenario, row);
}

void Access::set(Scenario& scenario, const Value& value, std::size_t row) const {
  if (!of_tenant) {
    setter(scenario, row, value);
    return;
  }
  Scenario alone = as_tenant(scenario, row);
  setter(alone, 0, value);
  scenario.tenants[row].workload = std::move(alone.workload);
  scenario.tenants[row].load = std::move(alone.load);
}

std::string Option::key(std::size_t row) const {
  if (section.empty()) return std::string(name);
  if (find_section(section)->repeats()) return fmt::format("{}.{}.{}", section, row, name);
  return fmt::format("{}.{}", section, name);
}

bool Option::is_for(TargetKind kind) const {
  return kinds.empty() || std::ranges::find(kinds, kind) != kinds.end();
}

bool Option::applies_to(const Scenario& scenario, std::size_t row) const {
  if (!is_for(scenario.target.kind)) return false;
  if (!unless.empty() && find_section(unless)->count(scenario) > 0) return false;
  if (!excluded_by.empty() && find_option(excluded_by)->access.get(scenario)) return false;
  if (needs.empty()) return true;
  const Option* needed = find_option(section, needs);
  check(needed != nullptr, "an option needs one that exists");
  const std::optional<Value> value = needed->access.get(scenario, row);
  return value && *value != Value(false);
}

std::span<const Option> option_table() {
  static const std::vector<Option> table = make_table();
  return table;
}

std::string Section::header() const {
  return repeats() ? fmt::format("[[{}]]", name) : fmt::format("[{}]", name);
}

std::span<const Section> section_table() {
  static constexpr std::array kSections = {
      Section{"", "Before the first section."},
      Section{"target", "The cache under test."},
      Section{"workload", "What is asked of it."},
      Section{"workload.command",
              "One kind of request; repeat it for each. With any, workload.ratio means nothing.",
              kMostCommands, [](const Scenario& s) { return s.workload.commands.size(); },
              [](Scenario& s, std::size_t rows) { s.workload.commands.resize(rows); }},
      Section{"workload.cache_aside",
              "What a client does when a read misses: it asks a backend, and writes the answer."},
      Section{"workload.trace",
              "Recorded requests to send again, in place of ratio, keys and commands."},
      Section{"load", "By how many, and how."},
      Section{"tenant",
              "One of several loads that run side by side, each with its own workers, connections, "
              "keys and results; repeat it for each. It may have every option of [workload] and "
              "[load] but requests; what it does not say is as there.",
              kMostTenants, [](const Scenario& s) { return s.tenants.size(); },
              [](Scenario& s, std::size_t rows) { s.tenants.resize(rows); }},
      Section{"timing", "For how long."},
      Section{"stage",
              "A named window of measure with numbers of its own, and what changes while it lasts; "
              "repeat it for each. Stages do not overlap.",
              kMostStages, [](const Scenario& s) { return s.stages.size(); },
              [](Scenario& s, std::size_t rows) { s.stages.resize(rows); }},
      Section{"expect", "What it must show."},
      Section{"notify", "Who is told of it while it goes."},
  };
  return kSections;
}

const Section* find_section(std::string_view name) {
  const auto table = section_table();
  const auto found = std::ranges::find(table, name, &Section::name);
  return found == table.end() ? nullptr : &*found;
}

const Option* find_option(std::string_view section, std::string_view name) {
  const auto table = option_table();
  const auto found = std::ranges::find_if(
      table, [&](const Option& o) { return o.section == section && o.name == name; });
  return found == table.end() ? nullptr : &*found;
}

Key split_key(std::string_view key) {
  const std::size_t dot = key.rfind('.');
  if (dot == std::string_view::npos) return {{}, {}, key};
  Key result{key.substr(0, dot), {}, key.substr(dot + 1)};
  const std::size_t inner = result.section.rfind('.');
  if (inner == std::string_view::npos) return result;
  const Section* section = find_section(result.section.substr(0, inner));
  if (section == nullptr || !section->repeats()) return result;
  const auto row = parse_count(result.section.substr(inner + 1));
  if (!row) return result;
  return {section->name, static_cast<std::size_t>(*row), result.name};
}

const Option* find_option(std::string_view key) {
  const Key parts = split_key(key);
  return find_option(parts.section, parts.name);
}

std::string_view target_kind_name(TargetKind kind) { return name_of(kind); }

}  // namespace headroom::scenario
