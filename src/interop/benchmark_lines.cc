#include "interop/benchmark_lines.h"

#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "interop/measured.h"

namespace headroom::interop {
namespace {

std::string milliseconds(std::optional<double> nanoseconds, unsigned precision) {
  return nanoseconds ? fmt::format("{:.{}f}", *nanoseconds / 1e6, precision) : std::string();
}

std::optional<double> in_ns(std::optional<Nanos> time) {
  return time ? std::optional(static_cast<double>(time->count())) : std::nullopt;
}

// A cell in quotes, those within doubled (RFC 4180).
std::string quoted(std::string_view text) {
  std::string cell = "\"";
  for (const char c : text) cell += c == '"' ? std::string("\"\"") : std::string(1, c);
  return cell + '"';
}

double throughput(const Measured& measured) {
  return measured.per_s(measured.whole.all.counts.completed());
}

}  // namespace

std::string benchmark_csv_header() {
  return "\"test\",\"rps\",\"avg_latency_ms\",\"min_latency_ms\",\"p50_latency_ms\","
         "\"p95_latency_ms\",\"p99_latency_ms\",\"max_latency_ms\"\n";
}

std::string benchmark_csv_row(std::string_view test, const record::Run& run, unsigned precision) {
  const Measured measured = interop::measured(run);
  const stats::Histogram& latency = measured.whole.all.completed;
  std::string row = fmt::format("{},\"{:.2f}\"", quoted(test), throughput(measured));
  for (const std::optional<double> value :
       {latency.mean_ns(), in_ns(latency.min()), in_ns(latency.quantile(0.50)),
        in_ns(latency.quantile(0.95)), in_ns(latency.quantile(0.99)), in_ns(latency.max())}) {
    row += fmt::format(",\"{}\"", milliseconds(value, precision));
  }
  return row + "\n";
}

std::string benchmark_line(std::string_view test, const record::Run& run, unsigned precision) {
  const Measured measured = interop::measured(run);
  const auto median = in_ns(measured.whole.all.completed.quantile(0.50));
  return fmt::format("{}: {:.2f} requests per second, p50={} msec\n", test, throughput(measured),
                     median ? milliseconds(median, precision) : std::string("n/a"));
}

}  // namespace headroom::interop
