// Tells a command and a webhook of a run's receipts while it goes. Whatever they do, the run goes
// on.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "record/event.h"
#include "scenario/scenario.h"

namespace headroom::lab {

// The webhook's URL: that of the scenario, or the value of the variable that it names; empty: none.
// A variable that is not set, or holds no URL, is an Error (kUsage) that does not repeat it.
[[nodiscard]] Result<std::string> webhook_of(const scenario::Notify& notify);

// What is told with every receipt.
struct NotifiedRun {
  std::string run_id;
  std::string scenario;
  std::string file;
  WallTime started;  // wall time of run time 0
};
// The object that is posted, one line: run_id, scenario, file, receipt, proved, evidence, time_s,
// utc.
[[nodiscard]] std::string notice_json(const NotifiedRun& run, const record::Receipt& receipt);

// A thread for each of the two that is told, so that a slow one does not keep the other waiting.
// Receipts are told in their order; one that could not be told after all attempts is given up.
class Notifier {
 public:
  // Told on those threads: "receipt process gone: told the webhook (HTTP 200)".
  using Outcome = std::function<void(std::string text)>;

  Notifier(const scenario::Notify& notify, const std::string& webhook, NotifiedRun run,
           Outcome outcome);
  ~Notifier();  // finish() with no patience
  Notifier(const Notifier&) = delete;
  Notifier& operator=(const Notifier&) = delete;

  // Never waits. Any thread.
  void tell(const record::Receipt& receipt);
  // Waits at most `patience` until all is told.
  void settle(Nanos patience);
  // The same, and no more is told afterwards; what is under way is given up, and its outcome said.
  void finish(Nanos patience);

 private:
  class Channel;
  const NotifiedRun run_;
  std::vector<std::unique_ptr<Channel>> channels_;
};

}  // namespace headroom::lab
