// Processes that our children left to us. Internal to base.
//
// A child may fork a process that leaves its group and session (a daemon does), so that no signal
// to the child or its group reaches it. The kernel hands such a process to the nearest ancestor
// that asked for it (PR_SET_CHILD_SUBREAPER) when its own parent ends; we ask, and so find it.
#pragma once

#include <sys/types.h>

#include <functional>
#include <mutex>
#include <set>

namespace headroom {

// Whose each of our children is. Thread-safe; one per process.
class Orphans {
 public:
  // The first call makes this process the reaper of its descendants.
  static Orphans& instance();

  // Runs `fork`, which returns a pid or a negative value, and owns the child it made.
  pid_t adopt(const std::function<pid_t()>& fork);

  // `child` is owned and has ended: kills its process group, reaps it, and then kills and reaps
  // what it left behind. That is, again and again until there is none, every process whose parent
  // is us except those
  // - that are owned, or in the session of one that is: these are another child's business;
  // - in our own session: forked by other code of this process. (Nothing that a child of ours forks
  //   can be in it, as the child begins a session of its own and none can be joined.)
  // - that were our children before instance() was first called: a shell that became us by exec.
  //
  // What two children that live at the same time made daemons of cannot be told apart: the end of
  // either ends them all. As process 1 we get orphans that are none of ours; then only those in the
  // child's session are ended, and the kernel ends the others with us.
  void end(pid_t child);

 private:
  Orphans();
  // Kills and reaps what is there now; false if there was nothing.
  [[nodiscard]] bool sweep(pid_t child);

  std::mutex mutex_;  // also keeps a pid ours from the look at it to the signal
  std::set<pid_t> owned_;
  std::set<pid_t> strangers_;
  pid_t own_session_ = -1;
};

}  // namespace headroom
