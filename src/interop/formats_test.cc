// What is written for other programs: memtier_benchmark's JSON, valkey-benchmark's lines,
// HdrHistogram's text and log.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <zlib.h>

#include "base/text.h"
#include "interop/benchmark_lines.h"
#include "interop/hdr_histogram.h"
#include "interop/measured.h"
#include "interop/memtier_json.h"
#include "tests/support/run_builder.h"

namespace headroom::interop {
namespace {

using headroom::testing::LoadSecond;
using headroom::testing::RunBuilder;
using nlohmann::json;
using std::chrono::microseconds;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Three workers, ten seconds; each second has 3 x (100 SET, 900 hits, 100 misses).
record::Run quiet_run() { return RunBuilder().measure(10).build(); }

json json_of(const std::vector<record::Run>& runs, std::vector<double> percentiles = {50, 99.9}) {
  return json::parse(render_memtier_json(runs, percentiles));
}

TEST(Measured, SumsUpTheWindow) {
  const record::Run run = RunBuilder().warmup(3).measure(10).build();
  const Measured m = measured(run);
  EXPECT_EQ(m.seconds.size(), 10U);
  EXPECT_DOUBLE_EQ(m.length_s, 10);
  EXPECT_EQ(m.whole.operations[0].counts.of(record::Outcome::kOk), 3'000U);
  EXPECT_EQ(m.whole.operations[1].counts.of(record::Outcome::kHit), 27'000U);
  EXPECT_EQ(m.whole.all.completed.count(), 33'000U);
  EXPECT_FALSE(m.interrupted);
}

TEST(Measured, OfARunThatDiedHasTheSecondsOfAllWorkers) {
  record::Run run = RunBuilder().measure(10).killed_after(4).build();
  run.intervals.back().workers = 2;
  const Measured m = measured(run);
  EXPECT_EQ(m.seconds.size(), 3U);
  EXPECT_TRUE(m.interrupted);
}

TEST(MemtierJson, HasItsSectionsAndTrueNumbers) {
  const json doc = json_of({quiet_run()});
  EXPECT_EQ(doc["run information"]["Threads"], 3);
  EXPECT_EQ(doc["run information"]["Seconds"], 10);
  const json& all = doc["ALL STATS"];
  EXPECT_EQ(all["Runtime"]["Total duration"], 10'000);
  EXPECT_EQ(all["Runtime"]["Interrupted"], "false");
  EXPECT_EQ(all["Sets"]["Count"], 3'000);
  EXPECT_EQ(all["Sets"]["Ops/sec"], 300.0);
  EXPECT_EQ(all["Gets"]["Hits/sec"], 2'700.0);
  EXPECT_EQ(all["Gets"]["Misses/sec"], 300.0);
  EXPECT_EQ(all["Totals"]["Ops/sec"], 3'300.0);
  EXPECT_NEAR(all["Sets"]["Average Latency"].get<double>(), 0.120, 0.001);
  EXPECT_NEAR(all["Gets"]["Percentile Latencies"]["p99.90"].get<double>(), 0.100, 0.001);
  EXPECT_EQ(all["Sets"]["Time-Serie"].size(), 10U);
  EXPECT_EQ(all["Totals"]["Time-Serie"]["9"]["Count"], 3'300);
  EXPECT_THAT(all["Sets"]["Percentile Latencies"]["Histogram log format"]["Compressed Histogram"]
                  .get<std::string>(),
              StartsWith("HISTFAAA"));
}

TEST(MemtierJson, LeavesOutWhatNobodyMeasured) {
  const json doc = json_of({quiet_run()});
  EXPECT_TRUE(doc["ALL STATS"]["Sets"]["KB/sec"].is_null());
  EXPECT_TRUE(doc["ALL STATS"]["Totals"]["KB/sec"].is_number());
  EXPECT_FALSE(doc["ALL STATS"].contains("Waits"));
  const record::Run idle =
      RunBuilder()
          .measure(2)
          .load([](std::int64_t) { return LoadSecond{.sets = 5, .hits = 0, .misses = 0}; })
          .build();
  const json gets = json_of({idle})["ALL STATS"]["Gets"];
  EXPECT_EQ(gets["Count"], 0);
  EXPECT_TRUE(gets["Average Latency"].is_null());
  EXPECT_TRUE(gets["Percentile Latencies"]["p50.00"].is_null());
}

TEST(MemtierJson, NamesPercentilesWithoutCuttingThem) {
  const json doc = json_of({quiet_run()}, {99.99, 99.999, 100});
  const json& latencies = doc["ALL STATS"]["Totals"]["Percentile Latencies"];
  EXPECT_TRUE(latencies.contains("p99.99"));
  EXPECT_TRUE(latencies.contains("p99.999"));
  EXPECT_TRUE(latencies.contains("p100.00"));
}

TEST(MemtierJson, OfSeveralRunsHasTheBestAndTheWorst) {
  const auto run_of = [](std::uint64_t sets) {
    return RunBuilder()
        .measure(2)
        .load([=](std::int64_t) { return LoadSecond{.sets = sets}; })
        .build();
  };
  const json doc = json_of({run_of(10), run_of(30), run_of(20)});
  EXPECT_FALSE(doc.contains("ALL STATS"));
  EXPECT_EQ(doc["BEST RUN RESULTS"]["Sets"]["Count"], 180);
  EXPECT_EQ(doc["WORST RUN RESULTS"]["Sets"]["Count"], 60);
}

TEST(BenchmarkLines, HaveTheColumnsOfTheHeader) {
  const std::string row = benchmark_csv_row("SET", quiet_run(), 3);
  EXPECT_THAT(row, StartsWith("\"SET\",\"3300.00\",\"0.10"));
  EXPECT_EQ(split(row, ',').size(), split(benchmark_csv_header(), ',').size());
  EXPECT_THAT(benchmark_csv_row("a \"b\"", quiet_run(), 0),
              StartsWith("\"a \"\"b\"\"\",\"3300.00\",\"0\""));
  EXPECT_EQ(benchmark_line("GET", quiet_run(), 2),
            "GET: 3300.00 requests per second, p50=0.10 msec\n");
}

stats::Histogram steps() {
  stats::Histogram histogram;
  for (int i = 1; i <= 1000; ++i) histogram.record(microseconds{i});
  return histogram;
}

TEST(HdrPercentiles, AreWhatThePlotterReads) {
  const std::string text = hdr_percentiles(steps());
  const auto lines = split(text, '\n');
  EXPECT_EQ(lines[0], "       Value   Percentile   TotalCount 1/(1-Percentile)");
  EXPECT_EQ(lines[1], "");
  EXPECT_EQ(lines[2], "       0.001     0.000000            1         1.00");
  EXPECT_THAT(text, HasSubstr("       0.500     0.500000          500         2.00\n"));
  EXPECT_THAT(text, HasSubstr("       1.000     1.000000         1000          inf\n#[Mean    ="));
  EXPECT_THAT(text, HasSubstr("StdDeviation   =        0.289]"));
  EXPECT_THAT(text, HasSubstr("#[Max     =        1.000, Total count    =         1000]"));
}

TEST(HdrPercentiles, OfNothingIsAnEmptyTable) {
  EXPECT_THAT(hdr_percentiles({}), HasSubstr("Total count    =            0"));
}

// An independent reading of the encoding, by its description.
std::string base64_bytes(std::string_view text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int have = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6U | static_cast<std::uint32_t>(digits.find(c));
    have += 6;
    if (have < 8) continue;
    have -= 8;
    bytes += static_cast<char>((bits >> static_cast<unsigned>(have)) & 0xffU);
  }
  return bytes;
}

std::uint32_t word_at(std::string_view bytes, std::size_t at) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < 4; ++i) word = word << 8U | static_cast<unsigned char>(bytes[at + i]);
  return word;
}

std::string payload_of(const std::string& encoded) {
  const std::string bytes = base64_bytes(encoded);
  EXPECT_EQ(word_at(bytes, 0), 0x1c849314U);
  EXPECT_EQ(word_at(bytes, 4), bytes.size() - 8);
  std::string plain(1U << 16U, '\0');
  uLongf size = plain.size();
  EXPECT_EQ(::uncompress(reinterpret_cast<Bytef*>(plain.data()), &size,
                         reinterpret_cast<const Bytef*>(bytes.data() + 8), bytes.size() - 8),
            Z_OK);
  plain.resize(size);
  EXPECT_EQ(word_at(plain, 0), 0x1c849313U);
  EXPECT_EQ(word_at(plain, 4), plain.size() - 40);
  EXPECT_EQ(word_at(plain, 12), 3U);  // digits
  return plain.substr(40);
}

// Counts by HdrHistogram's index.
std::map<std::size_t, std::uint64_t> counts_of(const std::string& payload) {
  std::map<std::size_t, std::uint64_t> counts;
  std::size_t index = 0;
  for (std::size_t at = 0; at < payload.size();) {
    std::uint64_t word = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(payload[at++]);
      word |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      if ((byte & 0x80U) == 0) break;
    }
    const auto value =
        static_cast<std::int64_t>(word >> 1U) ^ -static_cast<std::int64_t>(word & 1U);
    if (value < 0) {
      index += static_cast<std::size_t>(-value);
    } else {
      counts[index++] = static_cast<std::uint64_t>(value);
    }
  }
  return counts;
}

TEST(HdrEncoding, HoldsEveryValueWhereHdrHistogramLooksForIt) {
  stats::Histogram histogram;
  histogram.record(microseconds{1});
  histogram.record(microseconds{2'047}, 3);
  histogram.record(microseconds{4'096}, 200);
  // Up to 2,047 us an index is the value. 4,096 us is in the second doubling: its middle, 4,098 us
  // at most, divided by 4, above two halves of 1,024 each.
  const auto counts = counts_of(payload_of(hdr_encoded(histogram)));
  ASSERT_EQ(counts.size(), 3U);
  EXPECT_EQ(counts.at(1), 1U);
  EXPECT_EQ(counts.at(2'047), 3U);
  EXPECT_EQ(counts.at(2 * 1'024 + 1'024), 200U);
}

TEST(HdrLog, HasOneInterval) {
  const WallTime begin{std::chrono::seconds{1'780'000'000}};
  const WallTime end{begin.since_epoch + std::chrono::milliseconds{2'500}};
  const auto log = hdr_log(steps(), "SET command HDR latency histogram results", begin, end);
  const auto lines = split(log, '\n');
  EXPECT_EQ(lines[0], "#[SET command HDR latency histogram results]");
  EXPECT_EQ(lines[1], "#[Histogram log format version 1.2]");
  EXPECT_THAT(std::string(lines[4]), StartsWith("1780000000.000,1780000002.500,1000.0,HISTFAAA"));
}

}  // namespace
}  // namespace headroom::interop
