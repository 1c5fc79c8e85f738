#include "scripted/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace headroom::scripted {

Rule::Rule(std::vector<std::string> commands) : commands_(std::move(commands)) {}

Rule& Rule::on_connection(std::uint64_t index) {
  connection_ = index;
  return *this;
}

Rule& Rule::from(std::uint64_t index) {
  from_ = index;
  return *this;
}

Rule& Rule::until(std::uint64_t end) {
  until_ = end;
  return *this;
}

Rule& Rule::every(std::uint64_t period) {
  check(period > 0, "a rule for every Nth request has a positive N");
  every_ = period;
  return *this;
}

Rule& Rule::delay(Nanos fixed) {
  return delay_by([fixed](std::uint64_t) { return fixed; });
}

Rule& Rule::delays(std::vector<Nanos> cycle) {
  check(!cycle.empty(), "a cycle of delays has at least one");
  return delay_by(
      [cycle = std::move(cycle)](std::uint64_t index) { return cycle[index % cycle.size()]; });
}

Rule& Rule::delay_by(std::function<Nanos(std::uint64_t)> delay) {
  delay_ = std::move(delay);
  return *this;
}

Rule& Rule::error(std::string_view text) { return raw(fmt::format("-{}\r\n", text)); }

Rule& Rule::nil() { return raw("$-1\r\n"); }

Rule& Rule::raw(std::string bytes) {
  reply_ = std::move(bytes);
  return *this;
}

Rule& Rule::fragments(std::vector<std::size_t> cuts, Nanos pause) {
  check(std::ranges::is_sorted(cuts), "a reply is cut at ascending offsets");
  cuts_ = std::move(cuts);
  pause_ = pause;
  return *this;
}

Rule& Rule::disconnect_before() {
  ending_ = Ending::kClosedBefore;
  return *this;
}

Rule& Rule::disconnect_within(std::size_t bytes) {
  ending_ = Ending::kClosedWithin;
  bytes_before_close_ = bytes;
  return *this;
}

Rule& Rule::disconnect_after() {
  ending_ = Ending::kClosedAfter;
  return *this;
}

Rule& Rule::never_answer() {
  ending_ = Ending::kSilent;
  return *this;
}

void Rule::apply(std::string_view command, std::uint64_t connection, Treatment& treatment) {
  if (!commands_.empty() && std::ranges::find(commands_, command) == commands_.end()) return;
  if (connection_ && *connection_ != connection) return;
  const std::uint64_t index = seen_++;
  if (index < from_ || (until_ && index >= *until_) || (index - from_) % every_ != 0) return;
  if (delay_) treatment.delay = delay_(index);
  if (reply_) treatment.reply = reply_;
  if (cuts_) {
    treatment.cuts = *cuts_;
    treatment.pause = pause_;
  }
  if (ending_) {
    treatment.ending = *ending_;
    treatment.bytes_before_close = bytes_before_close_;
  }
}

Script& Script::stall(Nanos period, Nanos length) {
  check(length > Nanos{0} && period > length, "a stall is shorter than its period");
  stall_ = Stall{period, length};
  return *this;
}

Script& Script::banner(std::string bytes) {
  banner_ = std::move(bytes);
  return *this;
}

Script& Script::close_connections_from(std::uint64_t index) {
  close_from_ = index;
  return *this;
}

Script& Script::spin() {
  spin_ = true;
  return *this;
}

Script& Script::stamp_requests() {
  stamp_ = true;
  return *this;
}

Script& Script::engine(EngineSettings settings) {
  engine_ = std::move(settings);
  return *this;
}

Treatment Script::treat(std::string_view command, std::uint64_t connection) {
  Treatment treatment;
  for (Rule& rule : rules_) rule.apply(command, connection, treatment);
  return treatment;
}

}  // namespace headroom::scripted
