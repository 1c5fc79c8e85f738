// Holds a local node to its CPU envelope while it runs: watches the group's CPU, keeps the account
// of its credits, and changes the quota when they are gone or back.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "record/sink.h"
#include "scenario/node.h"
#include "target/cgroup.h"
#include "target/credit_bucket.h"

namespace headroom::target {

// The group has its full quota before this. A node without credits needs no watching and gets no
// thread. Changes of the quota are notes in the sink; one that the kernel refuses is a warning, and
// no more is tried.
class CpuGovernor {
 public:
  // How often the account is kept: what a node uses beyond its last credit is at most this long.
  static constexpr Nanos kTurn = std::chrono::milliseconds{100};

  // `group`, `clock` and `sink` outlive this; `origin` is the clock time of run time 0.
  CpuGovernor(CpuGroup& group, const scenario::CpuEnvelope& envelope, const Clock& clock,
              Nanos origin, record::Sink& sink);
  ~CpuGovernor();
  CpuGovernor(const CpuGovernor&) = delete;
  CpuGovernor& operator=(const CpuGovernor&) = delete;

  // The node's CPU and credits now. Any thread.
  [[nodiscard]] std::vector<record::Sample> sample();

 private:
  void run();
  [[nodiscard]] std::optional<CpuUse> keep_account();  // with mutex_
  void change_quota(double vcpus);                     // with mutex_

  // Constant after construction.
  const scenario::CpuEnvelope envelope_;
  const Clock& clock_;
  const Nanos origin_;
  record::Sink& sink_;
  // Guarded by mutex_.
  std::mutex mutex_;
  std::condition_variable wanted_;  // the end
  CpuGroup& group_;
  std::optional<CreditBucket> bucket_;
  double vcpus_;  // of the quota that is set
  Nanos last_{0};
  double last_cpu_s_ = 0;
  bool refused_ = false;
  bool stop_ = false;

  std::thread thread_;  // the owner's
};

}  // namespace headroom::target
