// The runs that the golden files of every renderer show.
#pragma once

#include <algorithm>

#include "tests/support/run_builder.h"

namespace headroom::testing {

// Fills its 64 MiB at second 20 of 40 on a busy two-CPU machine; throughput sinks by a third.
[[nodiscard]] inline RunBuilder boundary_run() {
  RunBuilder builder;
  builder
      .load([](std::int64_t second) {
        LoadSecond load;
        load.sets = second < 20 ? 2'000 : 1'400;
        load.hits = second < 20 ? 12'000 + 150 * static_cast<std::uint64_t>(second) : 12'600;
        load.misses = second < 20 ? 8'000 - 150 * static_cast<std::uint64_t>(second) : 1'400;
        load.set_latency = std::chrono::microseconds{second < 20 ? 92 : 140};
        load.get_latency = std::chrono::microseconds{second < 20 ? 85 : 130 + second % 3};
        load.worker_cpu_ratio = second < 20 ? 0.41 : 0.38;
        return load;
      })
      .metric("BytesUsedForCache",
              [](double t) {
                return 1'048'576 + (67'108'864.0 - 1'048'576) * std::clamp(t / 20, 0.0, 1.0);
              })
      .metric("CurrItems", [](double t) { return 48'166 * std::clamp(t / 20, 0.0, 1.0); })
      .metric("Evictions", [](double t) { return t < 20 ? 0.0 : 4'000 * (t - 20); })
      .metric("CacheHits", [](double t) { return 40'000 * std::max(0.0, t); })
      .metric("CacheMisses", [](double t) { return 14'500 * std::max(0.0, t); })
      .metric("used_cpu_user_main_thread_seconds", [](double t) { return 0.31 * std::max(0.0, t); })
      .metric("used_cpu_sys_main_thread_seconds", [](double t) { return 0.42 * std::max(0.0, t); })
      .metric("used_cpu_user_seconds", [](double t) { return 0.32 * std::max(0.0, t); })
      .metric("used_cpu_sys_seconds", [](double t) { return 0.43 * std::max(0.0, t); })
      .metric("host_cpu_busy_seconds", [](double t) { return 1.94 * std::max(0.0, t); })
      .metric(
          "command_calls",
          [](double t) {
            return 6'000 * std::clamp(t, 0.0, 20.0) + 4'200 * std::clamp(t - 20, 0.0, 20.0);
          },
          "set")
      .metric(
          "command_calls",
          [](double t) {
            return 60'000 * std::clamp(t, 0.0, 20.0) + 42'000 * std::clamp(t - 20, 0.0, 20.0);
          },
          "get")
      .edit([](record::Run& run) {
        run.header.scenario.name = "first-run";
        run.facts["workload.keys"] = "69497";
        run.receipts = {
            {std::chrono::seconds{43}, "process gone", "pid 4711: no such process", true},
            {std::chrono::seconds{43}, "port closed", "127.0.0.1:6401: connection refused", true},
            {std::chrono::seconds{43}, "directory removed",
             "/tmp/headroom-node-x1y2z3: no such file or directory", true}};
      });
  return builder;
}

// An hour-like shape in miniature: four minutes with room left after all keys were written in the
// first two, no doubt about anything.
[[nodiscard]] inline RunBuilder headroom_run() {
  RunBuilder builder;
  builder.measure(240)
      .load([](std::int64_t second) {
        LoadSecond load;
        load.hits = 9'000 + 40 * static_cast<std::uint64_t>(second * 7 % 11);
        load.misses = 1'000;
        load.sets = 1'000;
        load.get_latency = std::chrono::microseconds{165 + second % 4};
        load.set_latency = std::chrono::microseconds{175};
        return load;
      })
      .metric("BytesUsedForCache",
              [](double t) { return 2e6 + 274'300 * std::clamp(t, 0.0, 120.0); })
      .metric("CurrItems", [](double t) { return 200 * std::clamp(t, 0.0, 120.0); })
      .without("command_calls", "set")
      .without("command_calls", "get")
      .edit([](record::Run& run) { run.facts["workload.keys"] = "24000"; });
  return builder;
}

// Open loop at 3,300/s that stalls in its tenth second, when a tenth of what was due had to wait,
// and has requests left over in its last.
[[nodiscard]] inline RunBuilder open_loop_run() {
  RunBuilder builder;
  builder.asked(3'300).load([](std::int64_t second) {
    LoadSecond load;
    load.due = 1'100;
    load.waited = second == 10 ? std::chrono::milliseconds{400} : std::chrono::microseconds{20};
    load.late = second == 10 ? 1'100 : 0;
    if (second == 39) {
      load.hits -= 60;
      load.unsent = 60;
      load.unsent_age = std::chrono::milliseconds{35};
    }
    return load;
  });
  return builder;
}

// Killed in its ninth second; hostile texts in every place that takes text.
[[nodiscard]] inline RunBuilder killed_run() {
  RunBuilder builder;
  builder.measure(40).killed_after(9).edit([](record::Run& run) {
    run.header.scenario.name = "evil \x1b[31mname\x07 \xff";
    run.facts["engine.name"] = "valkey\r\n\x1b]0;title\x07";
    run.facts["engine.pid"] = "4711";
    run.facts["node.directory"] = "/tmp/headroom-node-x1\x1b[5m";
    run.warnings = {{record::WarningKind::kTelemetryAbsent, "\x1b[2Jno /proc\n"}};
    run.header.command_line = "headroom run \"a,b\".toml";
  });
  return builder;
}

// Never measured: the engine did not start.
[[nodiscard]] inline RunBuilder failed_run() {
  RunBuilder builder;
  builder.measure(0).without_telemetry().edit([](record::Run& run) {
    std::erase_if(run.phases, [](const record::PhaseSpan& span) {
      return span.phase == record::Phase::kMeasure || span.phase == record::Phase::kDrain;
    });
    run.worker_windows.clear();
    run.end = record::RunEnd::kFailed;
    run.end_reason = "valkey-server ended with status 1 before it answered: Bad directive";
    run.receipts = {{std::chrono::seconds{3}, "process gone", "pid 4711: no such process", true}};
  });
  return builder;
}

// Two shards; the second is fuller, the replica of the first is the busiest and had no link at
// first.
[[nodiscard]] inline RunBuilder two_shards_run() {
  RunBuilder builder;
  builder.edit([](record::Run& run) {
    run.members = {{"127.0.0.1:6401", 1, record::MemberRole::kPrimary},
                   {"127.0.0.1:6402", 2, record::MemberRole::kPrimary},
                   {"127.0.0.1:6403", 1, record::MemberRole::kReplica}};
    const std::vector<record::Point> times = run.find_metric("CurrItems")->points;
    const auto add = [&](const std::string& node, const char* metric, auto value) {
      record::MetricSeries series{metric, "", {}, node};
      for (const record::Point& point : times) {
        const double t = std::chrono::duration<double>(point.time - times.front().time).count();
        series.points.push_back({point.time, value(t)});
      }
      run.metrics.push_back(std::move(series));
    };
    const auto rate = [](double per_s) { return [per_s](double t) { return per_s * t; }; };
    const auto level = [](double value) { return [value](double) { return value; }; };
    std::erase_if(run.metrics, [](const record::MetricSeries& series) {
      return series.metric.starts_with("used_cpu") || series.metric.starts_with("process_") ||
             series.metric == "MemoryFragmentationRatio";
    });
    constexpr double kMiB = 1024.0 * 1024.0;
    const auto add_node = [&](const std::string& node, double used_mib, double cpu) {
      add(node, "BytesUsedForCache", level(used_mib * kMiB));
      add(node, "maxmemory", level(32 * kMiB));
      add(node, "used_cpu_user_main_thread_seconds", rate(cpu));
      add(node, "used_cpu_sys_main_thread_seconds", rate(0));
      add(node, "used_cpu_user_seconds", rate(cpu + 0.01));
      add(node, "used_cpu_sys_seconds", rate(0));
      add(node, "CurrItems", rate(10));
      add(node, "Evictions", rate(2));
      add(node, "total_commands_processed", rate(1'700));
      add(node, "MemoryFragmentationRatio", level(1.1));
    };
    add_node("127.0.0.1:6401", 16, 0.3);
    add_node("127.0.0.1:6402", 24, 0.4);
    add_node("127.0.0.1:6403", 60, 0.95);
    add("127.0.0.1:6403", "replication_lag_bytes", rate(100));
    add("127.0.0.1:6403", "MasterLinkHealthStatus", [](double t) { return t < 20 ? 0.0 : 1.0; });
  });
  return builder;
}

// noeviction at its limit: most SETs are refused.
[[nodiscard]] inline RunBuilder rejecting_run() {
  RunBuilder builder;
  builder.edit([](record::Run& run) {
    run.header.scenario.target.maxmemory_policy = "noeviction";
    for (auto& interval : run.intervals) {
      auto& set = interval.counts[0];
      set.outcomes[static_cast<std::size_t>(record::Outcome::kOk)] -= 210;
      set.outcomes[static_cast<std::size_t>(record::Outcome::kRejected)] = 210;
      record::LatencySeries refused{{0, record::Outcome::kRejected, record::LatencyKind::kService},
                                    {}};
      refused.histogram.record(std::chrono::microseconds{40}, 210);
      interval.latencies.insert(interval.latencies.begin() + 1, std::move(refused));
    }
  });
  return builder;
}

}  // namespace headroom::testing
