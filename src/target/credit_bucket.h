// The CPU credits of a burstable node, as a function of the CPU it used. Pure.
#pragma once

#include "scenario/node.h"

namespace headroom::target {

// One credit is one vCPU for a minute. Credits are earned all the time, at most up to what the
// bucket holds, and spent by using CPU. With none left the node falls back to its baseline, which
// is exactly what it earns; only rest fills the bucket again. (Amazon EC2, burstable instances in
// standard mode: there the fall takes minutes, here it is at once.)
class CreditBucket {
 public:
  // `envelope` has credits.
  explicit CreditBucket(const scenario::CpuEnvelope& envelope);

  // `elapsed_s` seconds went by, in which the node used `cpu_s` seconds of CPU. What was used
  // before its end was noticed is a debt that is paid first.
  void advance(double elapsed_s, double cpu_s);

  [[nodiscard]] double balance() const { return balance_ > 0 ? balance_ : 0; }
  [[nodiscard]] double spent() const { return spent_; }  // since the start
  // Gone, and not yet again enough for kBurst at full speed: a node at its baseline would otherwise
  // go back and forth with every sample.
  [[nodiscard]] bool exhausted() const { return exhausted_; }
  // What the node may use now.
  [[nodiscard]] double vcpus() const { return exhausted_ ? baseline_ : full_; }

  static constexpr double kBurstSeconds = 5;

 private:
  double full_;
  double baseline_;
  double max_;
  double balance_;  // below zero: a debt
  double spent_ = 0;
  bool exhausted_ = false;
};

}  // namespace headroom::target
