#include "scenario/contradictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>
#include <variant>

#include "base/units.h"
#include "scenario/cluster.h"
#include "scenario/command_line.h"
#include "scenario/engine_settings.h"
#include "scenario/load_contradictions.h"
#include "scenario/loads.h"
#include "scenario/node.h"
#include "scenario/node_shapes.h"
#include "scenario/notify.h"
#include "scenario/operations.h"
#include "scenario/options.h"

namespace headroom::scenario {
namespace {

// A TCP connection is told apart from others to the same server by its client's address and port.
constexpr std::uint64_t kMostConnections = 65535;

class Finder {
 public:
  Finder(const Scenario& scenario, const PlaceOf& place_of)
      : scenario_(scenario), place_of_(place_of) {}

  std::vector<std::string> find() && {
    target();
    engine();
    notify();
    shape();
    maxmemory();
    credits();
    commands();
    // With tenants, theirs are what is driven.
    if (scenario_.tenants.empty()) {
      workload();
      load();
      cluster();
    }
    flows();
    timing();
    expectations();
    return std::move(lines_);
  }
  // Of the scenario of one tenant alone.
  std::vector<std::string> find_in_load() && {
    workload();
    load();
    cluster();
    return std::move(lines_);
  }

 private:
  template <class... Args>
  void wrong(std::string_view key, fmt::format_string<Args...> format, Args&&... args) {
    lines_.push_back(
        fmt::format("{}: {}", place_of_(key), fmt::format(format, std::forward<Args>(args)...)));
  }

  void target() {
    const Target& t = scenario_.target;
    if (t.kind == TargetKind::kEndpoint && t.host.empty() && t.socket.empty())
      wrong("target.kind",
            "an endpoint needs target.uri, target.host or target.socket; give one of them");
    if (!t.host.empty() && !t.socket.empty())
      wrong("target.socket", "target.host is given too; leave one of them out");
    if (!t.password_file.empty() && !t.password_env.empty())
      wrong("target.password_env", "target.password_file is given too; leave one of them out");
    if (!t.username.empty() && t.password_file.empty() && t.password_env.empty()) {
      wrong("target.username",
            "a user needs a password; give target.password_file or target.password_env");
    }
    tls();
  }

  void tls() {
    const Target& t = scenario_.target;
    if (!t.tls_certificate.empty() && t.tls_key.empty())
      wrong("target.tls_certificate", "a certificate needs its private key; give target.tls_key");
    if (!t.tls_key.empty() && t.tls_certificate.empty())
      wrong("target.tls_key", "a key needs its certificate; give target.tls_certificate");
    if (t.tls_verify || !t.tls) return;
    const bool trusts = !t.tls_ca_file.empty() || !t.tls_ca_directory.empty();
    if (trusts) {
      wrong(t.tls_ca_file.empty() ? "target.tls_ca_directory" : "target.tls_ca_file",
            "target.tls_verify = false trusts everybody; leave one of them out");
    }
  }

  void engine() {
    const Target& t = scenario_.target;
    if (t.kind != TargetKind::kLocal) return;
    if (const auto settings = read_engine_settings(t.engine_config); !settings)
      wrong("target.engine_config", "{}", settings.error().message);
    if (t.engine_args.empty()) return;
    const std::map<std::string, std::string, std::less<>> values = {
        {"port", ""}, {"maxmemory", ""}, {"policy", ""}, {"directory", ""}};
    if (const auto words = read_engine_args(t.engine_args, values); !words)
      wrong("target.engine_args", "{}", words.error().message);
    const std::array<std::pair<std::string_view, bool>, 5> needing_a_file = {
        {{"target.engine_config", !t.engine_config.empty()},
         {"target.replicas", t.replicas > 0},
         {"target.shards", t.shards.has_value()},
         {"target.tls", t.tls},
         {"target.acl_user", !t.acl_user.empty()}}};
    for (const auto& [key, given] : needing_a_file) {
      if (!given) continue;
      wrong(key,
            "it is done by a configuration file, which a server with target.engine_args is not "
            "given; leave one of them out");
    }
  }

  void notify() {
    const Notify& n = scenario_.notify;
    if (!n.webhook.empty() && !n.webhook_env.empty())
      wrong("notify.webhook_env", "notify.webhook is given too; leave one of them out");
    if (!n.webhook.empty()) {
      if (const auto url = parse_webhook(n.webhook); !url)
        wrong("notify.webhook", "{}", url.error().message);
    }
    if (is_notified(n)) return;
    const auto lonely = [this](std::string_view key) {
      wrong(key, "means nothing without notify.command, notify.webhook or notify.webhook_env");
    };
    if (n.attempts > 0) lonely("notify.attempts");
    if (n.timeout > Nanos{0}) lonely("notify.timeout");
  }

  // What is given beside a shape must be what the shape says.
  void shape() {
    const Target& t = scenario_.target;
    if (!t.shape) return;
    const NodeShape& shape = *find_node_shape(*t.shape);
    if (t.memory_bytes != shape.memory_bytes) {
      not_of_shape("target.memory", print_bytes(*t.memory_bytes), print_bytes(shape.memory_bytes));
    }
    if (t.vcpus != shape.vcpus)
      not_of_shape("target.vcpus", fmt::format("{}", *t.vcpus), fmt::format("{}", shape.vcpus));
    if (!shape.credits && t.credits_per_hour) {
      wrong("target.credits_per_hour",
            "{} is not burstable and has no CPU credits; leave one of "
            "them out",
            *t.shape);
    }
    if (!shape.credits) return;
    if (t.credits_per_hour != shape.credits->per_hour) {
      not_of_shape("target.credits_per_hour", fmt::format("{}", *t.credits_per_hour),
                   fmt::format("{}", shape.credits->per_hour));
    }
    if (t.credits_max != shape.credits->max) {
      not_of_shape("target.credits_max", fmt::format("{}", *t.credits_max),
                   fmt::format("{}", shape.credits->max));
    }
  }

  void not_of_shape(std::string_view key, const std::string& given, const std::string& known) {
    wrong(key, "{} is not what {} has ({}); leave one of them out", given, *scenario_.target.shape,
          known);
  }

  void maxmemory() {
    const Target& t = scenario_.target;
    const auto follows = shaped_maxmemory_bytes(t);
    if (!follows) return;
    const auto& range = std::get<BytesType>(find_option("target.maxmemory")->type);
    if (*follows < range.lowest || *follows > range.highest) {
      wrong("target.scale",
            "the node's memory, less what is reserved, times {} is a maxmemory of "
            "{}; give more, so that it is from {} to {}",
            *t.scale, print_bytes(*follows), print_bytes(range.lowest), print_bytes(range.highest));
    } else if (t.maxmemory_bytes != *follows) {
      wrong("target.maxmemory",
            "the node's memory, less what is reserved, times target.scale is "
            "{}, not {}; leave one of them out",
            print_bytes(*follows), print_bytes(t.maxmemory_bytes));
    }
  }

  void credits() {
    const auto envelope = cpu_envelope(scenario_.target);
    if (!envelope || !envelope->credits) return;
    const CreditBucketSize& credits = *envelope->credits;
    if (envelope->baseline_vcpus() >= envelope->vcpus) {
      wrong("target.credits_per_hour",
            "{} an hour are a baseline of {} vCPUs; give less than "
            "target.vcpus ({}), or leave the credits out",
            credits.per_hour, envelope->baseline_vcpus(), envelope->vcpus);
    }
    if (credits.initial > credits.max) {
      wrong("target.credits_initial", "{} is more than target.credits_max ({}); give at most that",
            credits.initial, credits.max);
    }
  }

  void workload() {
    const Workload& w = scenario_.workload;
    if (w.keys && *w.keys < scenario_.load.workers) {
      wrong("workload.keys", "{} is fewer than load.workers ({}), and each needs a key of its own",
            grouped(*w.keys), scenario_.load.workers);
    }
    if (w.replays()) {
      trace();
      return;
    }
    value_size("workload.value_size", w.value_size);
    if (w.ttl) ttl(*w.ttl);
    if (w.verify && smallest_bytes(w.value_size) < kLeastVerifiedBytes) {
      wrong("workload.verify", "values of {} have no room for the stamp of {}; give larger ones",
            print_bytes(smallest_bytes(w.value_size)), print_bytes(kLeastVerifiedBytes));
    }
    if (w.keys_move_every && !has_popular_keys()) {
      wrong("workload.keys_move_every",
            "no command has keys that are more popular than others; give a key distribution of "
            "gaussian, zipf or hotspot");
    }
  }

  void value_size(std::string_view key, const ValueSize& size) {
    if (const auto* range = std::get_if<SizeRange>(&size);
        range != nullptr && range->lowest_bytes > range->highest_bytes) {
      wrong(key, "the range goes down from {} to {}; write the smaller size first",
            print_bytes(range->lowest_bytes), print_bytes(range->highest_bytes));
      return;
    }
    const std::uint64_t memory = scenario_.target.maxmemory_bytes;
    if (scenario_.target.kind == TargetKind::kLocal && largest_bytes(size) >= memory) {
      wrong(key, "no value of {} fits into target.maxmemory ({})", print_bytes(largest_bytes(size)),
            print_bytes(memory));
    }
  }

  // Cache-aside and traces: of one load against one server.
  void flows() {
    const Workload& w = scenario_.workload;
    if (!w.replays() && !w.backend_time) return;
    const std::string_view key =
        w.replays() ? "workload.trace.file" : "workload.cache_aside.backend_time";
    if (!scenario_.tenants.empty()) wrong(key, "is for a run of one load; leave [[tenant]] out");
    if (is_cluster(scenario_.target))
      wrong(key, "is for one server; leave target.cluster out, or this");
    if (w.replays() && !scenario_.stages.empty())
      wrong(key,
            "means nothing beside [[stage]]: the trace says what comes when; give one of them");
    if (w.backend_time && lines_.empty()) backend_time(*w.backend_time);
  }

  void trace() {
    const Workload& w = scenario_.workload;
    if (!w.commands.empty()) {
      wrong("workload.trace.file", "means nothing beside [[workload.command]]; give one of them");
    }
    const bool scaled = w.trace.timing == TraceTiming::kScaled;
    if (scaled && !w.trace.speed)
      wrong("workload.trace.timing", "\"scaled\" needs workload.trace.speed; give it");
    if (!scaled && w.trace.speed) {
      wrong("workload.trace.speed",
            "means nothing unless workload.trace.timing = \"scaled\"; leave it out or change that");
    }
  }

  // At some time of the run.
  [[nodiscard]] bool is_drawn(const Operation& operation) const {
    return operation.weight > 0 || std::ranges::any_of(scenario_.stages, [&](const Stage& stage) {
             return stage.mix && std::ranges::any_of(stage.mix->entries, [&](const auto& entry) {
                      return entry.operation == operation.name && entry.weight > 0;
                    });
           });
  }

  void backend_time(const BackendTime& time) {
    constexpr std::string_view kKey = "workload.cache_aside.backend_time";
    if (const auto* range = std::get_if<DurationRange>(&time);
        range != nullptr && range->lowest > range->highest) {
      wrong(kKey, "the range goes down from {} to {}; write the shorter one first",
            print_duration(range->lowest), print_duration(range->highest));
    }
    const auto operations = operations_of(scenario_.workload);
    if (std::ranges::none_of(
            operations, [this](const Operation& o) { return o.reads_through && is_drawn(o); })) {
      wrong(kKey,
            "no command is a plain GET of one key, which could miss; give one a weight, or leave "
            "this out");
    }
    if (scenario_.load.reconnect_every > 0) {
      wrong("load.reconnect_every",
            "a connection is not renewed while its slots wait for a backend; give 0, or no "
            "workload.cache_aside");
    }
  }

  void ttl(const Ttl& given) {
    if (const auto* range = std::get_if<TtlRange>(&given);
        range != nullptr && range->lowest > range->highest) {
      wrong("workload.ttl", "the range goes down from {} to {}; write the shorter one first",
            print_duration(range->lowest), print_duration(range->highest));
    }
    const auto whole = [](Nanos duration) {
      return duration % std::chrono::milliseconds{1} == Nanos{0};
    };
    const auto* fixed = std::get_if<Nanos>(&given);
    const auto* range = std::get_if<TtlRange>(&given);
    if ((fixed != nullptr && !whole(*fixed)) ||
        (range != nullptr && !(whole(range->lowest) && whole(range->highest)))) {
      wrong("workload.ttl", "the engine takes whole milliseconds; round it to them");
    }
  }

  void commands() {
    std::set<std::pair<std::string, std::string>> names;  // tenant, command
    const auto& rows = scenario_.workload.commands;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const auto key = [row](std::string_view name) {
        return fmt::format("workload.command.{}.{}", row, name);
      };
      const WeightedCommand& command = rows[row];
      if (command.text.empty()) {
        wrong(key("command"), "is not given; write what to send, such as \"GET __key__\"");
      } else if (const auto line = read_command_line(command.text); !line) {
        wrong(key("command"), "{}", line.error().message);
      } else if (is_cluster(scenario_.target)) {
        if (const auto hashed = hashed_text(*line); !hashed)
          wrong(key("command"), "{}", hashed.error().message);
      }
      if (command.name == "all")
        wrong(key("name"), "\"all\" is what all commands together are called; give another");
      if (command.name == "cache-aside" && scenario_.workload.backend_time) {
        wrong(key("name"),
              "\"cache-aside\" is what the waits of reads that miss are called; give "
              "another");
      }
      if (!command.name.empty() && !names.insert({command.tenant, command.name}).second)
        wrong(key("name"), "\"{}\" is the name of two commands; give another", command.name);
      if (command.value_size) value_size(key("value_size"), *command.value_size);
    }
  }

  [[nodiscard]] bool has_popular_keys() const {
    const Workload& w = scenario_.workload;
    const auto popular = [](const KeyDistribution& keys) {
      return !std::holds_alternative<UniformKeys>(keys) &&
             !std::holds_alternative<SequentialKeys>(keys);
    };
    if (w.commands.empty()) return popular(w.key_distribution);
    return std::ranges::any_of(w.commands, [&](const WeightedCommand& command) {
      return popular(command.keys.value_or(w.key_distribution));
    });
  }

  void load() {
    const Load& l = scenario_.load;
    const std::uint64_t each = std::uint64_t{l.connections} + l.idle_connections;
    const std::uint64_t connections = l.workers * each;
    if (connections > kMostConnections) {
      wrong("load.connections", "{} workers with {} each make {}; at most {} are possible",
            l.workers, grouped(each), grouped(connections), grouped(kMostConnections));
    }
    const std::uint64_t slots = connections * l.pipeline;
    if (l.requests && scenario_.timing.warmup > Nanos{0} && *l.requests < slots) {
      wrong("load.requests",
            "{} is fewer than the {} that are in flight when the warm-up ends; give at least that, "
            "or no timing.warmup",
            grouped(*l.requests), grouped(slots));
    }
    if (l.rate) rate(*l.rate);
    if (l.rate && l.requests) {
      wrong("load.requests",
            "load.rate is given too, at which so many requests are a time; give timing.measure "
            "instead");
    }
    if (l.rate && l.think_time) {
      wrong("load.think_time",
            "load.rate is given too, which alone says when requests are due; leave one of them "
            "out");
    }
    if (l.emulated_rtt && *l.emulated_rtt >= l.request_timeout) {
      wrong("load.emulated_rtt",
            "every request would time out after {} (load.request_timeout); "
            "give less than that",
            print_duration(l.request_timeout));
    }
  }

  void rate(const Rate& rate) {
    const auto is_zero = [](const StepsRate::Step& step) { return step.per_s == 0; };
    const auto* ramp = std::get_if<RampRate>(&rate);
    const auto* steps = std::get_if<StepsRate>(&rate);
    const auto* sine = std::get_if<SineRate>(&rate);
    if ((ramp != nullptr && ramp->from_per_s == 0 && ramp->to_per_s == 0) ||
        (steps != nullptr && std::ranges::all_of(steps->steps, is_zero)))
      wrong("load.rate",
            "it is 0 all the time, and asks for no request; give at least 1 somewhere");
    if (sine != nullptr && sine->amplitude_per_s > sine->mean_per_s) {
      wrong("load.rate", "an AMPLITUDE of {} would make the rate negative; give at most MEAN ({})",
            grouped(sine->amplitude_per_s), grouped(sine->mean_per_s));
    }
  }

  void cluster() {
    const Load& l = scenario_.load;
    const Target& t = scenario_.target;
    if (!is_cluster(t)) {
      if (l.read_from) {
        wrong("load.read_from",
              "only a cluster has replicas that the load finds; give target.cluster = true, or a "
              "replica's own address");
      }
      return;
    }
    if (t.cluster && !scenario_.workload.keys && !scenario_.workload.replays()) {
      wrong("workload.keys",
            "\"auto\" is sized from the memory of one node, not of a cluster; give a number");
    }
    if (!t.socket.empty())
      wrong("target.socket", "a cluster's nodes are found by TCP; give target.host");
    if (l.reconnect_every > 0) {
      wrong("load.reconnect_every",
            "connections of a cluster's clients are not renewed by plan; leave it out");
    }
    if (l.idle_connections > 0)
      wrong("load.idle_connections", "a cluster gets no idle ones; leave it out");
    if (scenario_.workload.verify &&
        l.read_from.value_or(ReadFrom::kPrimary) != ReadFrom::kPrimary) {
      wrong("workload.verify",
            "a replica may rightly be behind, which would count as corrupt; give "
            "load.read_from = \"primary\"");
    }
  }

  void timing() {
    const Timing& t = scenario_.timing;
    if (t.sample_interval > t.measure) {
      wrong("timing.sample_interval", "{} is longer than timing.measure ({}); give at most that",
            print_duration(t.sample_interval), print_duration(t.measure));
    }
  }

  void expectations() {
    if (scenario_.expect.empty() || !lines_.empty()) return;
    std::vector<std::string> operations;
    for (Operation& operation : run_operations(scenario_))
      operations.push_back(std::move(operation.name));
    const bool open = is_open_loop(scenario_);
    for (const Expectation& expectation : scenario_.expect) {
      const std::string why = impossible(expectation, operations, open);
      if (!why.empty()) wrong("expect.conditions", "\"{}\": {}", expectation.text(), why);
    }
  }

  const Scenario& scenario_;
  const PlaceOf& place_of_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> find_contradictions(const Scenario& scenario, const PlaceOf& place_of) {
  std::vector<std::string> lines = Finder(scenario, place_of).find();
  for (std::size_t i = 0; i < scenario.tenants.size(); ++i) {
    const PlaceOf place_of_tenant = [&](std::string_view key) {
      const Key parts = split_key(key);
      const std::string own = fmt::format("tenant.{}.{}", i, parts.name);
      const bool of_a_load = parts.section == "workload" || parts.section == "load";
      return place_of(of_a_load && find_option(own) != nullptr ? std::string_view(own) : key);
    };
    for (std::string& line : Finder(as_tenant(scenario, i), place_of_tenant).find_in_load()) {
      if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
    }
  }
  for (std::string& line : find_load_contradictions(scenario, place_of))
    lines.push_back(std::move(line));
  return lines;
}

}  // namespace headroom::scenario
