// A rate as a function of time, and its integral: how many requests are due by when. Pure, but for
// reading the file of a scenario::FileRate.
//
// Time is nanoseconds since the curve's begin.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "scenario/scenario.h"

namespace headroom::load {

// Constant after construction.
class RateCurve {
 public:
  // The file of a FileRate is read here: CSV, a line per point with seconds and requests per second
  // ("12.5,8000"), times ascending from 0 or later; before the first point its rate holds, after
  // the last one that one's; '#' begins a comment; a first line that does not begin with a digit is
  // taken for a heading. kUsage errors name file and line.
  [[nodiscard]] static Result<RateCurve> make(const scenario::Rate& rate);
  // The same curve, later: until it begins, the rate is what it begins with.
  [[nodiscard]] RateCurve after(Nanos lead_in) const;
  // The same curve, but from `begin` to `end` (after it) as another one is, which begins at
  // `begin`; or `factor` times as high. Afterwards it is where it would have been.
  [[nodiscard]] RateCurve with(Nanos begin, Nanos end, const RateCurve& inside) const;
  [[nodiscard]] RateCurve scaled(Nanos begin, Nanos end, double factor) const;

  [[nodiscard]] double rate_per_s(Nanos time) const;
  // The integral of the rate from 0 to `time`; 0 before.
  [[nodiscard]] double expected_by(Nanos time) const;

  // Finds when the integral reaches a count, for counts that do not descend from call to call.
  class Inverse {
   public:
    explicit Inverse(const RateCurve& curve) : curve_(&curve) {}  // `curve` outlives it
    // To the nearest nanosecond; nullopt: never, the rate has come to nothing.
    [[nodiscard]] std::optional<Nanos> time_of(double count);

   private:
    const RateCurve* curve_;
    std::size_t piece_ = 0;
  };

 private:
  // From `begin_s` to the begin of the next piece, u seconds in, the rate is
  //   rate + slope * u + amplitude * sin(2 pi (u + phase) / period).
  struct Piece {
    double begin_s = 0;
    double expected = 0;  // by its begin
    double rate = 0;
    double slope = 0;
    double amplitude = 0;
    double period_s = 0;  // 0: no swing
    double phase_s = 0;

    [[nodiscard]] double rate_at(double u) const;
    [[nodiscard]] double integral_to(double u) const;
    // The u with integral_to(u) == count; infinite if there is none.
    [[nodiscard]] double inverse(double count) const;
    // How many cycles of the swing have passed at u, as an angle; and the swing's own integral.
    [[nodiscard]] double angle_at(double u) const;
    [[nodiscard]] double swing_to(double u) const;
    // What this piece is from u on, as a piece that begins there.
    [[nodiscard]] Piece from(double u) const;
  };
  explicit RateCurve(std::vector<Piece> pieces);
  // The pieces that make the curve from `begin_s` to `end_s`, cut at both.
  [[nodiscard]] std::vector<Piece> cut(double begin_s, double end_s) const;
  [[nodiscard]] RateCurve replaced(double begin_s, double end_s, std::vector<Piece> inside) const;
  [[nodiscard]] static Result<std::vector<Piece>> pieces_of_file(const std::string& path);
  [[nodiscard]] static Result<std::vector<Piece>> pieces_of(const scenario::Rate& rate);

  std::vector<Piece> pieces_;  // never empty; the first begins at 0
};

}  // namespace headroom::load
