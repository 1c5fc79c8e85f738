#include "load/load_states.h"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <variant>

namespace headroom::load {
namespace {

std::vector<std::uint32_t> weights_of(const scenario::Mix& mix,
                                      const std::vector<scenario::Operation>& operations) {
  std::vector<std::uint32_t> weights;
  for (const scenario::Operation& operation : operations) {
    const auto entry =
        std::ranges::find(mix.entries, operation.name, &scenario::Mix::Entry::operation);
    weights.push_back(entry == mix.entries.end() ? 0 : entry->weight);
  }
  return weights;
}

void add_ramp(std::vector<LoadState>& states, const scenario::ConnectionsInUse& ramp, Nanos begin,
              Nanos length) {
  const std::int64_t way = std::int64_t{ramp.to} - ramp.from;
  const std::int64_t steps = std::abs(way);
  for (std::int64_t step = 1; step <= steps; ++step) {
    LoadState state = states.back();
    // In the middle of the time that a straight line gives to this step.
    state.begin = begin + length * (2 * step - 1) / (2 * steps);
    state.connections = static_cast<std::uint32_t>(ramp.from + (way > 0 ? step : -step));
    states.push_back(std::move(state));
  }
}

}  // namespace

std::vector<LoadState> load_states(const LoadState& outside,
                                   const std::vector<scenario::Operation>& operations,
                                   const std::vector<scenario::StageChange>& stages) {
  std::vector<LoadState> states = {outside};
  states.front().begin = Nanos::min();
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const scenario::StageChange& stage = stages[i];
    LoadState inside = outside;
    inside.begin = stage.begin;
    if (stage.connections) inside.connections = stage.connections->from;
    if (stage.think_time) inside.think_time = stage.think_time;
    if (stage.mix) inside.weights = weights_of(*stage.mix, operations);
    states.push_back(std::move(inside));
    if (stage.connections)
      add_ramp(states, *stage.connections, stage.begin, stage.end - stage.begin);
    if (i + 1 < stages.size() && stages[i + 1].begin == stage.end) continue;
    states.push_back(outside);
    states.back().begin = stage.end;
  }
  return states;
}

Result<RateCurve> staged_curve(const scenario::Rate& rate,
                               const std::vector<scenario::StageChange>& stages) {
  auto curve = RateCurve::make(rate);
  for (const scenario::StageChange& stage : stages) {
    if (!curve || !stage.rate) continue;
    if (const auto* factor = std::get_if<scenario::RateFactor>(&*stage.rate)) {
      curve = curve->scaled(stage.begin, stage.end, factor->factor);
      continue;
    }
    auto own = RateCurve::make(std::get<scenario::Rate>(*stage.rate));
    if (!own) return fail(std::move(own.error()));
    curve = curve->with(stage.begin, stage.end, *own);
  }
  return curve;
}

}  // namespace headroom::load
