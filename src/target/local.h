// A cache that Headroom starts on this machine and takes away again: one engine, a primary with
// replicas, or a cluster.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "resp/client.h"
#include "target/engine.h"
#include "target/local_engine.h"
#include "target/target.h"

namespace headroom::target {

// Each engine is a node of its own (local_engine.h): with a directory, a port, and the shape. A
// Headroom that is killed leaves directories and cgroups, and the next run of a local node removes
// them (node_list.h).
//
// A provision() that failed may leave engines or directories behind: teardown() and verify() take
// them down and prove it as after a run that succeeded; the destructor does so without proof.
class Local final : public Target {
 public:
  using ChoosePort = std::function<Result<std::uint16_t>()>;

  // `choose_port` is asked again when another process took the port before an engine could.
  Local(scenario::Target scenario, const Clock& clock, Nanos origin, record::Sink& sink);
  Local(scenario::Target scenario, const Clock& clock, Nanos origin, record::Sink& sink,
        ChoosePort choose_port);

  [[nodiscard]] Result<Description> provision(Nanos deadline) override;
  [[nodiscard]] std::optional<std::string> ended() override;
  // Every node.
  [[nodiscard]] Status answers(Nanos deadline) override;
  // Replicas first: a primary would wait for those that are behind.
  [[nodiscard]] Status teardown(Nanos grace) override;
  // The proofs of every engine.
  [[nodiscard]] Status verify() override;

 private:
  [[nodiscard]] Status prepare();
  [[nodiscard]] Status start_all(Nanos until);
  [[nodiscard]] Status join(Nanos until);
  [[nodiscard]] Result<Description> describe(Nanos until);
  [[nodiscard]] Result<Engine> describe_first(Nanos until);
  [[nodiscard]] Result<Node> describe_node(std::size_t index, const Engine& first, Nanos until);

  // Constant after construction.
  const scenario::Target scenario_;
  const Clock& clock_;
  const Nanos origin_;
  record::Sink& sink_;
  const EngineContext context_;

  std::filesystem::path program_;
  EngineAccess access_;
  std::vector<std::unique_ptr<LocalEngine>> engines_;  // in the order of places_of()
  std::vector<resp::Client> clients_;                  // of the same, while it is provisioned
};

}  // namespace headroom::target
