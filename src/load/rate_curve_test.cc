#include "load/rate_curve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

namespace headroom::load {
namespace {

using namespace std::chrono_literals;
using scenario::ConstantRate;
using scenario::FileRate;
using scenario::RampRate;
using scenario::Rate;
using scenario::SineRate;
using scenario::StepsRate;
using testing::HasSubstr;

RateCurve curve_of(const Rate& rate, Nanos lead_in = 0s) {
  auto curve = RateCurve::make(rate);
  EXPECT_TRUE(curve) << (curve ? "" : curve.error().message);
  return curve->after(lead_in);
}

class RateFile {
 public:
  explicit RateFile(const std::string& text)
      : path_(std::filesystem::path(testing::TempDir()) /
              ("rate_" + std::to_string(reinterpret_cast<std::uintptr_t>(this)) + ".csv")) {
    std::ofstream(path_) << text;
  }
  RateFile(const RateFile&) = delete;
  RateFile& operator=(const RateFile&) = delete;
  ~RateFile() { std::filesystem::remove(path_); }
  [[nodiscard]] Rate rate() const { return FileRate{path_.string()}; }
  [[nodiscard]] std::string error() const {
    const auto curve = RateCurve::make(rate());
    return curve ? "no error" : curve.error().message;
  }

 private:
  std::filesystem::path path_;
};

TEST(RateCurve, OfAConstantRateGrowsEvenly) {
  const RateCurve curve = curve_of(ConstantRate{1'000});
  EXPECT_DOUBLE_EQ(curve.expected_by(0s), 0);
  EXPECT_DOUBLE_EQ(curve.expected_by(1500ms), 1'500);
  EXPECT_DOUBLE_EQ(curve.rate_per_s(5s), 1'000);
}

TEST(RateCurve, OfARampIsTheTrapezoidBelowItAndThenHolds) {
  const RateCurve curve = curve_of(RampRate{100, 300, 10s});
  EXPECT_DOUBLE_EQ(curve.rate_per_s(5s), 200);
  EXPECT_DOUBLE_EQ(curve.expected_by(5s), 750);
  EXPECT_DOUBLE_EQ(curve.expected_by(10s), 2'000);
  EXPECT_DOUBLE_EQ(curve.expected_by(12s), 2'600);
}

TEST(RateCurve, OfStepsIsTheSumOfThemAndTheLastOneHolds) {
  const RateCurve curve = curve_of(StepsRate{{{100, 2s}, {0, 1s}, {500, 1s}}});
  EXPECT_DOUBLE_EQ(curve.expected_by(2s), 200);
  EXPECT_DOUBLE_EQ(curve.expected_by(2500ms), 200);
  EXPECT_DOUBLE_EQ(curve.expected_by(5s), 1'200);
  EXPECT_DOUBLE_EQ(curve.rate_per_s(2500ms), 0);
}

TEST(RateCurve, OfASineIsItsMeanOverWholePeriods) {
  const RateCurve curve = curve_of(SineRate{1'000, 400, 10s});
  EXPECT_NEAR(curve.expected_by(30s), 30'000, 1e-6);
  EXPECT_NEAR(curve.rate_per_s(2500ms), 1'400, 1e-9);
  EXPECT_NEAR(curve.expected_by(5s), 5'000 + 400 * 10 / std::numbers::pi, 1e-6);
}

TEST(RateCurve, OfAFileHasStraightLinesBetweenItsPoints) {
  const RateFile file("time,rate\n# a morning\n2, 100\n4,300 # busy\n\n6,0\n");
  const RateCurve curve = curve_of(file.rate());
  EXPECT_DOUBLE_EQ(curve.rate_per_s(1s), 100);
  EXPECT_DOUBLE_EQ(curve.rate_per_s(3s), 200);
  EXPECT_DOUBLE_EQ(curve.expected_by(2s), 200);
  EXPECT_DOUBLE_EQ(curve.expected_by(4s), 600);
  EXPECT_DOUBLE_EQ(curve.expected_by(6s), 900);
  EXPECT_DOUBLE_EQ(curve.expected_by(60s), 900);
}

TEST(RateCurve, FilesThatMakeNoCurveAreRefusedByLine) {
  EXPECT_THAT(RateFile("0,10\n1;20\n").error(), HasSubstr(":2: \"1;20\" is no point"));
  EXPECT_THAT(RateFile("0,-1\n").error(), HasSubstr("is no point"));
  EXPECT_THAT(RateFile("0,nan\n").error(), HasSubstr("is no point"));
  EXPECT_THAT(RateFile("0,1\n5,1\n5,2\n").error(), HasSubstr(":3: 5 s does not come after 5 s"));
  EXPECT_THAT(RateFile("time,rate\n").error(), HasSubstr("asks for no request"));
  EXPECT_THAT(RateFile("0,0\n9,0\n").error(), HasSubstr("asks for no request"));
  EXPECT_THAT(RateCurve::make(FileRate{"/nowhere.csv"}).error().message, HasSubstr("/nowhere.csv"));
}

TEST(RateCurve, TheLeadInHasTheRateThatTheCurveBeginsWith) {
  const RateCurve curve = curve_of(RampRate{100, 300, 10s}, 3s);
  EXPECT_DOUBLE_EQ(curve.rate_per_s(1s), 100);
  EXPECT_DOUBLE_EQ(curve.expected_by(3s), 300);
  EXPECT_DOUBLE_EQ(curve.expected_by(13s), 2'300);
}

TEST(RateCurve, TheInverseFindsWhenACountIsReached) {
  const RateFile file("0,10\n3,1000\n4,0\n6,0\n7,50\n");
  for (const Rate& rate :
       {Rate(ConstantRate{7}), Rate(RampRate{0, 90, 8s}), Rate(RampRate{90, 10, 8s}),
        Rate(StepsRate{{{50, 2s}, {0, 3s}, {10, 1s}}}), Rate(SineRate{50, 50, 3s}),
        Rate(SineRate{50, 7, 100ms}), file.rate()}) {
    const RateCurve curve = curve_of(rate, 1500ms);
    RateCurve::Inverse inverse(curve);
    for (double count = 0.5; count < 600; count += 1) {
      const auto time = inverse.time_of(count);
      ASSERT_TRUE(time);
      // A nanosecond at this rate, and what a rate near nothing makes of rounding.
      EXPECT_NEAR(curve.expected_by(*time), count, 1e-6);
    }
  }
}

TEST(RateCurve, ARateThatComesToNothingReachesNoMore) {
  const RateCurve curve = curve_of(RampRate{100, 0, 2s});
  RateCurve::Inverse inverse(curve);
  EXPECT_TRUE(inverse.time_of(99.5));
  EXPECT_EQ(inverse.time_of(100.5), std::nullopt);
}

}  // namespace
}  // namespace headroom::load
