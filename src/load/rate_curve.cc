#include "load/rate_curve.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/file.h"
#include "base/text.h"

namespace headroom::load {
namespace {

constexpr double kNanosPerSecond = 1e9;
constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::size_t kLongestFileBytes = std::size_t{16} << 20U;
constexpr double kHighestRate = 1e8;
constexpr double kLongestSeconds = 7 * 24 * 3600;

double seconds_of(Nanos time) { return static_cast<double>(time.count()) / kNanosPerSecond; }

// One line of a file.
struct Point {
  double time_s = 0;
  double per_s = 0;
};

std::optional<double> number(std::string_view text, double highest) {
  text = trim(text);
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  const bool fits = error == std::errc{} && stop == end && value >= 0 && value <= highest;
  return fits ? std::optional(value) : std::nullopt;
}

std::optional<Point> point_of(std::string_view line) {
  const std::size_t comma = line.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const auto time = number(line.substr(0, comma), kLongestSeconds);
  const auto rate = number(line.substr(comma + 1), kHighestRate);
  if (!time || !rate) return std::nullopt;
  return Point{*time, *rate};
}

bool is_heading(std::string_view line) {
  return !line.empty() && (line.front() < '0' || line.front() > '9') && line.front() != '.';
}

Result<std::vector<Point>> read_points(const std::string& path) {
  const auto text = read_file(path, kLongestFileBytes);
  if (!text) return fail(ErrorKind::kUsage, "load.rate: {}", text.error().message);
  std::vector<Point> points;
  std::size_t number_of_line = 0;
  bool first = true;
  for (const std::string_view whole : split(*text, '\n')) {
    ++number_of_line;
    const std::string_view line = trim(whole.substr(0, whole.find('#')));
    if (line.empty()) continue;
    const bool heading = std::exchange(first, false) && is_heading(line);
    if (heading) continue;
    const auto point = point_of(line);
    if (!point) {
      return fail(ErrorKind::kUsage,
                  "load.rate: {}:{}: \"{}\" is no point; write \"seconds,rate\" such as "
                  "\"12.5,8000\", seconds up to 604800, rate up to 100000000",
                  printable(path, 4096), number_of_line, printable(line, 80));
    }
    if (!points.empty() && point->time_s <= points.back().time_s) {
      return fail(ErrorKind::kUsage,
                  "load.rate: {}:{}: {} s does not come after {} s; sort the "
                  "lines by time, one for each",
                  printable(path, 4096), number_of_line, point->time_s, points.back().time_s);
    }
    points.push_back(*point);
  }
  if (std::ranges::all_of(points, [](const Point& p) { return p.per_s <= 0; })) {
    return fail(ErrorKind::kUsage,
                "load.rate: {}: it asks for no request; give a line \"seconds,"
                "rate\" whose rate is not 0",
                printable(path, 4096));
  }
  return points;
}

}  // namespace

double RateCurve::Piece::angle_at(double u) const {
  return 2 * std::numbers::pi * (u + phase_s) / period_s;
}

double RateCurve::Piece::swing_to(double u) const {
  if (period_s <= 0) return 0;
  return amplitude * period_s / (2 * std::numbers::pi) *
         (std::cos(angle_at(0)) - std::cos(angle_at(u)));
}

double RateCurve::Piece::rate_at(double u) const {
  const double swing = period_s > 0 ? amplitude * std::sin(angle_at(u)) : 0;
  return rate + slope * u + swing;
}

double RateCurve::Piece::integral_to(double u) const {
  return u * (rate + slope * u / 2) + swing_to(u);
}

RateCurve::Piece RateCurve::Piece::from(double u) const {
  Piece later = *this;
  later.begin_s += u;
  later.rate += slope * u;
  if (period_s > 0) later.phase_s = std::fmod(phase_s + u, period_s);
  return later;
}

double RateCurve::Piece::inverse(double count) const {
  if (count <= 0) return 0;
  if (period_s > 0) {
    // The swing adds to the straight line, or takes from it, at most amplitude * period / pi, which
    // brackets the answer; Newton's steps, bisected where they would leave the bracket.
    const double slack = amplitude * period_s / std::numbers::pi;
    double low = std::max(0.0, (count - slack) / rate);
    double high = (count + slack) / rate;
    double u = high;
    for (int i = 0; i < 60; ++i) {
      const double error = integral_to(u) - count;
      (error > 0 ? high : low) = u;
      const double next = u - error / rate_at(u);
      const double to = next > low && next < high ? next : low + (high - low) / 2;
      if (std::abs(to - u) * kNanosPerSecond < 0.25) return to;
      u = to;
    }
    return u;
  }
  // Of slope u^2 / 2 + rate u - count = 0, the solution that does not cancel.
  const double under_root = rate * rate + 2 * slope * count;
  if (under_root < 0) return kNever;
  const double below = rate + std::sqrt(under_root);
  return below > 0 ? 2 * count / below : kNever;
}

// Of pieces that do not know yet what was expected by their begin.
RateCurve::RateCurve(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {
  check(!pieces_.empty() && pieces_.front().begin_s <= 0, "a curve begins at 0");
  for (std::size_t i = 1; i < pieces_.size(); ++i) {
    const Piece& before = pieces_[i - 1];
    pieces_[i].expected = before.expected + before.integral_to(pieces_[i].begin_s - before.begin_s);
  }
}

Result<std::vector<RateCurve::Piece>> RateCurve::pieces_of_file(const std::string& path) {
  const auto points = read_points(path);
  if (!points) return fail(points.error());
  std::vector<Piece> pieces;
  if (points->front().time_s > 0) pieces.push_back({.rate = points->front().per_s});
  for (std::size_t i = 0; i < points->size(); ++i) {
    const Point& from = (*points)[i];
    double slope = 0;
    if (i + 1 < points->size()) {
      const Point& to = (*points)[i + 1];
      slope = (to.per_s - from.per_s) / (to.time_s - from.time_s);
    }
    pieces.push_back({.begin_s = from.time_s, .rate = from.per_s, .slope = slope});
  }
  return pieces;
}

Result<std::vector<RateCurve::Piece>> RateCurve::pieces_of(const scenario::Rate& rate) {
  using Pieces = std::vector<Piece>;
  const auto per_s = [](std::uint64_t count) { return static_cast<double>(count); };
  if (const auto* constant = std::get_if<scenario::ConstantRate>(&rate)) {
    return Pieces{{.rate = per_s(constant->per_s)}};
  }
  if (const auto* ramp = std::get_if<scenario::RampRate>(&rate)) {
    const double over_s = seconds_of(ramp->over);
    const double slope = (per_s(ramp->to_per_s) - per_s(ramp->from_per_s)) / over_s;
    return Pieces{{.rate = per_s(ramp->from_per_s), .slope = slope},
                  {.begin_s = over_s, .rate = per_s(ramp->to_per_s)}};
  }
  if (const auto* sine = std::get_if<scenario::SineRate>(&rate)) {
    return Pieces{{.rate = per_s(sine->mean_per_s),
                   .amplitude = per_s(sine->amplitude_per_s),
                   .period_s = seconds_of(sine->period)}};
  }
  if (const auto* file = std::get_if<scenario::FileRate>(&rate)) return pieces_of_file(file->path);
  Pieces pieces;
  Nanos begin{0};
  for (const scenario::StepsRate::Step& step : std::get<scenario::StepsRate>(rate).steps) {
    pieces.push_back({.begin_s = seconds_of(begin), .rate = per_s(step.per_s)});
    begin += step.length;
  }
  return pieces;
}

Result<RateCurve> RateCurve::make(const scenario::Rate& rate) {
  auto pieces = pieces_of(rate);
  if (!pieces) return fail(std::move(pieces.error()));
  return RateCurve(std::move(*pieces));
}

RateCurve RateCurve::after(Nanos lead_in) const {
  if (lead_in <= Nanos{0}) return *this;
  std::vector<Piece> pieces = {{.rate = pieces_.front().rate}};
  for (Piece piece : pieces_) {
    piece.begin_s += seconds_of(lead_in);
    pieces.push_back(piece);
  }
  return RateCurve(std::move(pieces));
}

std::vector<RateCurve::Piece> RateCurve::cut(double begin_s, double end_s) const {
  std::vector<Piece> inside;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const double next = i + 1 < pieces_.size() ? pieces_[i + 1].begin_s : kNever;
    const double from = std::max(pieces_[i].begin_s, begin_s);
    if (from < std::min(next, end_s)) inside.push_back(pieces_[i].from(from - pieces_[i].begin_s));
  }
  return inside;
}

RateCurve RateCurve::replaced(double begin_s, double end_s, std::vector<Piece> inside) const {
  std::vector<Piece> pieces = cut(0, begin_s);
  pieces.insert(pieces.end(), inside.begin(), inside.end());
  const std::vector<Piece> rest = cut(end_s, kNever);
  pieces.insert(pieces.end(), rest.begin(), rest.end());
  return RateCurve(std::move(pieces));
}

RateCurve RateCurve::with(Nanos begin, Nanos end, const RateCurve& inside) const {
  std::vector<Piece> pieces = inside.cut(0, seconds_of(end - begin));
  for (Piece& piece : pieces) piece.begin_s += seconds_of(begin);
  return replaced(seconds_of(begin), seconds_of(end), std::move(pieces));
}

RateCurve RateCurve::scaled(Nanos begin, Nanos end, double factor) const {
  std::vector<Piece> pieces = cut(seconds_of(begin), seconds_of(end));
  for (Piece& piece : pieces) {
    piece.rate *= factor;
    piece.slope *= factor;
    piece.amplitude *= factor;
  }
  return replaced(seconds_of(begin), seconds_of(end), std::move(pieces));
}

double RateCurve::rate_per_s(Nanos time) const {
  const double at = seconds_of(time);
  const auto next = std::ranges::upper_bound(pieces_, at, {}, &Piece::begin_s);
  const Piece& piece = next == pieces_.begin() ? pieces_.front() : *std::prev(next);
  return piece.rate_at(at - piece.begin_s);
}

double RateCurve::expected_by(Nanos time) const {
  const double at = seconds_of(time);
  if (at <= 0) return 0;
  const auto next = std::ranges::upper_bound(pieces_, at, {}, &Piece::begin_s);
  const Piece& piece = *std::prev(next);
  return piece.expected + piece.integral_to(at - piece.begin_s);
}

std::optional<Nanos> RateCurve::Inverse::time_of(double count) {
  const std::vector<Piece>& pieces = curve_->pieces_;
  while (piece_ + 1 < pieces.size() && pieces[piece_ + 1].expected <= count) ++piece_;
  const Piece& piece = pieces[piece_];
  // An integral that stands still until the next piece begins is reached before it does.
  const double at_s = piece.begin_s + piece.inverse(count - piece.expected);
  if (!(at_s * kNanosPerSecond < static_cast<double>(Nanos::max().count()))) return std::nullopt;
  return Nanos{std::llround(at_s * kNanosPerSecond)};
}

}  // namespace headroom::load
