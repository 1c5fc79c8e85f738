#include "lab/conductor.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <utility>

#include "base/units.h"
#include "lab/environment.h"
#include "load/load_states.h"
#include "scenario/keys.h"
#include "scenario/loads.h"

namespace headroom::lab {
namespace {

using record::EventKind;
using record::Phase;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Nanos kTeardownGrace = seconds{2};
constexpr Nanos kSampleReplyLimit = seconds{1};
constexpr Nanos kTurn = milliseconds{50};
// How long a target that fell silent may take to answer PING once the load is over.
constexpr Nanos kLastQuestionLimit = seconds{2};
// Between the decision to start the load and its first moment, so that every worker is there.
constexpr Nanos kRunUp = milliseconds{20};

double seconds_of(Nanos time) { return std::chrono::duration<double>(time).count(); }

}  // namespace

Conductor::Conductor(const RunRequest& request, std::optional<load::TraceSummary> trace,
                     Observer& observer, Recorder& recorder, const Clock& clock, Nanos origin,
                     std::filesystem::path file, Notifier* notifier)
    : scenario_(request.scenario),
      trace_(std::move(trace)),
      observer_(observer),
      recorder_(recorder),
      clock_(clock),
      origin_(origin),
      file_(std::move(file)),
      notifier_(notifier),
      loads_(scenario::loads_of(request.scenario)),
      interrupts_([this](const std::string& signal) { request_stop(signal); },
                  "ending the run in order: drain, tear-down, seal; once more leaves at once") {
  interrupts_.set_remains(
      fmt::format("{} is incomplete but holds every committed second.", file_.string()));
}

RunResult Conductor::conduct() {
  for (auto& [key, value] : host_facts()) recorder_.fact(std::move(key), std::move(value));

  Status status = in_phase(Phase::kProvision, &Conductor::provision);
  if (status) status = in_phase(Phase::kConnect, &Conductor::connect);
  if (status && prefilled_keys() > 0) status = in_phase(Phase::kPrefill, &Conductor::prefill);
  if (status) status = load();
  if (telemetry_) telemetry_->stop();  // its last sample closes the account of commands
  {
    const std::lock_guard lock(stop_mutex_);
    fleet_.reset();
  }
  recorder_.workers_done();
  if (status && !stop_requested_) status = look_for_silence();

  RunResult result;
  result.file = file_;
  if (const Status down = take_down(); !down) result.teardown = down.error();
  if (const auto disk = recorder_.failure()) status = fail(*disk);

  if (!status) {
    result.end = record::RunEnd::kFailed;
    result.failure = status.error();
  } else if (interrupts_.interrupted()) {
    result.end = record::RunEnd::kInterrupted;
    result.failure = Error{ErrorKind::kIncomplete, "stopped by the user before its time"};
  }
  // What came of telling belongs into the file: after the seal nothing does.
  if (notifier_ != nullptr) notifier_->settle(scenario_.notify.timeout);
  const Status sealed =
      recorder_.seal(result.end, result.failure ? result.failure->message : std::string());
  result.sealed = sealed.has_value();
  if (notifier_ != nullptr) {
    notifier_->tell(
        {run_time(), "sealed", sealed ? file_.string() : sealed.error().message, result.sealed});
    notifier_->finish(scenario_.notify.timeout);
  }
  if (!sealed && !result.failure) {
    result.end = record::RunEnd::kFailed;
    result.failure = sealed.error();
  }
  return result;
}

void Conductor::request_stop(const std::string& signal) {
  stop_requested_ = true;
  recorder_.event({run_time(), EventKind::kInterrupted, signal});
  const std::lock_guard lock(stop_mutex_);
  if (target_) target_->give_up();
  if (fleet_) fleet_->stop();
}

void Conductor::begin(Phase phase, Nanos at) {
  recorder_.phase_began(phase, at);
  observer_.phase_began(phase);
}

void Conductor::end(Phase phase, Nanos at) { recorder_.phase_ended(phase, at); }

Status Conductor::in_phase(Phase phase, Status (Conductor::*step)()) {
  if (stop_requested_) return {};
  begin(phase, run_time());
  report_progress(phase);
  Status status = (this->*step)();
  end(phase, run_time());
  if (stop_requested_) return {};  // what a step says that was told to stop is no failure
  return status;
}

Status Conductor::provision() {
  {
    const std::lock_guard lock(stop_mutex_);
    target_ = target::make_target(scenario_.target, clock_, origin_, recorder_);
  }
  const bool is_local = scenario_.target.kind == scenario::TargetKind::kLocal;
  const Nanos limit =
      is_local ? target::start_limit(scenario_.target) : scenario_.load.connect_timeout;
  auto described = target_->provision(clock_.now() + limit);
  if (!described) return fail(std::move(described.error()));
  description_ = std::move(*described);
  interrupts_.set_remains(
      fmt::format("{} is incomplete but holds every committed second; {}.", file_.string(),
                  is_local ? "what the run started ends with this process, and headroom node down, "
                             "or the next run of a local node, removes its directories and cgroups"
                           : "keys that were written stay on the target"));

  if (trace_) {
    recorder_.fact("workload.trace", load::describe_trace(*trace_, scenario_.workload.trace));
    keys_.push_back(0);
    observer_.target_ready(description_, std::nullopt);
  } else if (Status resolved = resolve_key_counts(); !resolved) {
    return resolved;
  }
  receipt(run_time(), "started",
          fmt::format("{} {} answers at {}", description_.engine, description_.version,
                      description_.server.address.text()),
          true);
  return {};
}

// Key spaces that several loads share, and those of fill tasks, are counted once and not at all.
Status Conductor::resolve_key_counts() {
  std::uint64_t all = 0;
  for (const scenario::NamedLoad& load : loads_) {
    auto keys = load.keys_of ? keys_[*load.keys_of] : resolve_key_count(load);
    if (!keys) return fail(std::move(keys.error()));
    keys_.push_back(*keys);
    if (load.keys_of || load.fills) continue;
    all += *keys;
    if (!load.name.empty()) recorder_.fact("workload.keys." + load.name, fmt::format("{}", *keys));
  }
  recorder_.fact("workload.keys", fmt::format("{}", all));
  observer_.target_ready(description_, all);
  return {};
}

// Keys that the prefill writes.
std::uint64_t Conductor::prefilled_keys() const {
  std::uint64_t keys = 0;
  for (std::size_t i = 0; i < keys_.size(); ++i) keys += loads_[i].workload.prefill ? keys_[i] : 0;
  return keys;
}

Result<std::uint64_t> Conductor::resolve_key_count(const scenario::NamedLoad& load) const {
  const scenario::Workload& workload = load.workload;
  if (workload.keys) return *workload.keys;
  if (!description_.node_memory_bytes) {
    return fail(ErrorKind::kTarget,
                "{}: workload.keys = \"auto\" sizes the key space from the node's memory, but this "
                "target has no maxmemory or does not tell it: set workload.keys to a number",
                description_.server.address.text());
  }
  auto space = scenario::resolve_keys(
      scenario::mean_bytes(workload.value_size),
      *description_.node_memory_bytes / scenario::auto_key_spaces(scenario_), load.load.workers);
  if (!space) return fail(std::move(space.error()));
  return space->total;
}

Status Conductor::connect() {
  telemetry::TelemetryConfig sampling;
  for (const target::Node& node : description_.nodes)
    sampling.nodes.push_back({node.member, node.server, node.pid, node.sample});
  sampling.interval = scenario_.timing.sample_interval;
  sampling.reply_timeout = kSampleReplyLimit;
  sampling.clock = &clock_;
  sampling.origin = origin_;
  sampling.sink = &recorder_;
  auto telemetry = telemetry::Telemetry::start(std::move(sampling));
  if (!telemetry) return fail(std::move(telemetry.error()));
  telemetry_ = std::move(*telemetry);
  evictions_before_ = telemetry_->glance().evicted_keys;

  load::FleetGroupConfig config;
  config.server = description_.server;
  config.cluster = description_.cluster;
  config.loads = loads_;
  config.trace = trace_;
  config.keys = keys_;
  config.clock = &clock_;
  config.origin = origin_;
  config.sink = &recorder_;
  {
    const std::lock_guard lock(stop_mutex_);
    fleet_ = std::make_unique<load::FleetGroup>(std::move(config));
  }
  const Status connected = fleet_->connect();
  return connected && description_.cluster ? look_into_cluster() : connected;
}

// The target answered for one of its nodes; what the others hold counts, too.
Status Conductor::look_into_cluster() {
  const auto keys = fleet_->count_keys();
  if (!keys) return fail(keys.error());
  if (*keys == 0) return {};
  if (!scenario_.target.allow_existing_data) {
    return fail(ErrorKind::kTarget,
                "{}: the nodes of its cluster hold {} keys already: use an empty one, or set "
                "target.allow_existing_data = true to write beside them (Headroom never flushes)",
                description_.server.address.text(), grouped(*keys));
  }
  if (description_.existing_keys == 0) {
    recorder_.warning({record::WarningKind::kExistingData,
                       fmt::format("the cluster held {} keys before the run", grouped(*keys))});
  }
  return {};
}

Status Conductor::prefill() {
  std::optional<Error> trouble;
  const Status written = fleet_->prefill([&](std::uint64_t done, std::uint64_t total) {
    if (const Status fine = look_for_trouble(); !fine && !trouble) {
      trouble = fine.error();
      fleet_->stop();
    }
    Progress progress = progress_of(Phase::kPrefill);
    progress.prefilled = done;
    progress.prefill_total = total;
    observer_.progress(progress);
  });
  if (trouble) return fail(*trouble);
  if (!written) return fail(written.error());
  return confirm_prefill();
}

// DBSIZE must say that all keys are there; an engine that had to evict some says so in a warning.
Status Conductor::confirm_prefill() {
  telemetry_->sample_now();
  const telemetry::Glance glance = telemetry_->glance();
  const std::uint64_t keys = prefilled_keys();
  const double wanted = static_cast<double>(keys);
  if (!glance.keys) {
    return fail(ErrorKind::kTarget, "{}: did not tell its key count after the prefill",
                description_.server.address.text());
  }
  const double evicted = glance.evicted_keys.value_or(0) - evictions_before_.value_or(0);
  if (evicted > 0) {
    const std::string seen =
        fmt::format("the prefill wrote {} keys; {} were evicted again, {} are there", grouped(keys),
                    human_count(evicted), human_count(*glance.keys));
    recorder_.warning({record::WarningKind::kEvictedPrefill, seen});
    observer_.note(seen);
    return {};
  }
  double held = *glance.keys;
  if (description_.cluster) {
    const auto counted = fleet_->count_keys();
    if (!counted) return fail(counted.error());
    held = static_cast<double>(*counted);
  }
  if (held < wanted) {
    return fail(ErrorKind::kTarget,
                "{}: the prefill wrote {} keys but the {} {:.0f}, with none evicted{}: another "
                "client removes keys, or writes are not kept",
                description_.server.address.text(), keys,
                description_.cluster ? "primaries hold" : "engine holds", held,
                description_.cluster ? " by this node" : "");
  }
  return {};
}

Status Conductor::load() {
  if (stop_requested_) return {};
  load::LoadWindows windows;
  windows.warmup_begin = run_time() + kRunUp;
  windows.measure_begin = windows.warmup_begin + scenario_.timing.warmup;
  windows.measure_end = windows.measure_begin + scenario_.timing.measure;
  windows.drain_deadline = windows.measure_end + scenario_.timing.drain;
  for (const scenario::StageWindow& part : scenario::stage_windows(scenario_)) {
    if (part.begin > Nanos{0}) windows.cuts.push_back(windows.measure_begin + part.begin);
  }
  windows_ = windows;
  for (const scenario::NamedLoad& load : loads_) {
    if (!load.load.rate) continue;
    auto curve = load::staged_curve(*load.load.rate, load.stages);
    if (!curve) return fail(std::move(curve.error()));
    curves_.push_back(curve->after(windows.measure_begin - windows.warmup_begin));
  }

  if (windows.measure_begin > windows.warmup_begin) {
    begin(Phase::kWarmup, windows.warmup_begin);
  }
  auto running = std::async(std::launch::async, [&] { return fleet_->run(windows); });
  const Status trouble = watch_load(running, windows);
  const load::LoadSpans spans = running.get();
  windows_.measure_end = spans.measure_end;
  mark_load_phases(windows, spans);
  return trouble;
}

Status Conductor::watch_load(std::future<load::LoadSpans>& running,
                             const load::LoadWindows& windows) {
  Status trouble;
  bool draining = false;
  auto cut = windows.cuts.begin();
  while (running.wait_for(kTurn) != std::future_status::ready) {
    const Nanos now = run_time();
    if (!measuring_ && now >= windows.measure_begin && !stop_requested_) {
      telemetry_->sample_now();
      begin_measure(windows);
    }
    // What telemetry says of a stage begins and ends with it, as nearly as that can be.
    if (cut != windows.cuts.end() && now >= *cut) {
      telemetry_->sample_now();
      while (cut != windows.cuts.end() && now >= *cut) ++cut;
    }
    if (!draining && now >= windows.measure_end) {
      draining = true;
      telemetry_->sample_now();
    }
    if (trouble) {
      trouble = look_for_trouble();
      if (!trouble) fleet_->stop();
    }
    report_progress(draining ? Phase::kDrain : measuring_ ? Phase::kMeasure : Phase::kWarmup);
  }
  return trouble;
}

void Conductor::begin_measure(const load::LoadWindows& windows) {
  measuring_ = true;
  if (windows.measure_begin > windows.warmup_begin) end(Phase::kWarmup, windows.measure_begin);
  begin(Phase::kMeasure, windows.measure_begin);
  receipt(windows.measure_begin, "measuring",
          fmt::format("{} workers are under way", scenario::worker_count(scenario_)), true);
}

// Writes down what the watch could not know while the load ran: where its phases really ended.
void Conductor::mark_load_phases(const load::LoadWindows& windows, const load::LoadSpans& spans) {
  const bool measured = spans.measure_end > windows.measure_begin;
  if (!measured && windows.measure_begin > windows.warmup_begin) {
    end(Phase::kWarmup, spans.measure_end);
  }
  if (measured && !measuring_) begin_measure(windows);  // stopped in its first moments
  if (measured) end(Phase::kMeasure, spans.measure_end);
  begin(Phase::kDrain, spans.measure_end);
  end(Phase::kDrain, spans.drain_end);
  const bool in_time = spans.drain_end < windows.drain_deadline;
  receipt(spans.drain_end, "drained",
          in_time ? fmt::format("the last reply was there {} after the end of measure",
                                human_duration(spans.drain_end - spans.measure_end))
                  : fmt::format("replies were missing after {}",
                                human_duration(spans.drain_end - spans.measure_end)),
          in_time);
}

void Conductor::receipt(Nanos at, std::string what, std::string evidence, bool proved) {
  recorder_.receipt({at, std::move(what), std::move(evidence), proved});
}

Status Conductor::look_for_trouble() {
  if (const auto how = target_->ended()) {
    recorder_.event({run_time(), EventKind::kEngineGone, *how});
    return fail(ErrorKind::kIncomplete,
                "the engine ended during the run: {}. What was measured until then is in {}", *how,
                file_.string());
  }
  if (const auto disk = recorder_.failure()) return fail(*disk);
  return {};
}

// A run is not complete whose engine fell silent inside the window and never came back: what is
// missing from its end nobody measured. The telemetry knows since when; because it asks for much
// and waits for little, a plain PING with more time decides.
Status Conductor::look_for_silence() {
  const auto silence = telemetry_->silence();
  if (!silence || silence->last_answer >= windows_.measure_end) return {};
  // A cluster goes on without one of its nodes: the outages say what that meant.
  if (description_.cluster) return {};
  const Status answers = target_->answers(clock_.now() + kLastQuestionLimit);
  if (answers) return {};
  const Nanos into_window = silence->since - windows_.measure_begin;
  const std::string moment =
      into_window < Nanos{0}
          ? std::string("before the window")
          : fmt::format("at most {:.1f} s into the window", seconds_of(into_window));
  return fail(ErrorKind::kIncomplete,
              "{} stopped answering {} and did not come back: {}. What was measured until then is "
              "in {}",
              description_.server.address.text(), moment, answers.error().message, file_.string());
}

Progress Conductor::progress_of(Phase phase) const {
  Progress progress;
  progress.phase = phase;
  const auto last = recorder_.last_interval();
  if (last && last->interval.phase == phase && last->interval.end > last->interval.begin) {
    const double length = seconds_of(last->interval.end - last->interval.begin);
    progress.throughput_per_s = static_cast<double>(last->completed) / length;
    progress.rejected_per_s = static_cast<double>(last->rejected) / length;
    progress.failed_per_s = static_cast<double>(last->failed) / length;
    progress.p99 = last->p99;
    // With a closed loop among them, what was asked is not known.
    const auto is_open = [](const scenario::NamedLoad& load) { return load.load.rate.has_value(); };
    if (std::ranges::all_of(loads_, is_open) && phase != Phase::kDrain) {
      double due = 0;
      for (const load::RateCurve& curve : curves_) {
        due += curve.expected_by(last->interval.end - windows_.warmup_begin) -
               curve.expected_by(last->interval.begin - windows_.warmup_begin);
      }
      progress.asked_per_s = due / length;
    }
  }
  if (!telemetry_) return progress;
  const telemetry::Glance glance = telemetry_->glance();
  if (glance.used_memory_bytes && glance.maxmemory_bytes && *glance.maxmemory_bytes > 0) {
    progress.memory_used_ratio = *glance.used_memory_bytes / *glance.maxmemory_bytes;
  }
  if (glance.evicted_keys && evictions_before_) {
    progress.evictions = *glance.evicted_keys - *evictions_before_;
  }
  return progress;
}

void Conductor::report_progress(Phase phase) {
  Progress progress = progress_of(phase);
  const auto until = [now = run_time()](Nanos end) { return std::max(Nanos{0}, end - now); };
  if (phase == Phase::kWarmup || phase == Phase::kMeasure || phase == Phase::kDrain) {
    if (!scenario_.load.requests) progress.left = until(windows_.measure_end);
    progress.left_in_phase = until(phase == Phase::kWarmup    ? windows_.measure_begin
                                   : phase == Phase::kMeasure ? windows_.measure_end
                                                              : windows_.drain_deadline);
  }
  if (phase == Phase::kMeasure && scenario_.load.requests) {
    progress.requests_ended = recorder_.ended_in_measure();
    progress.requests_total = scenario_.load.requests;
  }
  observer_.progress(progress);
}

Status Conductor::take_down() {
  if (!target_) return {};
  begin(Phase::kTeardown, run_time());
  const Status down = target_->teardown(kTeardownGrace);
  receipt(run_time(), "torn down",
          down ? "everything was asked to end and did" : down.error().message, down.has_value());
  end(Phase::kTeardown, run_time());
  begin(Phase::kVerify, run_time());
  const Status gone = target_->verify();
  receipt(run_time(), "verified", gone ? "nothing that the run made is left" : gone.error().message,
          gone.has_value());
  end(Phase::kVerify, run_time());
  return gone ? down : gone;
}

}  // namespace headroom::lab
