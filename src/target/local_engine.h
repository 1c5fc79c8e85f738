// One engine process of a local target: started in a private directory, confined, described, taken
// down, proved gone.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/subprocess.h"
#include "resp/client.h"
#include "target/access.h"
#include "target/confinement.h"
#include "target/labelled_sink.h"
#include "target/node_directory.h"
#include "target/topology.h"

namespace headroom::target {

// What all engines of a target share. All that it refers to outlives them.
struct EngineContext {
  const scenario::Target& scenario;
  const Clock& clock;
  Nanos origin;  // clock time of run time 0
  record::Sink& sink;
  std::function<Result<std::uint16_t>()> choose_port;
  std::function<bool()> given_up;  // nobody waits for it any more
};

// Listens on 127.0.0.1 alone, persists nothing unless it is told to, and dies with Headroom
// (Subprocess). Its output goes to a file in its directory and is quoted when it fails. With a CPU
// envelope it runs in a cgroup of its own from its first instruction on (confinement.h). One owner
// thread, but for sample().
class LocalEngine {
 public:
  // `number` among the engines of the target, from 1.
  LocalEngine(const EngineContext& context, Place place, std::size_t number);
  LocalEngine(const LocalEngine&) = delete;
  LocalEngine& operator=(const LocalEngine&) = delete;

  // Makes its directory and its cgroup.
  [[nodiscard]] Status prepare();
  // Starts `program` on a free port and waits, until a time of real_clock(), for its answer. A
  // replica follows `primary`.
  [[nodiscard]] Result<resp::Client> start(const std::filesystem::path& program,
                                           const EngineAccess& access,
                                           const std::optional<net::Address>& primary, Nanos until);
  // Tells others what it is (node_list.h). `engine`: "valkey 9.1.2".
  [[nodiscard]] Status show(const std::string& engine) const;

  [[nodiscard]] const Place& place() const { return place_; }
  [[nodiscard]] resp::Server server() const;
  [[nodiscard]] const net::Address& address() const { return address_; }
  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] const std::filesystem::path& directory() const { return directory_path_; }
  [[nodiscard]] record::Sink& sink() { return sink_; }
  void set_run_id(std::string run_id) { run_id_ = std::move(run_id); }
  // CPU and credits now. Any thread, from start() until stop().
  [[nodiscard]] std::vector<record::Sample> sample() { return confinement_.sample(); }

  // If it has ended by itself: how. Cheap.
  [[nodiscard]] std::optional<std::string> ended();
  // SIGTERM, then SIGKILL when `grace` is over; a stopped engine is continued first. Then cgroup
  // and directory are removed.
  [[nodiscard]] Status teardown(Nanos grace);
  // A receipt for each proof: no such process, connection refused, no such cgroup (if there was
  // one), no such directory. What is left, in words; empty: nothing.
  [[nodiscard]] std::vector<std::string> verify();

 private:
  // nullopt if the port was taken.
  [[nodiscard]] Result<std::optional<resp::Client>> start_once(Nanos until);
  [[nodiscard]] Result<std::uint16_t> choose_port() const;
  [[nodiscard]] Result<std::vector<std::string>> command_line() const;
  [[nodiscard]] std::string configuration() const;
  [[nodiscard]] Result<Subprocess> start_confined(SubprocessOptions options);
  [[nodiscard]] Result<std::optional<resp::Client>> wait_until_it_answers(Nanos until);
  [[nodiscard]] Result<bool> is_ours(resp::Client& client, Nanos until);
  [[nodiscard]] std::string name() const;  // for messages
  [[nodiscard]] std::string last_words() const;
  void receipt(std::string what, std::string evidence, bool proved);
  [[nodiscard]] bool prove_process_gone();
  [[nodiscard]] bool prove_port_closed();
  [[nodiscard]] bool prove_bus_closed();
  [[nodiscard]] bool is_another_engine(resp::Client& client, Nanos until) const;
  [[nodiscard]] bool prove_directory_removed();

  // Constant after construction.
  const EngineContext& context_;
  const Place place_;
  LabelledSink sink_;

  std::filesystem::path program_;
  EngineAccess access_;
  std::optional<net::Address> primary_;
  std::optional<NodeDirectory> directory_;
  std::filesystem::path directory_path_;  // stays when the directory goes
  Confinement confinement_;
  std::optional<Subprocess> process_;
  pid_t pid_ = -1;          // of the process started last, or -1
  std::string start_time_;  // of that process, as the kernel tells it: pids are used again
  net::Address address_;
  std::string run_id_;
  std::optional<std::string> ended_;
};

}  // namespace headroom::target
