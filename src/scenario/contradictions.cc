#include "scenario/contradictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/units.h"
#include "scenario/command_line.h"

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
    workload();
    load();
    timing();
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

  void workload() {
    const Workload& w = scenario_.workload;
    if (w.keys && *w.keys < scenario_.load.workers) {
      wrong("workload.keys", "{} is fewer than load.workers ({}), and each needs a key of its own",
            grouped(*w.keys), scenario_.load.workers);
    }
    value_size("workload.value_size", w.value_size);
    if (w.ttl) ttl(*w.ttl);
    if (w.verify && smallest_bytes(w.value_size) < kLeastVerifiedBytes) {
      wrong("workload.verify", "values of {} have no room for the stamp of {}; give larger ones",
            print_bytes(smallest_bytes(w.value_size)), print_bytes(kLeastVerifiedBytes));
    }
    commands();
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
    std::set<std::string> names;
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
      }
      if (command.name == "all")
        wrong(key("name"), "\"all\" is what all commands together are called; give another");
      if (!command.name.empty() && !names.insert(command.name).second)
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
  }

  void timing() {
    const Timing& t = scenario_.timing;
    if (t.sample_interval > t.measure) {
      wrong("timing.sample_interval", "{} is longer than timing.measure ({}); give at most that",
            print_duration(t.sample_interval), print_duration(t.measure));
    }
  }

  const Scenario& scenario_;
  const PlaceOf& place_of_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> find_contradictions(const Scenario& scenario, const PlaceOf& place_of) {
  return Finder(scenario, place_of).find();
}

}  // namespace headroom::scenario
