#include "scenario/contradictions.h"

#include <fmt/format.h>

#include <utility>

#include "base/units.h"

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
    const std::uint64_t memory = scenario_.target.maxmemory_bytes;
    if (scenario_.target.kind == TargetKind::kLocal && w.value_bytes >= memory) {
      wrong("workload.value_size", "no value of {} fits into target.maxmemory ({})",
            print_bytes(w.value_bytes), print_bytes(memory));
    }
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
