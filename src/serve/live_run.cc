#include "serve/live_run.h"

#include <time.h>

#include <algorithm>
#include <utility>

#include "analysis/summary.h"
#include "base/clock.h"
#include "report/source.h"
#include "serve/listing_page.h"
#include "serve/run_source.h"

namespace headroom::serve {
namespace {

using std::chrono::milliseconds;

// How long what was recorded may wait to be taken over.
constexpr Nanos kTurn = milliseconds{200};
constexpr Nanos kPagePatience = std::chrono::seconds{5};

Nanos thread_cpu() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds{time.tv_sec} + Nanos{time.tv_nsec};
}

record::MetricSeries& series_of(record::Run& run, std::string_view metric,
                                const std::string& label) {
  const auto found = std::ranges::find_if(run.metrics, [&](const record::MetricSeries& series) {
    return series.metric == metric && series.label == label;
  });
  if (found != run.metrics.end()) return *found;
  run.metrics.push_back({std::string(metric), label, {}});
  return run.metrics.back();
}

// Histograms as they are while workers fill them are large; a run keeps thousands.
void make_compact(std::vector<record::LatencySeries>& latencies) {
  for (record::LatencySeries& series : latencies) series.histogram = series.histogram.drain();
}

Nanos begin_of(const record::MergedInterval& interval) { return interval.interval.begin; }

record::PhaseSpan* span_of(record::Run& run, record::Phase phase) {
  const auto found = std::ranges::find(run.phases, phase, &record::PhaseSpan::phase);
  return found == run.phases.end() ? nullptr : &*found;
}

}  // namespace

LiveRun::LiveRun() : thread_([this] { live(); }) {}

LiveRun::~LiveRun() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  newer_.notify_all();
  thread_.join();
}

// --- what is recorded
// -----------------------------------------------------------------------------

void LiveRun::push(Change change) {
  const std::lock_guard lock(mutex_);
  changes_.push_back(std::move(change));
}

void LiveRun::began(const record::RunHeader& header, const std::filesystem::path& file) {
  {
    const std::lock_guard lock(mutex_);
    totals_.begin(header);
  }
  push([header, name = file.string()](LiveRun& live) {
    live.run_.header = header;
    live.file_ = name;
  });
}

void LiveRun::fact(const std::string& key, const std::string& value) {
  push([key, value](LiveRun& live) { live.run_.facts.insert_or_assign(key, value); });
}

void LiveRun::phase_began(record::Phase phase, Nanos begin) {
  {
    const std::lock_guard lock(mutex_);
    totals_.phase_began(phase);
  }
  push([phase, begin](LiveRun& live) { live.run_.phases.push_back({phase, begin, {}}); });
}

void LiveRun::phase_ended(record::Phase phase, Nanos end) {
  push([phase, end](LiveRun& live) {
    if (record::PhaseSpan* const span = span_of(live.run_, phase)) span->end = end;
  });
}

void LiveRun::interval(const record::MergedInterval& interval) {
  {
    const std::lock_guard lock(mutex_);
    totals_.add(interval);
  }
  push([copy = interval](LiveRun& live) mutable {
    make_compact(copy.latencies);
    for (record::ConnectSeries& step : copy.connects) step.histogram = step.histogram.drain();
    for (record::NodeSeries& node : copy.nodes) {
      node.service = node.service.drain();
      node.response = node.response.drain();
    }
    live.run_.intervals.push_back(std::move(copy));
  });
}

void LiveRun::worker_counts(const record::WorkerCounts& counts) {
  {
    const std::lock_guard lock(mutex_);
    totals_.add(counts);
  }
  push([counts](LiveRun& live) { live.run_.workers.push_back(counts); });
}

void LiveRun::worker_window(const record::WorkerWindow& window) {
  push([copy = window](LiveRun& live) mutable {
    make_compact(copy.latencies);
    live.run_.worker_windows.push_back(std::move(copy));
  });
}

void LiveRun::samples(const record::SampleBatch& batch) {
  {
    const std::lock_guard lock(mutex_);
    totals_.add(batch);
  }
  push([batch](LiveRun& live) {
    for (const record::Sample& sample : batch.samples) {
      series_of(live.run_, record::metric_catalogue()[sample.metric].name, sample.label)
          .points.push_back({batch.time, sample.value});
    }
  });
}

void LiveRun::event(const record::Event& event) {
  push([event](LiveRun& live) { live.run_.events.push_back(event); });
}

void LiveRun::warning(const record::Warning& warning) {
  push([warning](LiveRun& live) { live.run_.warnings.push_back(warning); });
}

void LiveRun::receipt(const record::Receipt& receipt) {
  push([receipt](LiveRun& live) { live.run_.receipts.push_back(receipt); });
}

void LiveRun::ended(record::RunEnd end, const std::string& reason) {
  {
    const std::lock_guard lock(mutex_);
    totals_.ended();
  }
  push([end, reason](LiveRun& live) {
    live.run_.end = end;
    live.run_.end_reason = reason;
  });
}

void LiveRun::close(Nanos patience) {
  push([](LiveRun& live) { live.over_ = true; });
  wake_.notify_one();
  std::unique_lock lock(mutex_);
  newer_.wait_for(lock, patience,
                  [&] { return snapshot_ && snapshot_->last && viewers_ == 0 && waiting_ == 0; });
}

// --- the live thread
// ------------------------------------------------------------------------------

void LiveRun::live() {
  const Clock& clock = real_clock();
  Nanos next = clock.now();
  bool changed = false;
  std::uint64_t version = 0;
  std::vector<Change> changes;
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    wake_.wait_for(lock, kTurn);
    changes.clear();
    std::swap(changes, changes_);
    const bool watched = viewers_ + waiting_ > 0;
    lock.unlock();
    for (const Change& change : changes) change(*this);
    changed |= !changes.empty();
    SnapshotPtr made;
    const bool last = over_ && changed;
    if (last || (watched && changed && clock.now() >= next)) {
      const Nanos before = thread_cpu();
      made = std::make_shared<const Snapshot>(Snapshot{++version, make_data(), over_});
      const auto rest = std::chrono::duration_cast<Nanos>((thread_cpu() - before) / kShare);
      next = clock.now() + std::max(kShortestPause, rest);
      changed = false;
    }
    lock.lock();
    if (!made) continue;
    snapshot_ = std::move(made);
    newer_.notify_all();
  }
}

report::Served LiveRun::served() const {
  report::Served served;
  if (over_) return served;
  served.events = "/events";
  if (run_.phases.empty()) return served;
  const record::PhaseSpan& span = run_.phases.back();
  served.phase = record::phase_name(span.phase);
  if (span.end || run_.intervals.empty()) return served;
  const scenario::Timing& timing = run_.header.scenario.timing;
  const Nanos now = run_.intervals.back().interval.end;
  const bool timed = !run_.header.scenario.load.requests;
  if (span.phase == record::Phase::kMeasure && timed)
    served.left = std::max(Nanos{0}, span.begin + timing.measure - now);
  if (span.phase == record::Phase::kWarmup)
    served.left = std::max(Nanos{0}, span.begin + timing.warmup - now);
  return served;
}

std::string LiveRun::make_data() {
  // What not all workers took part in comes late.
  if (!std::ranges::is_sorted(run_.intervals, {}, begin_of))
    std::ranges::stable_sort(run_.intervals, {}, begin_of);
  if (over_ && run_.end) {
    // What stays is the file: what it says is the last word.
    if (const auto read = read_summed_up(file_, file_))
      return report::page_data(read->run, read->summary, read->source, {});
  }
  analysis::Summary summary = analysis::summarize(run_);
  if (over_) return report::page_data(run_, summary, {file_, report::Seal::kIncomplete, ""}, {});
  // Of a run that goes nobody doubts that it has not ended.
  std::erase_if(summary.warnings, [](const analysis::Doubt& doubt) {
    return doubt.kind == record::WarningKind::kInterrupted ||
           doubt.kind == record::WarningKind::kWindowTooShort;
  });
  return report::page_data(run_, summary, {file_, report::Seal::kRunning, ""}, served());
}

// --- those who watch
// ------------------------------------------------------------------------------

LiveRun::SnapshotPtr LiveRun::wait_for(std::uint64_t after, Nanos patience) {
  std::unique_lock lock(mutex_);
  newer_.wait_for(lock, patience,
                  [&] { return stopping_ || (snapshot_ && snapshot_->version > after); });
  return snapshot_ && snapshot_->version > after ? snapshot_ : nullptr;
}

NextEvents LiveRun::events() {
  // One that watches for as long as its stream goes.
  struct Viewer {
    explicit Viewer(LiveRun& run) : live(run) {
      const std::lock_guard lock(live.mutex_);
      ++live.viewers_;
    }
    ~Viewer() {
      {
        const std::lock_guard lock(live.mutex_);
        --live.viewers_;
      }
      live.newer_.notify_all();
    }
    Viewer(const Viewer&) = delete;
    Viewer& operator=(const Viewer&) = delete;
    LiveRun& live;
    std::uint64_t version = 0;
    bool ended = false;
  };
  return [viewer = std::make_shared<Viewer>(*this)](Nanos patience) -> std::optional<std::string> {
    if (viewer->ended) return std::nullopt;
    const SnapshotPtr snapshot = viewer->live.wait_for(viewer->version, patience);
    if (!snapshot) return std::string();
    viewer->version = snapshot->version;
    viewer->ended = snapshot->last;
    return event_text(snapshot->last ? "last" : "grown", snapshot->data);
  };
}

HttpResponse LiveRun::page() {
  SnapshotPtr snapshot;
  {
    std::unique_lock lock(mutex_);
    ++waiting_;
    newer_.wait_for(lock, kPagePatience, [&] { return stopping_ || snapshot_; });
    --waiting_;
    snapshot = snapshot_;
  }
  newer_.notify_all();
  if (!snapshot) return plain_response(503, "The run has not begun yet; ask again.");
  return page_response(report::page_of(snapshot->data, !snapshot->last));
}

std::string LiveRun::metrics() {
  const std::lock_guard lock(mutex_);
  return totals_.text();
}

HttpResponse LiveRun::answer(const HttpRequest& request) {
  if (request.path == "/") return page();
  HttpResponse response;
  if (request.path == "/events") {
    response.events = events();
    return response;
  }
  if (request.path == "/metrics") {
    response.content_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    response.body = metrics();
    return response;
  }
  return plain_response(404, "The run is at /, for Prometheus at /metrics.");
}

}  // namespace headroom::serve
