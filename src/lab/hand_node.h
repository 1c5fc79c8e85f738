// A local node to use by hand: brought up with its limits on, kept until it is told to end, taken
// down and proved gone.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/result.h"
#include "scenario/scenario.h"
#include "target/target.h"

namespace headroom::lab {

// What its user is told. Called on the thread that holds the node, but warned(), which any may.
struct HandNodeTold {
  // It answers. `facts` as in a run file ("node.cpu", "node.directory").
  std::function<void(const target::Description&, const std::map<std::string, std::string>& facts)>
      ready;
  std::function<void(const std::string& line)> warned;  // of limits that are not held; of credits
  std::function<void(const record::Receipt&)> receipt;  // of its end
};

// Returns when it is gone: after SIGINT, SIGTERM or SIGHUP, or when the engine ended by itself
// (kTarget). kTeardown: something may be left. Needs block_interrupts() to have been called.
[[nodiscard]] Status hold_node(const scenario::Target& scenario, const HandNodeTold& told);

}  // namespace headroom::lab
