// What changes while the load goes on: stages of measure.
#include "load/worker.h"

namespace headroom::load {

// What the load will be when, and how it begins.
void Worker::plan_load(const LoadWindows& windows) {
  const scenario::Load& load = config_.load;
  LoadState outside{
      Nanos::min(), config_.connections_in_use.value_or(load.connections), load.think_time, {}};
  for (const scenario::Operation& operation : plan_.operations())
    outside.weights.push_back(operation.weight);
  states_ = load_states(outside, plan_.operations(), config_.stages);
  for (LoadState& state : states_) {
    if (state.begin > Nanos::min()) state.begin += config_.origin + windows.measure_begin;
  }
  next_state_ = 0;
  change_load(Nanos::min());
}

// Enters the states that have begun; afterwards change_at_ is when the next one does.
void Worker::change_load(Nanos now) {
  while (next_state_ < states_.size() && states_[next_state_].begin <= now)
    enter(states_[next_state_++], now);
  change_at_ = next_state_ < states_.size() ? states_[next_state_].begin : Nanos::max();
}

// A connection that is not in use may begin no request. One that comes into use begins with all of
// its slots.
void Worker::enter(const LoadState& state, Nanos now) {
  think_time_ = state.think_time;
  generator_.weigh(state.weights);
  if (config_.stages.empty()) return;  // load.requests may limit connections too
  for (Connection& connection : connections_) {
    // Of a cluster, those whose allowance is a client's.
    if (!is_for_load(connection.index())) continue;
    const bool in_use = connection.index() < state.connections;
    if (in_use == (connection.allowance() > 0)) continue;
    connection.allow(in_use ? Connection::kUnlimited : 0);
    if (!in_use || !may_send_ || now < start_at_) continue;
    if (cluster_) {
      offer_client(connection.index());
    } else if (connection.state() == ConnectionState::kReady && !connection.has_unsent()) {
      offer(connection);
    }
  }
}

}  // namespace headroom::load
