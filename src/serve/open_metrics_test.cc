#include "serve/open_metrics.h"

#include <gmock/gmock.h>

#include <regex>
#include <set>

#include "base/text.h"
#include "record/metric.h"

namespace headroom::serve {
namespace {

using record::Outcome;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class RunTotalsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    record::RunHeader header;
    header.run_id = "abc";
    header.scenario.name = "made-up";
    header.tool_version = "0.1.0";
    header.operations = {"SET", "say \"hi\"\n\\"};
    totals_.begin(header);
  }
  void add_second() {
    record::MergedInterval interval;
    interval.counts.resize(2);
    interval.counts[0].sent = 3;
    interval.counts[0].outcomes[static_cast<std::size_t>(Outcome::kOk)] = 3;
    record::LatencySeries series{{0, Outcome::kOk, record::LatencyKind::kService}, {}};
    series.histogram.record(std::chrono::microseconds{40});
    series.histogram.record(std::chrono::microseconds{90});
    series.histogram.record(std::chrono::seconds{400});
    interval.latencies.push_back(std::move(series));
    totals_.add(interval);
  }
  RunTotals totals_;
};

TEST_F(RunTotalsTest, CountsRequestsSinceTheBegin) {
  add_second();
  add_second();
  EXPECT_THAT(totals_.text(),
              HasSubstr("headroom_requests_total{operation=\"SET\",outcome=\"ok\"} 6\n"));
  EXPECT_THAT(totals_.text(), HasSubstr("headroom_requests_sent_total{operation=\"SET\"} 6\n"));
}

TEST_F(RunTotalsTest, PutsLatenciesIntoCumulativeBuckets) {
  add_second();
  const std::string text = totals_.text();
  const std::string name =
      "headroom_request_duration_seconds_bucket{operation=\"SET\",outcome=\"ok\",from=\"send\",le=";
  EXPECT_THAT(text, HasSubstr(name + "\"2.5e-05\"} 0\n"));
  EXPECT_THAT(text, HasSubstr(name + "\"5e-05\"} 1\n"));
  EXPECT_THAT(text, HasSubstr(name + "\"0.0001\"} 2\n"));
  EXPECT_THAT(text, HasSubstr(name + "\"300.0\"} 2\n"));
  EXPECT_THAT(text, HasSubstr(name + "\"+Inf\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("headroom_request_duration_seconds_count{operation=\"SET\","
                              "outcome=\"ok\",from=\"send\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("from=\"send\"} 400.00013"));
}

TEST_F(RunTotalsTest, ShowsTheEnginesLastValuesAndOnlyThoseThatWereSampled) {
  const auto sample = [&](const char* metric, double value) {
    totals_.add(record::SampleBatch{Nanos{0}, {{record::metric(metric), "", value}}});
  };
  sample("Evictions", 5);
  sample("Evictions", 8);
  sample("BytesUsedForCache", 1e6);
  const std::string text = totals_.text();
  EXPECT_THAT(text, HasSubstr("# TYPE headroom_engine_evicted_keys counter\n"));
  EXPECT_THAT(text, HasSubstr("\nheadroom_engine_evicted_keys_total 8\n"));
  EXPECT_THAT(text, HasSubstr("# UNIT headroom_engine_memory_used_bytes bytes\n"));
  EXPECT_THAT(text, HasSubstr("\nheadroom_engine_memory_used_bytes 1000000\n"));
  EXPECT_THAT(text, Not(HasSubstr("headroom_engine_keys")));
}

TEST_F(RunTotalsTest, NamesThePhaseAndNoneOnceItEnded) {
  totals_.phase_began(record::Phase::kMeasure);
  EXPECT_THAT(totals_.text(), HasSubstr("headroom_phase{headroom_phase=\"measure\"} 1\n"));
  EXPECT_THAT(totals_.text(), HasSubstr("headroom_phase{headroom_phase=\"warmup\"} 0\n"));
  totals_.ended();
  EXPECT_THAT(totals_.text(), HasSubstr("headroom_phase{headroom_phase=\"measure\"} 0\n"));
}

TEST_F(RunTotalsTest, ShowsEachWorkersState) {
  record::WorkerCounts counts;
  counts.worker = 2;
  counts.health.cpu = std::chrono::milliseconds{300};
  counts.health.in_flight = 4;
  totals_.add(counts);
  totals_.add(counts);
  EXPECT_THAT(totals_.text(), HasSubstr("headroom_worker_cpu_seconds_total{worker=\"2\"} 0.6\n"));
  EXPECT_THAT(totals_.text(), HasSubstr("headroom_worker_in_flight_requests{worker=\"2\"} 4\n"));
  EXPECT_THAT(totals_.text(), Not(HasSubstr("headroom_worker_backlog_requests{")));
}

// The grammar of the format: every line is a comment of three kinds, a sample of the family that
// was announced last, or the end.
TEST_F(RunTotalsTest, KeepsToTheFormat) {
  add_second();
  totals_.add(record::SampleBatch{Nanos{0}, {{record::metric("Evictions"), "", 1}}});
  totals_.add(record::WorkerCounts{});
  const std::string text = totals_.text();
  EXPECT_THAT(text, EndsWith("\n# EOF\n"));
  const std::regex sample(
      R"re(([a-z_]+)(\{[a-z_]+="([^"\\\n]|\\.)*"(,[a-z_]+="([^"\\\n]|\\.)*")*\})? (\+Inf|[-0-9.e+]+))re");
  std::string family;
  std::string type;
  std::set<std::string> families;
  for (const std::string_view line :
       split(std::string_view(text).substr(0, text.size() - 7), '\n')) {
    if (line.starts_with("# TYPE ")) {
      const auto words = split(line, ' ');
      ASSERT_EQ(words.size(), 4) << line;
      family = words[2];
      type = words[3];
      EXPECT_TRUE(families.insert(family).second) << "twice: " << family;
      continue;
    }
    if (line.starts_with("# UNIT ")) {
      const auto words = split(line, ' ');
      EXPECT_EQ(words[2], family);
      EXPECT_THAT(family, EndsWith("_" + std::string(words[3])));
      continue;
    }
    if (line.starts_with("# HELP ")) {
      EXPECT_THAT(std::string(line), StartsWith("# HELP " + family + " "));
      continue;
    }
    std::cmatch match;
    ASSERT_TRUE(std::regex_match(line.data(), line.data() + line.size(), match, sample)) << line;
    const std::string name = match[1];
    if (type == "counter")
      EXPECT_EQ(name, family + "_total");
    else if (type == "info")
      EXPECT_EQ(name, family + "_info");
    else if (type == "histogram")
      EXPECT_TRUE(name == family + "_bucket" || name == family + "_count" ||
                  name == family + "_sum");
    else
      EXPECT_EQ(name, family);
  }
}

}  // namespace
}  // namespace headroom::serve
