// Writes records of runs into run files, for the tests of what reads those. Header only; who uses
// it links store.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>

#include "record/run.h"
#include "scenario/print.h"
#include "store/run_writer.h"

namespace headroom::testing {

// Sealed if the run has an end, else as a process that died leaves it.
inline void write_run_file(const std::filesystem::path& path, record::Run run) {
  std::filesystem::create_directories(path.parent_path());
  // What a builder leaves at zero and a scenario may not.
  scenario::Load& load = run.header.scenario.load;
  for (Nanos* const timeout : {&load.connect_timeout, &load.request_timeout}) {
    if (*timeout == Nanos{0}) *timeout = std::chrono::seconds{5};
  }
  run.header.scenario_toml = scenario::print_scenario(run.header.scenario);
  auto writer = store::RunWriter::create(path, run.header);
  ASSERT_TRUE(writer) << writer.error().message;
  const auto wrote = [](const Status& status) { ASSERT_TRUE(status) << status.error().message; };
  for (const auto& [key, value] : run.facts) wrote(writer->fact(key, value));
  for (const record::PhaseSpan& span : run.phases) {
    wrote(writer->phase_began(span.phase, span.begin));
    if (span.end) wrote(writer->phase_ended(span.phase, *span.end));
  }
  for (const record::MergedInterval& interval : run.intervals) wrote(writer->interval(interval));
  for (const record::WorkerCounts& counts : run.workers) wrote(writer->worker_counts(counts));
  for (const record::WorkerWindow& window : run.worker_windows)
    wrote(writer->worker_window(window));
  std::map<Nanos, record::SampleBatch> batches;
  for (const record::MetricSeries& series : run.metrics) {
    for (const record::Point& point : series.points) {
      record::SampleBatch& batch = batches[point.time];
      batch.time = point.time;
      batch.samples.push_back({record::metric(series.metric), series.label, point.value});
    }
  }
  for (const auto& [time, batch] : batches) wrote(writer->samples(batch));
  for (const record::Event& event : run.events) wrote(writer->event(event));
  for (const record::Warning& warning : run.warnings) wrote(writer->warning(warning));
  for (const record::Receipt& receipt : run.receipts) wrote(writer->receipt(receipt));
  wrote(writer->commit());
  if (run.end) wrote(writer->seal(*run.end, run.end_reason));
}

}  // namespace headroom::testing
