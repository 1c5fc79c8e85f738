// The steps of one run. Made and used by conduct_run() alone.
#pragma once

#include <atomic>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/clock.h"
#include "lab/interrupts.h"
#include "lab/notifier.h"
#include "lab/observer.h"
#include "lab/recorder.h"
#include "lab/run.h"
#include "load/fleet_group.h"
#include "load/rate_curve.h"
#include "target/target.h"
#include "telemetry/telemetry.h"

namespace headroom::lab {

// Conducts on the thread that calls conduct(); only the interrupt thread reaches in, through
// request_stop().
class Conductor {
 public:
  // `trace`: of a scenario that replays one.
  Conductor(const RunRequest& request, std::optional<load::TraceSummary> trace, Observer& observer,
            Recorder& recorder, const Clock& clock, Nanos origin, std::filesystem::path file,
            Notifier* notifier);

  // Runs all phases. Always takes down what it brought up.
  [[nodiscard]] RunResult conduct();

 private:
  // Every step returns the first thing that went wrong; later steps are then skipped.
  [[nodiscard]] Status provision();
  [[nodiscard]] Status connect();
  [[nodiscard]] Status prefill();
  [[nodiscard]] Status load();
  [[nodiscard]] Status take_down();

  // Looks after a load that runs on another thread until it is done.
  [[nodiscard]] Status watch_load(std::future<load::LoadSpans>& running,
                                  const load::LoadWindows& windows);
  // A boundary of the run that was reached, in the file and to whoever is notified.
  void receipt(Nanos at, std::string what, std::string evidence, bool proved);
  void begin_measure(const load::LoadWindows& windows);
  void mark_load_phases(const load::LoadWindows& windows, const load::LoadSpans& spans);
  [[nodiscard]] Status look_for_trouble();
  [[nodiscard]] Status confirm_prefill();
  [[nodiscard]] Status look_into_cluster();
  [[nodiscard]] Status look_for_silence();
  [[nodiscard]] Progress progress_of(record::Phase phase) const;
  void report_progress(record::Phase phase);
  [[nodiscard]] Status resolve_key_counts();
  [[nodiscard]] Result<std::uint64_t> resolve_key_count(const scenario::NamedLoad& load) const;
  [[nodiscard]] std::uint64_t prefilled_keys() const;

  [[nodiscard]] Nanos run_time() const { return clock_.now() - origin_; }
  void begin(record::Phase phase, Nanos at);
  void end(record::Phase phase, Nanos at);
  [[nodiscard]] Status in_phase(record::Phase phase, Status (Conductor::*step)());
  void request_stop(const std::string& signal);

  const scenario::Scenario& scenario_;
  const std::optional<load::TraceSummary> trace_;
  Observer& observer_;
  Recorder& recorder_;
  const Clock& clock_;
  const Nanos origin_;
  const std::filesystem::path file_;
  Notifier* const notifier_;  // null: nobody is told

  target::Description description_;
  std::unique_ptr<telemetry::Telemetry> telemetry_;
  const std::vector<scenario::NamedLoad> loads_;
  std::vector<std::uint64_t> keys_;      // of each load
  load::LoadWindows windows_;            // set by load()
  std::vector<load::RateCurve> curves_;  // of open loops, since the warm-up; set by load()
  bool measuring_ = false;
  std::optional<double> evictions_before_;  // the engine's counter when the load began

  // Guards the two pointers against request_stop(); what they point to is the conductor's.
  std::mutex stop_mutex_;
  std::unique_ptr<target::Target> target_;
  std::unique_ptr<load::FleetGroup> fleet_;
  std::atomic<bool> stop_requested_{false};

  Interrupts interrupts_;  // last: may call request_stop() from its first moment
};

}  // namespace headroom::lab
