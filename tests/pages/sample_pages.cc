// Writes the HTML page and the JSON of every kind of run into a directory, for the browser tests of
// web/: NAME.html and NAME.json; of a group (group.html, group.json), of a list (catalogue.html),
// and of a run that goes (live.html, live-grown.json, live-last.json).
//
//   sample_pages DIRECTORY
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "analysis/comparison.h"
#include "analysis/summary.h"
#include "base/file.h"
#include "base/random.h"
#include "report/compare_html.h"
#include "report/compare_json.h"
#include "report/group.h"
#include "report/html.h"
#include "report/html_data.h"
#include "report/json.h"
#include "serve/listing_page.h"
#include "tests/support/sample_groups.h"
#include "tests/support/sample_runs.h"
#include "tests/support/several_loads.h"

namespace {

using namespace headroom;  // NOLINT: a program, not a header
using headroom::testing::LoadSecond;
using headroom::testing::RunBuilder;

// Gives latencies the shape that real ones have: the builder's value as the median, a tail to the
// right, and a slow moment now and then. Counts stay what they were.
void spread_latencies(record::Run& run) {
  Random random(1);
  constexpr std::uint64_t kDraws = 300;
  for (record::MergedInterval& interval : run.intervals) {
    const double pace = random.below(40) == 0 ? 4.0 : 1.0;
    for (record::LatencySeries& series : interval.latencies) {
      const auto median =
          static_cast<double>(series.histogram.quantile(0.5).value_or(Nanos{1}).count());
      const std::uint64_t count = series.histogram.count();
      const std::uint64_t draws = std::min(count, kDraws);
      series.histogram = {};
      for (std::uint64_t draw = 0; draw < draws; ++draw) {
        const double normal = std::sqrt(-2 * std::log(1 - random.uniform())) *
                              std::cos(6.283185307 * random.uniform());
        const double tail = draw == 0 ? 6 * pace : 1;
        const auto ns = static_cast<std::int64_t>(median * std::exp(0.25 * normal) * tail);
        const std::uint64_t share = count / draws + (draw < count % draws ? 1 : 0);
        series.histogram.record(Nanos{ns}, draw == 0 ? 1 : share);
        if (draw == 0) series.histogram.record(Nanos{static_cast<std::int64_t>(median)}, share - 1);
      }
    }
  }
}

void expect_something(record::Run& run) {
  const std::vector<std::string> asked = {"latency.p99 < 10ms", "hit_ratio >= 99%",
                                          "throughput_cv_per_minute < 5%"};
  run.header.scenario.expect = scenario::read_expectations("expect", asked).value();
}

double rising(double t, double limit) { return std::clamp(t, 0.0, limit); }

// Evicts from its first second on.
RunBuilder saturated_run() {
  RunBuilder builder;
  builder.measure(120)
      .load([](std::int64_t second) {
        LoadSecond load;
        load.hits = 6'000 + static_cast<std::uint64_t>(second * 37 % 300);
        load.misses = 4'000;
        load.sets = 1'000;
        load.get_latency = std::chrono::microseconds{180 + second % 5};
        load.set_latency = std::chrono::microseconds{240};
        return load;
      })
      .metric("BytesUsedForCache", [](double t) { return 67'000'000 + 900 * std::sin(t); })
      .metric("CurrItems", [](double) { return 48'100.0; })
      .metric("Evictions", [](double t) { return 5'000 + 2'950 * std::max(-1.0, t); });
  return builder;
}

// An hour with nine workers: fills in twenty minutes, then evicts.
RunBuilder hour_run() {
  constexpr double kFull = 1'200;
  RunBuilder builder;
  builder.workers(9)
      .warmup(60)
      .measure(3'600)
      .load([](std::int64_t second) {
        const auto wobble = static_cast<std::uint64_t>(second * 7'919 % 601);
        LoadSecond load;
        load.sets = 500;
        load.hits =
            (second < 1'260 ? 2'000 + static_cast<std::uint64_t>(second) * 2 : 4'300) + wobble;
        load.misses = 500 + wobble / 4;
        load.set_latency = std::chrono::microseconds{second < 1'260 ? 150 : 210};
        load.get_latency = std::chrono::microseconds{(second < 1'260 ? 120 : 170) + second % 9};
        load.worker_cpu_ratio = 0.3 + 0.0001 * static_cast<double>(wobble);
        return load;
      })
      .metric("BytesUsedForCache",
              [](double t) { return 2e6 + (67'108'864.0 - 2e6) * rising(t - 60, kFull) / kFull; })
      .metric("CurrItems", [](double t) { return 48'000 * rising(t - 60, kFull) / kFull; })
      .metric("Evictions", [](double t) { return t < 1'260 ? 0.0 : 800 * (t - 1'260); })
      .metric("total_net_input_bytes", [](double t) { return 6e6 * std::max(0.0, t); })
      .metric("total_net_output_bytes", [](double t) { return 41e6 * std::max(0.0, t); })
      .edit([](record::Run& run) {
        for (const int minute : {14, 15, 41}) {
          run.events.push_back({std::chrono::minutes{minute}, record::EventKind::kConnectionLost,
                                "worker 2: connection reset by peer"});
          run.events.push_back({std::chrono::minutes{minute} + std::chrono::seconds{1},
                                record::EventKind::kReconnected, "worker 2"});
        }
      });
  return builder;
}

// An open loop whose engine stands still for four seconds: users wait, service hardly shows it.
RunBuilder stall_run() {
  RunBuilder builder;
  builder.asked(9'900)
      .measure(60)
      .warmup(5)
      .load([](std::int64_t second) {
        const bool stalled = second >= 30 && second < 34;
        const std::int64_t behind = second < 30 ? 0 : std::max<std::int64_t>(0, 40 - second);
        LoadSecond load;
        load.due = 3'300;
        load.sets = stalled ? 3 : second < 40 && second >= 34 ? 500 : 300;
        load.hits = load.sets * 9;
        load.misses = load.sets;
        load.late = behind > 0 ? load.sets * 8 : 2;
        load.waited =
            behind > 0 ? std::chrono::milliseconds{behind * 600} : std::chrono::milliseconds{0};
        load.get_latency = std::chrono::microseconds{stalled ? 900'000 : 105 + second % 4};
        load.set_latency = std::chrono::microseconds{stalled ? 950'000 : 130};
        return load;
      })
      .without("command_calls", "set")
      .without("command_calls", "get")
      .edit([](record::Run& run) {
        run.header.scenario.name = "stall";
        run.events.push_back(
            {std::chrono::seconds{33}, record::EventKind::kEngineSilent, "no reply for 1 s"});
        run.events.push_back({std::chrono::seconds{36}, record::EventKind::kEngineAnswers, ""});
      });
  return builder;
}

// Markup wherever a run file has text.
RunBuilder hostile_run() {
  const std::string evil =
      "</script><script>document.title='owned'</script><img src=x onerror=alert(1)>&amp;";
  RunBuilder builder;
  builder.edit([evil](record::Run& run) {
    run.header.scenario.name = evil;
    run.header.scenario_toml = "name = '" + evil + "'\n";
    run.header.command_line = "headroom run " + evil;
    run.facts["engine.version"] = evil;
    run.facts[evil] = evil;
    run.header.operations[0] = "<b>SET</b>";
    run.warnings = {{record::WarningKind::kTelemetryAbsent, evil}};
    run.events.push_back({std::chrono::seconds{9}, record::EventKind::kEngineSilent, evil});
    run.receipts = {{std::chrono::seconds{43}, evil, evil, false}};
  });
  return builder;
}

// Two tenants, and a stage in the middle.
RunBuilder several_loads_run() {
  RunBuilder builder;
  builder.edit(headroom::testing::make_two_tenants).edit([](record::Run& run) {
    headroom::testing::add_stage(run, "burst", std::chrono::seconds{15}, std::chrono::seconds{10});
  });
  return builder;
}

bool write_group(const std::filesystem::path& directory) {
  std::vector<report::GroupMember> members;
  for (record::Run& run : headroom::testing::boundary_group()) {
    spread_latencies(run);
    members.push_back(report::member_of(
        run, analysis::summarize(run),
        {fmt::format("runs/first-run-{}.run", members.size() + 1), report::Seal::kSealed, ""}));
  }
  const report::Group group = report::make_group(std::move(members));
  return write_file(directory / "group.html", report::render_group_html(group)).has_value() &&
         write_file(directory / "group.json", report::render_group_json(group)).has_value();
}

// A list of the kinds of runs, one that is damaged and one whose name is markup.
bool write_catalogue(const std::filesystem::path& directory) {
  serve::Listing listing;
  const auto add = [&](const std::string& file, RunBuilder builder) {
    const record::Run run = builder.build();
    listing.runs.push_back({file, {}, serve::entry_of(run, analysis::summarize(run)), {}});
    listing.runs.back().entry->started.since_epoch += std::chrono::hours{listing.runs.size()};
  };
  add("boundary.run", headroom::testing::boundary_run());
  add("headroom.run", headroom::testing::headroom_run());
  add("rejecting.run", headroom::testing::rejecting_run());
  add("killed.run", headroom::testing::killed_run());
  add("night/stall.run", stall_run());
  add("night/hour.run", hour_run());
  add("<img src=x onerror=alert(1)>.run", hostile_run());
  add("failed.run", headroom::testing::failed_run());
  listing.runs.push_back({"damaged.run", {}, {}, "the file is damaged"});
  return write_file(
             directory / "catalogue.html",
             report::fill_page(serve::listing_template(), serve::listing_json(listing, "runs")))
      .has_value();
}

// The same run after ten seconds, after twenty, and at its end.
bool write_live(const std::filesystem::path& directory) {
  const auto data = [](std::int64_t seconds, report::Seal seal) {
    RunBuilder builder = headroom::testing::boundary_run();
    if (seconds > 0) builder.killed_after(seconds);
    const record::Run run = builder.build();
    report::Served served;
    if (seconds > 0)
      served = {
          .events = "/events", .phase = "measure", .left = std::chrono::seconds{40 - seconds}};
    return report::page_data(run, analysis::summarize(run), {"a.run", seal, "ab"}, served);
  };
  const std::string begin = data(10, report::Seal::kRunning);
  return write_file(directory / "live.html", report::page_of(begin, true)).has_value() &&
         write_file(directory / "live-grown.json", data(20, report::Seal::kRunning)).has_value() &&
         write_file(directory / "live-last.json", data(0, report::Seal::kSealed)).has_value();
}

bool write(const std::filesystem::path& directory, const std::string& name, RunBuilder builder) {
  const record::Run run = builder.edit(spread_latencies).build();
  const auto start = std::chrono::steady_clock::now();
  const analysis::Summary summary = analysis::summarize(run);
  const report::Source source{
      name + ".run", run.end ? report::Seal::kSealed : report::Seal::kIncomplete,
      run.end ? "5f70bf18a086007016e948b04aed3b82103a36bea41755b6cddfaf10ace3c6ef" : ""};
  const std::string html = report::render_html(run, summary, source);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  fmt::print("{}: {} kB in {:.3f} s\n", name, html.size() / 1'000, took.count());
  return write_file(directory / (name + ".html"), html).has_value() &&
         write_file(directory / (name + ".json"), report::render_json(run, summary, source))
             .has_value();
}

// --- comparisons ---------------------------------------------------------------------------------

// A run that fills its memory: with more in flight, sooner and with longer latencies.
analysis::ObservedRun filling(const std::string& name, int number, std::uint32_t pipeline) {
  const double pace = pipeline == 1 ? 1.0 : 1.6;
  const double full = 40 / pace + number % 3;
  RunBuilder builder;
  builder.measure(80)
      .load([&](std::int64_t second) {
        const bool evicting = static_cast<double>(second) >= full;
        LoadSecond load;
        load.hits = static_cast<std::uint64_t>(pace * (evicting ? 2'600 : 3'000)) +
                    static_cast<std::uint64_t>(second * 31 % 90 + 11 * number);
        load.misses = load.hits / 8;
        load.sets = load.hits / 9;
        load.get_latency = std::chrono::microseconds{(evicting ? 190 : 140) * pipeline + number};
        load.set_latency = std::chrono::microseconds{(evicting ? 240 : 160) * pipeline + number};
        return load;
      })
      .metric("BytesUsedForCache",
              [&](double t) { return 2e6 + (67'108'864.0 - 2e6) * rising(t, full) / full; })
      .metric("CurrItems", [&](double t) { return 48'000 * rising(t, full) / full; })
      .metric("Evictions", [&](double t) { return t < full ? 0.0 : 700 * (t - full); })
      .without("command_calls", "set")
      .without("command_calls", "get")
      .edit([&](record::Run& run) {
        run.header.run_id = name;
        run.header.scenario.load.pipeline = pipeline;
        run.header.started = WallTime{std::chrono::hours{490'000 + number}};
      })
      .edit(spread_latencies);
  const record::Run run = builder.build();
  const analysis::Summary summary = analysis::summarize(run);
  analysis::ObservedRun observed = analysis::observe(run, summary, name, true);
  const std::vector<std::string> asked = {"latency.p99 < 1ms", "evictions == 0"};
  observed.expectations =
      analysis::check_expectations(scenario::read_expectations("--expect", asked).value(), summary);
  return observed;
}

std::vector<analysis::Arm> pipelines() {
  std::vector<analysis::Arm> arms(2);
  for (int number = 0; number < 10; ++number) {
    const auto side = static_cast<std::size_t>(number % 2);
    arms[side].runs.push_back(
        filling(fmt::format("run-{}.run", number), number, side == 0 ? 1 : 4));
  }
  analysis::name_by_difference(arms);
  return arms;
}

bool write_comparison(const std::filesystem::path& directory, const std::string& name,
                      std::vector<analysis::Arm> arms, analysis::ComparisonOptions options = {}) {
  const analysis::Comparison comparison = analysis::compare(std::move(arms), std::move(options));
  return write_file(directory / (name + ".html"), report::render_comparison_html(comparison))
             .has_value() &&
         write_file(directory / (name + ".json"), report::render_comparison_json(comparison))
             .has_value();
}

bool write_comparisons(const std::filesystem::path& directory) {
  const std::vector<analysis::Arm> arms = pipelines();
  auto invalid = arms;
  invalid[1].runs[0].faults.push_back({analysis::FaultKind::kIncomplete, "it was never finished"});
  auto hostile = arms;
  hostile[0].name = "</script><img src=x onerror=alert(1)>";
  hostile[0].runs[0].name = "<b>run</b>";
  analysis::ComparisonOptions against;
  against.baseline = true;
  against.contrast.margin = 0.05;
  return write_comparison(directory, "compare", arms) &&
         write_comparison(directory, "compare-invalid", invalid) &&
         write_comparison(directory, "compare-hostile", hostile) &&
         write_comparison(directory, "compare-baseline", {arms[0], arms[1]}, against);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: sample_pages DIRECTORY\n");
    return 2;
  }
  const std::filesystem::path directory = argv[1];
  std::filesystem::create_directories(directory);
  const bool written =
      write(directory, "boundary", headroom::testing::boundary_run().edit(expect_something)) &&
      write(directory, "headroom", headroom::testing::headroom_run()) &&
      write(directory, "saturated", saturated_run()) &&
      write(directory, "rejecting", headroom::testing::rejecting_run()) &&
      write(directory, "incomplete", headroom::testing::killed_run()) &&
      write(directory, "empty", headroom::testing::failed_run()) &&
      write(directory, "hostile", hostile_run()) &&
      write(directory, "several-loads", several_loads_run()) &&
      write(directory, "stall", stall_run()) && write(directory, "hour", hour_run()) &&
      write_comparisons(directory) && write_group(directory) && write_catalogue(directory) &&
      write_live(directory);
  return written ? EXIT_SUCCESS : EXIT_FAILURE;
}
