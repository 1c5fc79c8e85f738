#include "interop/memtier_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "base/check.h"
#include "interop/hdr_histogram.h"
#include "interop/measured.h"
#include "scenario/print.h"

namespace headroom::interop {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr double kBytesPerKb = 1024;

// With the digits that the other program gives: more would be noise in a script's diff.
OrderedJson rounded(double value, int digits) {
  const double scale = std::pow(10, digits);
  return std::round(value * scale) / scale;
}

OrderedJson milliseconds(std::optional<Nanos> time) {
  if (!time) return nullptr;
  return rounded(std::chrono::duration<double, std::milli>(*time).count(), 3);
}
OrderedJson mean_milliseconds(const stats::Histogram& histogram) {
  const auto mean = histogram.mean_ns();
  return mean ? rounded(*mean / 1e6, 3) : OrderedJson(nullptr);
}

// "p50.00", "p99.90", and as many digits as it takes: "p99.999".
std::string percentile_name(double percentile) {
  const std::string shortest = fmt::format("{}", percentile);
  const std::size_t point = shortest.find('.');
  const bool has_more = point != std::string::npos && shortest.size() - point > 3;
  return has_more ? "p" + shortest : fmt::format("p{:.2f}", percentile);
}

void add_percentiles(OrderedJson& into, const stats::Histogram& histogram,
                     const std::vector<double>& percentiles) {
  for (const double percentile : percentiles)
    into[percentile_name(percentile)] = milliseconds(histogram.quantile(percentile / 100));
}

void add_latency(OrderedJson& into, const stats::Histogram& histogram) {
  into["Average Latency"] = mean_milliseconds(histogram);
  const double sum_ms =
      histogram.mean_ns().value_or(0) * static_cast<double>(histogram.count()) / 1e6;
  into["Accumulated Latency"] = static_cast<std::int64_t>(std::llround(sum_ms));
  into["Min Latency"] = milliseconds(histogram.min());
  into["Max Latency"] = milliseconds(histogram.max());
}

class Renderer {
 public:
  Renderer(const record::Run& run, const std::vector<double>& percentiles)
      : measured_(measured(run)), percentiles_(percentiles) {}

  [[nodiscard]] double throughput() const {
    return measured_.per_s(measured_.whole.all.counts.completed());
  }

  [[nodiscard]] OrderedJson render() const {
    OrderedJson json;
    json["Runtime"] = runtime();
    for (std::size_t i = 0; i < measured_.names.size(); ++i)
      json[command_name(measured_.names[i])] = command(i);
    json["Totals"] = command(std::nullopt);
    return json;
  }

 private:
  static std::int64_t since_epoch_ms(WallTime time) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(time.since_epoch).count();
  }

  // "SET" -> "Sets"
  static std::string command_name(const std::string& operation) {
    std::string name;
    for (const char c : operation) {
      const bool is_letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
      name += !is_letter ? c : static_cast<char>(name.empty() ? c & ~0x20 : c | 0x20);
    }
    return name + "s";
  }

  [[nodiscard]] OrderedJson runtime() const {
    OrderedJson json;
    json["Start time"] = since_epoch_ms(measured_.begin);
    json["Finish time"] = since_epoch_ms(measured_.end);
    json["Total duration"] = std::llround(measured_.length_s * 1000);
    json["Time unit"] = "MILLISECONDS";
    json["Interrupted"] = measured_.interrupted ? "true" : "false";
    return json;
  }

  [[nodiscard]] static const Tally& tally(const Second& second, std::optional<std::size_t> index) {
    return index ? second.operations[*index] : second.all;
  }

  // Of one operation, or of all.
  [[nodiscard]] OrderedJson command(std::optional<std::size_t> index) const {
    const Tally& whole = tally(measured_.whole, index);
    const record::OperationCounts& counts = whole.counts;
    OrderedJson json;
    json["Count"] = counts.completed();
    json["Ops/sec"] = rounded(measured_.per_s(counts.completed()), 2);
    json["Hits/sec"] = rounded(measured_.per_s(counts.of(record::Outcome::kHit)), 2);
    json["Misses/sec"] = rounded(measured_.per_s(counts.of(record::Outcome::kMiss)), 2);
    // A connection is no command's.
    json["Connection Errors/sec"] =
        index ? OrderedJson(nullptr) : rounded(measured_.per_s(measured_.connections_lost), 2);
    json["Connection Errors"] =
        index ? OrderedJson(nullptr) : OrderedJson(measured_.connections_lost);
    json["Not Completed"] = counts.total() - counts.completed();
    json["Latency"] = mean_milliseconds(whole.completed);
    add_latency(json, whole.completed);
    // Bytes are counted by connection, not by command.
    const auto kb_per_s = [&](std::uint64_t bytes) {
      return index ? OrderedJson(nullptr) : rounded(measured_.per_s(bytes) / kBytesPerKb, 2);
    };
    const std::uint64_t sent = measured_.whole.bytes_sent;
    const std::uint64_t received = measured_.whole.bytes_received;
    json["KB/sec"] = kb_per_s(sent + received);
    json["KB/sec RX/TX"] = kb_per_s(sent + received);
    json["KB/sec RX"] = kb_per_s(received);
    json["KB/sec TX"] = kb_per_s(sent);
    json["Time-Serie"] = time_series(index);
    OrderedJson latencies;
    add_percentiles(latencies, whole.completed, percentiles_);
    latencies["Histogram log format"]["Compressed Histogram"] =
        whole.completed.empty() ? OrderedJson(nullptr) : OrderedJson(hdr_encoded(whole.completed));
    json["Percentile Latencies"] = std::move(latencies);
    return json;
  }

  [[nodiscard]] OrderedJson time_series(std::optional<std::size_t> index) const {
    OrderedJson series = OrderedJson::object();
    for (std::size_t i = 0; i < measured_.seconds.size(); ++i) {
      const Second& second = measured_.seconds[i];
      const Tally& part = tally(second, index);
      OrderedJson json;
      json["Bytes RX"] = index ? OrderedJson(nullptr) : OrderedJson(second.bytes_received);
      json["Bytes TX"] = index ? OrderedJson(nullptr) : OrderedJson(second.bytes_sent);
      json["Count"] = part.counts.completed();
      if (!part.completed.empty()) {
        add_latency(json, part.completed);
        add_percentiles(json, part.completed, percentiles_);
      }
      series[fmt::format("{}", i)] = std::move(json);
    }
    return series;
  }

  const Measured measured_;
  const std::vector<double>& percentiles_;
};

OrderedJson configuration(const scenario::Scenario& scenario) {
  OrderedJson json;
  json["server"] =
      scenario.target.socket.empty() ? OrderedJson(scenario.target.host) : OrderedJson(nullptr);
  json["port"] =
      scenario.target.socket.empty() ? OrderedJson(scenario.target.port) : OrderedJson(nullptr);
  json["unix socket"] =
      scenario.target.socket.empty() ? OrderedJson(nullptr) : OrderedJson(scenario.target.socket);
  json["threads"] = scenario.load.workers;
  json["clients"] = scenario.load.connections;
  json["pipeline"] = scenario.load.pipeline;
  json["headroom scenario"] = scenario::print_scenario(scenario);
  return json;
}

OrderedJson run_information(const scenario::Scenario& scenario) {
  OrderedJson json;
  json["Threads"] = scenario.load.workers;
  json["Connections per thread"] = scenario.load.connections;
  const std::uint64_t clients = std::uint64_t{scenario.load.workers} * scenario.load.connections;
  if (scenario.load.requests) {
    json["Requests per client"] = *scenario.load.requests / clients;
  } else {
    json["Seconds"] = std::chrono::duration<double>(scenario.timing.measure).count();
  }
  json["Format version"] = 2;
  return json;
}

}  // namespace

std::string render_memtier_json(std::span<const record::Run> runs,
                                const std::vector<double>& percentiles) {
  check(!runs.empty(), "there is a run to render");
  std::vector<Renderer> renderers;
  for (const record::Run& run : runs) renderers.emplace_back(run, percentiles);
  OrderedJson json;
  json["configuration"] = configuration(runs.front().header.scenario);
  json["run information"] = run_information(runs.front().header.scenario);
  if (renderers.size() == 1) {
    json["ALL STATS"] = renderers.front().render();
  } else {
    const auto [worst, best] = std::ranges::minmax_element(
        renderers, {}, [](const Renderer& r) { return r.throughput(); });
    json["BEST RUN RESULTS"] = best->render();
    json["WORST RUN RESULTS"] = worst->render();
  }
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace headroom::interop
