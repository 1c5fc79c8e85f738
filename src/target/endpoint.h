// A cache that somebody else runs: looked at, used, left as it is.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "resp/client.h"
#include "target/target.h"

namespace headroom::target {

// Headroom starts and stops nothing here and never flushes: the keys that a run writes stay. So
// teardown() asks once whether the cache still answers, and how many keys it holds, and leaves that
// as its receipt, which is not proved if there was no answer. Neither teardown() nor verify() fails
// for that: nothing of ours is left, and what a dead cache means for the run is the run's to say.
class Endpoint final : public Target {
 public:
  Endpoint(scenario::Target scenario, const Clock& clock, Nanos origin, record::Sink& sink)
      : scenario_(std::move(scenario)), clock_(clock), origin_(origin), sink_(sink) {}

  // Refuses, besides what cannot be reached or wants another password: a replica (it takes no
  // writes), one shard of a cluster of several unless the scenario says that it is one, and keys
  // that are there already, unless the scenario allows them. Description::server has the numeric
  // address that answered, so that every connection of the run goes to the same node.
  [[nodiscard]] Result<Description> provision(Nanos deadline) override;
  [[nodiscard]] std::optional<std::string> ended() override { return std::nullopt; }
  [[nodiscard]] Status answers(Nanos deadline) override;
  [[nodiscard]] Status teardown(Nanos grace) override;
  [[nodiscard]] Status verify() override { return {}; }

 private:
  scenario::Target scenario_;
  const Clock& clock_;
  Nanos origin_;
  record::Sink& sink_;
  std::optional<resp::Server> server_;  // that was provisioned
  net::Address given_;                  // as the scenario names it
};

}  // namespace headroom::target
