// Ranks with Zipf's distribution: rank i of 1 to n in proportion to i^-exponent. Pure.
//
// Exact for any exponent >= 0 and any n, in constant time and without a table, by
// rejection-inversion (W. Hoermann and G. Derflinger: Rejection-inversion to generate variates from
// monotone discrete distributions, ACM TOMACS 6(3), 1996): a real number is drawn under the curve
// x^-exponent by inverting its integral, rounded to the nearest rank, and accepted when it lies
// under that rank's step. Less than 1.6 numbers are drawn on average.
#pragma once

#include <cstdint>

#include "base/random.h"

namespace headroom::load {

class Zipf {
 public:
  // n > 0, exponent >= 0.
  Zipf(std::uint64_t n, double exponent);

  // From 1, the most likely, to n.
  [[nodiscard]] std::uint64_t draw(Random& random) const;
  // How many of the most likely ranks together take half of the draws, or just more. Takes some
  // milliseconds: sums of i^-exponent, the first ten thousand terms one by one and the rest by
  // Euler and Maclaurin's formula.
  [[nodiscard]] std::uint64_t median_rank() const;

 private:
  [[nodiscard]] double weight(double x) const;    // x^-exponent
  [[nodiscard]] double integral(double x) const;  // of weight, 0 at x = 1
  [[nodiscard]] double inverse_integral(double y) const;

  double n_;
  double exponent_;
  double lowest_ = 0;   // the integral where the first rank's step begins
  double highest_ = 0;  // and where the last one's ends
  double squeeze_ = 0;  // so near below its rank, a number is accepted without a look at its step
};

}  // namespace headroom::load
