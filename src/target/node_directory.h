// The private directory of a local node, which does not outlive its owner for long.
#pragma once

#include <filesystem>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace headroom::target {

// A directory below the system's temporary directory with a file `owner.lock` that its owner keeps
// locked (flock). The kernel lifts the lock when the owner dies, however it dies: a directory whose
// lock can be taken is one that nobody will remove any more (node_list.h).
class NodeDirectory {
 public:
  [[nodiscard]] static Result<NodeDirectory> create();

  [[nodiscard]] const std::filesystem::path& path() const { return directory_.path(); }
  // kTeardown on failure; doing it again does nothing. The destructor does it, too.
  [[nodiscard]] Status remove();

 private:
  NodeDirectory(TempDir directory, UniqueFd lock)
      : lock_(std::move(lock)), directory_(std::move(directory)) {}

  UniqueFd lock_;  // outlives the directory
  TempDir directory_;
};

// The directories of this user's nodes, whether their owners live or not.
[[nodiscard]] std::vector<std::filesystem::path> find_node_directories();

// Takes the lock of a directory whose owner is dead: while the descriptor lives nobody else takes
// it for theirs to remove. Not valid: its owner lives.
[[nodiscard]] UniqueFd lock_abandoned(const std::filesystem::path& directory);

}  // namespace headroom::target
