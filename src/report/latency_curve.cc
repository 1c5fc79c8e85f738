#include "report/latency_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

namespace headroom::report {
namespace {

// The reported quantiles themselves, and sixteen steps to a factor of ten between them.
std::vector<double> curve_quantiles() {
  constexpr int kStepsPerTen = 16;
  constexpr int kTens = 8;
  std::vector<double> quantiles = {0, 0.5};
  for (int step = 1; step <= kStepsPerTen * kTens; ++step) {
    if (step % kStepsPerTen != 0)
      quantiles.push_back(1 - std::pow(10.0, -static_cast<double>(step) / kStepsPerTen));
  }
  for (const double reported : {0.9, 0.99, 0.999, 0.9999, 0.99999, 0.999999, 0.9999999})
    quantiles.push_back(reported);
  std::ranges::sort(quantiles);
  return quantiles;
}

}  // namespace

Json curve_json(std::string_view label, std::string_view from, const stats::Histogram& histogram) {
  Json beyond = Json::array();
  Json ns = Json::array();
  const auto count = static_cast<double>(histogram.count());
  for (const double q : curve_quantiles()) {
    const double one_in = 1 / (1 - q);
    if (one_in > count * (1 + 1e-9)) break;  // as for the table: one request is expected beyond
    const double rounded = std::strtod(fmt::format("{:.6g}", one_in).c_str(), nullptr);
    beyond.push_back(exact(rounded));
    ns.push_back(nanos(histogram.quantile(q)));
  }
  beyond.push_back(histogram.count());
  ns.push_back(nanos(histogram.max()));
  return {
      {"label", text(label)}, {"from", from}, {"beyond", std::move(beyond)}, {"ns", std::move(ns)}};
}

}  // namespace headroom::report
