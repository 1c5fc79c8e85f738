#include "scenario/notify_options.h"

#include <cstdint>

#include "scenario/notify.h"
#include "scenario/option_access.h"

namespace headroom::scenario {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::size_t kLongestCommandBytes = 4096;

// These two say how to tell, so they have a value only where there is somebody to tell.
constexpr Access kAttempts = {
    [](const Scenario& s, std::size_t) -> std::optional<Value> {
      return s.notify.attempts > 0 ? to_value(s.notify.attempts) : std::nullopt;
    },
    [](Scenario& s, std::size_t, const Value& value) { from_value(s.notify.attempts, value); }};
constexpr Access kTimeout = {
    [](const Scenario& s, std::size_t) -> std::optional<Value> {
      return s.notify.timeout > Nanos{0} ? to_value(s.notify.timeout) : std::nullopt;
    },
    [](Scenario& s, std::size_t, const Value& value) { from_value(s.notify.timeout, value); }};

std::optional<Value> derive_attempts(const Scenario& scenario) {
  return is_notified(scenario.notify) ? std::optional<Value>(std::uint64_t{3}) : std::nullopt;
}

std::optional<Value> derive_timeout(const Scenario& scenario) {
  return is_notified(scenario.notify) ? std::optional<Value>(Nanos{seconds{5}}) : std::nullopt;
}

}  // namespace

void add_notify_options(std::vector<Option>& table) {
  table.push_back({.section = "notify",
                   .name = "command",
                   .type = TextType{TextForm::kProse, kLongestCommandBytes},
                   .when_absent = "none",
                   .help = "Run by sh at each receipt of the run (started, measuring, drained, "
                           "every proof of the tear-down, sealed), which it has as JSON in the "
                           "variable HEADROOM_RECEIPT. What it does never changes the run.",
                   .access = at<&Scenario::notify, &Notify::command>()});
  table.push_back({.section = "notify",
                   .name = "webhook",
                   .type = TextType{TextForm::kProse, kLongestCommandBytes},
                   .when_absent = "none",
                   .help = "http or https URL to which each receipt is posted as JSON. It is kept "
                           "in the run file: webhook_env is for one that is a secret.",
                   .access = at<&Scenario::notify, &Notify::webhook>()});
  table.push_back({.section = "notify",
                   .name = "webhook_env",
                   .type = TextType{TextForm::kVariable, 256},
                   .when_absent = "none",
                   .help = "Environment variable that holds the URL, instead of webhook.",
                   .access = at<&Scenario::notify, &Notify::webhook_env>()});
  table.push_back({.section = "notify",
                   .name = "attempts",
                   .type = CountType{1, 10},
                   .when_absent = "3",
                   .help = "How often a command that fails, or a webhook that does not answer with "
                           "2xx, is tried, with pauses of 0.5 s, 1 s, 2 s and so on.",
                   .derive = &derive_attempts,
                   .access = kAttempts});
  table.push_back({.section = "notify",
                   .name = "timeout",
                   .type = DurationType{milliseconds{100}, minutes{1}},
                   .when_absent = "5s",
                   .help = "How long one attempt may take. The end of a run waits so long for what "
                           "has not been told yet, and no longer.",
                   .derive = &derive_timeout,
                   .access = kTimeout});
}

}  // namespace headroom::scenario
