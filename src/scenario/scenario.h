// What to run, fully resolved. A Scenario is only ever made by scenario/parse.h, so one that exists
// is valid: every value in range, no contradictions. Copyable noun, no behaviour.
//
// The options, their ranges, defaults and help stand in scenario/options.cc and nowhere else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "scenario/expectation.h"
#include "scenario/workload.h"

namespace headroom::scenario {

enum class TargetKind { kLocal, kEndpoint };
enum class Protocol { kResp2, kResp3 };
enum class TlsVersion { k12, k13 };
// Which nodes of a cluster commands go to that only read.
enum class ReadFrom { kPrimary, kReplica, kAny };

struct Target {
  TargetKind kind = TargetKind::kLocal;
  Protocol protocol = Protocol::kResp2;
  // kind = "endpoint"; target.uri is another way to write the next five and `tls`
  std::string host;  // empty when `socket` is set
  std::uint16_t port = 0;
  std::string socket;          // path of a unix socket, or empty
  std::string username;        // ACL user, or empty for the default user
  std::uint32_t database = 0;  // that is SELECTed
  std::string password_file;   // where the password is read from; the password itself is never here
  std::string password_env;    // name of an environment variable that holds it
  bool tls = false;
  // With TLS; all paths are of PEM files or directories of them, and empty when not given.
  std::string tls_ca_file;
  std::string tls_ca_directory;
  std::string tls_certificate;
  std::string tls_key;
  std::string tls_server_name;  // empty: the host
  bool tls_verify = true;
  TlsVersion tls_minimum = TlsVersion::k12;
  bool allow_existing_data = false;
  bool cluster = false;  // the address is that of any node of it
  // kind = "local"
  std::string engine_path;  // a path, or a program on PATH; empty: valkey-server, else redis-server
  std::string engine_args;  // scenario/engine_settings.h; empty: a configuration file is written
  std::string engine_config;            // lines of that file (engine_settings.h)
  std::uint32_t replicas = 0;           // of the primary; with `shards`, of each shard's
  std::optional<std::uint32_t> shards;  // of a cluster; absent: no cluster mode
  std::string acl_user;                 // made for the run, with a password of its own; or empty
  std::uint64_t maxmemory_bytes = 0;    // of each node
  std::string maxmemory_policy;
  // The node's shape. All numbers are resolved: with a shape they are those of its type.
  std::optional<std::string> shape;  // a name of scenario/node_shapes.h
  std::optional<std::uint64_t> memory_bytes;
  std::optional<double> reserved_memory_pct;  // this and the next: present with memory_bytes
  std::optional<double> scale;
  std::optional<double> vcpus;
  std::optional<double> credits_per_hour;  // of burstable nodes; the next two: present with it
  std::optional<double> credits_max;
  std::optional<double> credits_initial;
  friend bool operator==(const Target&, const Target&) = default;
};

// Requests per second, all workers together, over the time since `measure` began; before that, in
// the warm-up, it is what it begins with.
struct ConstantRate {
  std::uint64_t per_s = 0;
  friend bool operator==(const ConstantRate&, const ConstantRate&) = default;
};
struct RampRate {  // linear; then holds `to_per_s`
  std::uint64_t from_per_s = 0;
  std::uint64_t to_per_s = 0;
  Nanos over{0};
  friend bool operator==(const RampRate&, const RampRate&) = default;
};
struct StepsRate {  // the last one holds
  struct Step {
    std::uint64_t per_s = 0;
    Nanos length{0};
    friend bool operator==(const Step&, const Step&) = default;
  };
  std::vector<Step> steps;
  friend bool operator==(const StepsRate&, const StepsRate&) = default;
};
struct SineRate {  // mean + amplitude * sin(2 pi t / period)
  std::uint64_t mean_per_s = 0;
  std::uint64_t amplitude_per_s = 0;
  Nanos period{0};
  friend bool operator==(const SineRate&, const SineRate&) = default;
};
struct FileRate {  // load/rate_curve.h has its format
  std::string path;
  friend bool operator==(const FileRate&, const FileRate&) = default;
};
using Rate = std::variant<ConstantRate, RampRate, StepsRate, SineRate, FileRate>;

enum class Arrivals { kEven, kPoisson };

// Between a reply and the next request of the slot that it freed.
struct ThinkTime {
  enum class Kind { kFixed, kExponential };
  Kind kind = Kind::kFixed;
  Nanos mean{0};
  friend bool operator==(const ThinkTime&, const ThinkTime&) = default;
};

struct Load {
  std::uint32_t workers = 0;
  // Per worker; of a cluster these are clients, each with a connection to every node it needs.
  std::uint32_t connections = 0;
  std::uint32_t pipeline = 0;  // requests in flight per connection; of a cluster, per client
  Nanos connect_timeout{0};
  Nanos request_timeout{0};
  std::uint64_t reconnect_every = 0;  // requests, after which a connection is opened anew; 0: never
  std::uint32_t idle_connections = 0;  // per worker, besides `connections`
  Nanos connect_spread{0};             // over which the connections are opened
  // Of `measure`, all workers together; nullopt: as many as there is time for.
  std::optional<std::uint64_t> requests = std::nullopt;
  std::optional<Rate> rate = std::nullopt;  // open loop; absent: closed loop
  Arrivals arrivals = Arrivals::kEven;      // with a rate
  std::optional<ThinkTime> think_time = std::nullopt;
  std::optional<Nanos> emulated_rtt = std::nullopt;  // round trip that the client adds
  bool keep_slowest = false;  // remember the slowest requests of `measure` one by one
  bool fine_splits = false;  // latency by value size, by hot and cold keys, where there are several
  std::optional<double> request_log = std::nullopt;  // share of the requests of `measure`
  std::optional<ReadFrom> read_from = std::nullopt;  // of a cluster; absent: the primary
  friend bool operator==(const Load&, const Load&) = default;
};

// One of several loads of a run. What it does not say itself is as in [workload] and [load].
struct Tenant {
  std::string name;
  std::string keys_of;  // another tenant, in whose key space it works; empty: in its own
  Workload workload;    // with the commands of [[workload.command]] that are its own
  Load load;
  friend bool operator==(const Tenant&, const Tenant&) = default;
};

// Of a stage: so many times the rate of the load.
struct RateFactor {
  double factor = 1;
  friend bool operator==(const RateFactor&, const RateFactor&) = default;
};
// A Rate runs over the time since its stage began.
using StageRate = std::variant<RateFactor, Rate>;

// Connections of each worker that are used; in a stage from its begin to its end, evenly.
struct ConnectionsInUse {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  friend bool operator==(const ConnectionsInUse&, const ConnectionsInUse&) = default;
};

// Operations by name, and how often each is drawn beside the others; those not named never are.
struct Mix {
  struct Entry {
    std::string operation;
    std::uint32_t weight = 0;
    friend bool operator==(const Entry&, const Entry&) = default;
  };
  std::vector<Entry> entries;
  friend bool operator==(const Mix&, const Mix&) = default;
};

// SETs of new keys in sequence, by a worker of their own.
struct FillTask {
  std::optional<std::uint64_t> per_s;  // open loop
  std::uint32_t connections = 1;
  friend bool operator==(const FillTask&, const FillTask&) = default;
};

// A named window of `measure`, and what changes while it lasts. What is absent stays as it is.
struct Stage {
  std::string name;
  std::optional<Nanos> at;            // since measure began; always present in a valid scenario
  std::optional<Nanos> length;        // absent: until the next stage, or the end of measure
  std::optional<Nanos> repeat_every;  // absent: once
  std::string tenant;                 // whose load it changes; empty: every one
  std::optional<StageRate> rate;
  std::optional<ConnectionsInUse> connections;
  std::optional<ThinkTime> think_time;
  std::optional<Mix> mix;
  std::optional<FillTask> fill;
  std::optional<ValueSize> fill_value_size;  // absent: the workload's
  friend bool operator==(const Stage&, const Stage&) = default;
};

inline constexpr std::size_t kMostTenants = 32;
inline constexpr std::size_t kMostStages = 64;

struct Timing {
  Nanos warmup{0};
  Nanos measure{0};
  Nanos drain{0};            // how long replies in flight are waited for after `measure`
  Nanos sample_interval{0};  // telemetry
  friend bool operator==(const Timing&, const Timing&) = default;
};

// Who is told of every receipt, beside the run file.
struct Notify {
  std::string command;         // of a shell, or empty
  std::string webhook;         // a URL, or empty
  std::string webhook_env;     // name of an environment variable that holds it
  std::uint32_t attempts = 0;  // this and the next: 0 without any of the above
  Nanos timeout{0};            // of each attempt
  friend bool operator==(const Notify&, const Notify&) = default;
};

struct Scenario {
  std::string name;
  std::string description;
  std::uint64_t seed = 0;
  Target target;
  Workload workload;
  Load load;
  std::vector<Tenant> tenants;  // empty: one load, that of `workload` and `load`
  Timing timing;
  std::vector<Stage> stages;        // in the order of their begins
  std::vector<Expectation> expect;  // of the run; none: nothing in particular
  Notify notify;
  friend bool operator==(const Scenario&, const Scenario&) = default;
};

}  // namespace headroom::scenario
