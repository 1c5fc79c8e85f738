#include "target/credit_bucket.h"

#include <gtest/gtest.h>

namespace headroom::target {
namespace {

scenario::CpuEnvelope envelope(double vcpus, double per_hour, double max, double initial) {
  return {vcpus, scenario::CreditBucketSize{per_hour, max, initial}};
}

TEST(CreditBucket, IsSpentByUseAndFilledByTime) {
  CreditBucket bucket(envelope(2, 12, 288, 10));
  bucket.advance(60, 120);  // two vCPUs for a minute
  EXPECT_DOUBLE_EQ(bucket.balance(), 10 - 2 + 0.2);
  EXPECT_DOUBLE_EQ(bucket.spent(), 2);
  bucket.advance(3600, 0);
  EXPECT_DOUBLE_EQ(bucket.balance(), 10 - 2 + 0.2 + 12);
  EXPECT_DOUBLE_EQ(bucket.spent(), 2);
  EXPECT_EQ(bucket.vcpus(), 2);
}

TEST(CreditBucket, HoldsNoMoreThanItsMaximum) {
  CreditBucket bucket(envelope(2, 12, 288, 288));
  bucket.advance(7200, 0);
  EXPECT_EQ(bucket.balance(), 288);
}

TEST(CreditBucket, FallsToTheBaselineWhenItIsEmptyAndStaysThere) {
  CreditBucket bucket(envelope(1, 12, 288, 1));  // a minute at full speed, and what it earns
  double until = 0;
  while (!bucket.exhausted()) {
    bucket.advance(0.1, 0.1);
    until += 0.1;
  }
  EXPECT_NEAR(until, 60 / 0.8, 0.11) << "spends 1, earns 0.2";
  EXPECT_DOUBLE_EQ(bucket.vcpus(), 0.2);
  // At the baseline it earns what it spends; a sample more or less changes nothing.
  for (int i = 0; i < 1000; ++i) {
    bucket.advance(0.1, i % 2 == 0 ? 0.021 : 0.019);
    EXPECT_TRUE(bucket.exhausted());
    EXPECT_LT(bucket.balance(), 0.001);
  }
}

TEST(CreditBucket, ComesBackWhenItHasEnoughForABurst) {
  CreditBucket bucket(envelope(1, 12, 288, 0));
  EXPECT_TRUE(bucket.exhausted());
  const double needed = CreditBucket::kBurstSeconds / 60;
  bucket.advance(3600 * needed / 12 - 1, 0);
  EXPECT_TRUE(bucket.exhausted());
  EXPECT_GT(bucket.balance(), 0);
  bucket.advance(2, 0);
  EXPECT_FALSE(bucket.exhausted());
  EXPECT_EQ(bucket.vcpus(), 1);
}

TEST(CreditBucket, OwesWhatWasUsedBeforeItsEndWasNoticed) {
  CreditBucket bucket(envelope(2, 12, 288, 1));
  bucket.advance(60, 120);
  EXPECT_EQ(bucket.balance(), 0);
  EXPECT_TRUE(bucket.exhausted());
  bucket.advance(240, 0);  // 0.8 earned, 0.8 owed
  EXPECT_NEAR(bucket.balance(), 0, 1e-9);
}

TEST(CreditBucket, OneThatCanHoldNothingIsAlwaysEmpty) {
  CreditBucket bucket(envelope(2, 12, 0, 0));
  bucket.advance(3600, 0);
  EXPECT_TRUE(bucket.exhausted());
  EXPECT_EQ(bucket.balance(), 0);
}

}  // namespace
}  // namespace headroom::target
