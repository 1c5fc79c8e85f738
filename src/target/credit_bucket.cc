#include "target/credit_bucket.h"

#include <algorithm>

#include "base/check.h"

namespace headroom::target {
namespace {

constexpr double kSecondsOfACredit = 60;

}  // namespace

CreditBucket::CreditBucket(const scenario::CpuEnvelope& envelope)
    : full_(envelope.vcpus),
      baseline_(envelope.baseline_vcpus()),
      max_(envelope.credits.value_or(scenario::CreditBucketSize{}).max),
      balance_(envelope.credits.value_or(scenario::CreditBucketSize{}).initial),
      exhausted_(balance_ <= 0) {
  check(envelope.credits.has_value(), "only a burstable node has a bucket");
}

void CreditBucket::advance(double elapsed_s, double cpu_s) {
  const double used = cpu_s / kSecondsOfACredit;
  spent_ += used;
  balance_ = std::min(max_, balance_ + elapsed_s * baseline_ / kSecondsOfACredit - used);
  const double burst = std::min(max_, full_ * kBurstSeconds / kSecondsOfACredit);
  if (balance_ <= 0) {
    exhausted_ = true;
  } else if (balance_ >= burst) {
    exhausted_ = false;
  }
}

}  // namespace headroom::target
