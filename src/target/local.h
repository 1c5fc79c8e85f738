// A cache node that Headroom starts on this machine and takes away again.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/subprocess.h"
#include "resp/client.h"
#include "target/confinement.h"
#include "target/node_directory.h"
#include "target/target.h"

namespace headroom::target {

// The engine runs in a private directory with a configuration file of its own, listens on 127.0.0.1
// alone, persists nothing, and dies with Headroom (Subprocess). Its output goes to a file in that
// directory and is quoted when it fails. With a CPU envelope it runs in a cgroup of its own from
// its first instruction on (confinement.h). A Headroom that is killed leaves directory and cgroup,
// and the next run of a local node removes them (node_list.h).
//
// A provision() that failed may leave an engine or a directory behind: teardown() and verify() take
// them down and prove it as after a run that succeeded; the destructor does so without proof.
class Local final : public Target {
 public:
  using ChoosePort = std::function<Result<std::uint16_t>()>;

  // `choose_port` is asked again when another process took the port before the engine could.
  Local(scenario::Target scenario, const Clock& clock, Nanos origin, record::Sink& sink);
  Local(scenario::Target scenario, const Clock& clock, Nanos origin, record::Sink& sink,
        ChoosePort choose_port);

  [[nodiscard]] Result<Description> provision(Nanos deadline) override;
  [[nodiscard]] std::optional<std::string> ended() override;
  [[nodiscard]] Status answers(Nanos deadline) override;
  // SIGTERM, then SIGKILL when `grace` is over; a stopped engine is continued first. Then cgroup
  // and directory are removed.
  [[nodiscard]] Status teardown(Nanos grace) override;
  // A proof each: no such process, connection refused, no such cgroup (if there was one), no such
  // directory.
  [[nodiscard]] Status verify() override;

 private:
  [[nodiscard]] Status prepare();
  [[nodiscard]] resp::Server server() const;
  // Starts the engine on a port and waits until it answers; nullopt if the port was taken.
  [[nodiscard]] Result<std::optional<resp::Client>> start_once(Nanos until);
  [[nodiscard]] Result<Subprocess> start_confined(SubprocessOptions options);
  [[nodiscard]] Result<std::optional<resp::Client>> wait_until_it_answers(Nanos until);
  [[nodiscard]] Result<bool> is_ours(resp::Client& client, Nanos until);
  [[nodiscard]] Result<Description> describe(resp::Client& client, Nanos until);
  [[nodiscard]] std::string configuration() const;
  [[nodiscard]] std::string last_words() const;
  void receipt(std::string what, std::string evidence, bool proved);
  [[nodiscard]] bool prove_process_gone();
  [[nodiscard]] bool prove_port_closed();
  [[nodiscard]] bool is_another_engine(resp::Client& client, Nanos until) const;
  [[nodiscard]] bool prove_directory_removed();

  // Constant after construction.
  scenario::Target scenario_;
  const Clock& clock_;
  Nanos origin_;
  record::Sink& sink_;
  ChoosePort choose_port_;

  std::filesystem::path program_;
  std::optional<NodeDirectory> directory_;
  std::filesystem::path directory_path_;  // stays when the directory goes
  Confinement confinement_;
  std::optional<Subprocess> process_;
  pid_t pid_ = -1;          // of the engine started last, or -1
  std::string start_time_;  // of that process, as the kernel tells it: pids are used again
  net::Address address_;
  std::string run_id_;
  std::optional<std::string> ended_;
};

}  // namespace headroom::target
