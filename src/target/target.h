// The cache under test, whatever its kind: made or looked at, described, taken down, proved gone.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "record/metric.h"
#include "record/sink.h"
#include "resp/server.h"
#include "scenario/scenario.h"

namespace headroom::target {

// What is known of a target once it answers.
struct Description {
  resp::Server server;   // with the address that answered
  bool cluster = false;  // it is one node of a cluster, all of which is the target
  std::string engine;    // "valkey", "redis", or what it calls itself
  std::string version;
  std::optional<std::uint64_t> maxmemory_bytes;    // nullopt: unlimited or not told
  std::optional<std::uint64_t> node_memory_bytes;  // of the whole node, where known or implied
  std::string maxmemory_policy;
  std::optional<pid_t> pid;  // of the engine, when it is ours on this machine
  bool on_this_host = false;
  // More of the node, beside its process: CPU quota and credits. Any thread, until teardown().
  // Empty: there is nothing more.
  std::function<std::vector<record::Sample>()> sample_node;
  std::uint64_t existing_keys = 0;
};

// One owner thread.
class Target {
 public:
  virtual ~Target() = default;  // takes down what is still up, without proof
  // Makes the target ready for load within `deadline` (clock time) and describes it; leaves facts
  // ("engine.version", "engine.config.maxmemory", "clock.target_offset_ns", ...) in the sink.
  [[nodiscard]] virtual Result<Description> provision(Nanos deadline) = 0;
  // Any thread. A provision() that waits for the target to start gives up soon and fails.
  void give_up() { given_up_ = true; }
  // If a target that is ours has ended by itself: how ("killed by signal 9 (Killed)"). Cheap.
  [[nodiscard]] virtual std::optional<std::string> ended() = 0;
  // Does what was provisioned answer a new connection by `deadline` (clock time)? The Error
  // (kTarget) says what it did instead.
  [[nodiscard]] virtual Status answers(Nanos deadline) = 0;
  // Takes down what provision() made; leaves a receipt for each step. Never waits past `grace`.
  [[nodiscard]] virtual Status teardown(Nanos grace) = 0;
  // Proves that everything made is gone; a receipt per proof. Fails (kTeardown), naming what is
  // left, if anything is.
  [[nodiscard]] virtual Status verify() = 0;

 protected:
  [[nodiscard]] bool given_up() const { return given_up_; }

 private:
  std::atomic<bool> given_up_{false};
};

// What can be known to be wrong with a target before anything is made or contacted: a password, a
// certificate or a key that is named but not there (kUsage), a server program that cannot be found
// or executed (kTarget).
[[nodiscard]] Status preflight(const scenario::Target& scenario);

// `clock` and `sink` outlive the target; `origin` is the clock time of run time 0.
[[nodiscard]] std::unique_ptr<Target> make_target(const scenario::Target& scenario,
                                                  const Clock& clock, Nanos origin,
                                                  record::Sink& sink);

}  // namespace headroom::target
