// The private directory of a local node, which does not outlive its owner for long.
#pragma once

#include <filesystem>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace headroom::target {

// A directory below the system's temporary directory with a file `owner.lock` that its owner keeps
// locked (flock). The kernel lifts the lock when the owner dies, however it dies: a directory whose
// lock can be taken is one that nobody will remove any more.
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

// Removes the directories of this user whose owner is dead (killed with SIGKILL, or told to leave
// at once), and returns those that are gone. What cannot be removed is left. Any number of
// processes may do this at the same time.
[[nodiscard]] std::vector<std::filesystem::path> remove_abandoned_node_directories();

}  // namespace headroom::target
