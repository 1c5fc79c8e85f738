#include "load/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "load/trace_feed.h"

namespace headroom::load {
namespace {

using namespace std::chrono_literals;
using scenario::Trace;
using scenario::TraceFormat;
using scenario::TraceTiming;
using testing::ElementsAre;
using testing::HasSubstr;

class TraceTest : public testing::Test {
 protected:
  Trace trace(const std::string& text, TraceFormat format = TraceFormat::kMonitor) {
    Trace made;
    made.file = (dir_->path() / "trace").string();
    made.format = format;
    const Status written = write_file(made.file, text);
    EXPECT_TRUE(written);
    return made;
  }
  static TraceSummary scanned(const Trace& trace) {
    auto summary = scan_trace(trace, 0);
    EXPECT_TRUE(summary) << summary.error().message;
    return summary ? *summary : TraceSummary{};
  }
  static std::string complaint(const Trace& trace) {
    const auto summary = scan_trace(trace, 0);
    EXPECT_FALSE(summary);
    return summary ? "" : summary.error().message;
  }

  Result<TempDir> dir_ = TempDir::create("trace-test");
};

std::string line(int time, int client, const std::string& words) {
  return fmt::format("{}.5 [0 10.0.0.1:{}] {}\n", time, client, words);
}

TEST_F(TraceTest, IsLookedThroughBeforeTheFirstRequest) {
  const TraceSummary summary = scanned(trace(
      "OK\n" + line(10, 1, R"("get" "a")") + line(11, 2, R"("SET" "a" "0123456789")") +
      line(12, 1, R"("AUTH" "x")") + line(14, 1, R"("GET" "b")") + line(20, 3, R"("SELECT" "1")")));
  EXPECT_EQ(summary.requests, 3U);
  EXPECT_EQ(summary.streams, 2U);
  EXPECT_EQ(summary.length, 4s);
  EXPECT_THAT(summary.verbs, ElementsAre("GET", "SET"));
  EXPECT_EQ(summary.largest_value, 10U);
  EXPECT_EQ(describe_trace(summary, {}),
            "3 requests over 4.00 s (0.750/s) by 2 clients; not replayed: 1 AUTH, 1 SELECT");
  const auto operations = operations_of(summary);
  ASSERT_EQ(operations.size(), 2U);
  EXPECT_EQ(operations[1].name, "SET");
  EXPECT_EQ(summary.operation("SET"), 1U);
}

TEST_F(TraceTest, ABadLineIsToldWithItsNumber) {
  EXPECT_THAT(complaint(trace(line(1, 1, R"("GET" "a")") + "\nrubbish\n")),
              HasSubstr("trace:3: is no line of MONITOR"));
  EXPECT_THAT(complaint(trace("op,key\nget,a\nget\n", TraceFormat::kCsv)),
              HasSubstr("has no column time"));
  Trace fast = trace("op,key\nget,a\nget\n", TraceFormat::kCsv);
  fast.timing = TraceTiming::kFast;
  EXPECT_THAT(complaint(fast), HasSubstr("trace:3: has 1 cells"));
  EXPECT_THAT(complaint(trace("key\n", TraceFormat::kCsv)), HasSubstr("trace:1: the header"));
  EXPECT_THAT(complaint(trace("", TraceFormat::kCsv)), HasSubstr("is empty"));
  EXPECT_THAT(complaint(trace("OK\n")), HasSubstr("holds no request that can be replayed"));
  Trace missing;
  missing.file = "/does/not/exist";
  EXPECT_THAT(complaint(missing), HasSubstr("/does/not/exist: cannot be read"));
  missing.file = "/dev/null";
  EXPECT_THAT(complaint(missing), HasSubstr("is no regular file"));
}

TEST_F(TraceTest, OfManyCommandsTheRareOnesAreOneOperation) {
  std::string text;
  for (int verb = 0; verb < 80; ++verb) {
    for (int times = 0; times <= (verb < 60 ? 1 : 0); ++times)
      text += line(verb, 1, fmt::format("\"V{}\" \"k\"", verb));
  }
  const TraceSummary summary = scanned(trace(text));
  ASSERT_EQ(summary.verbs.size(), TraceSummary::kMostVerbs + 1);
  EXPECT_EQ(summary.verbs.back(), TraceSummary::kOther);
  EXPECT_EQ(summary.operation("V79"), TraceSummary::kMostVerbs);
  EXPECT_EQ(summary.operation("V5"), summary.operation("V5"));
  EXPECT_LT(summary.operation("V5"), TraceSummary::kMostVerbs);
}

TEST_F(TraceTest, AFileOfManyChunksIsReadWholeWithoutALastLineEnd) {
  std::string text;
  const std::string value(3000, 'v');
  for (int i = 0; i < 1000; ++i)
    text += line(i, i % 7, fmt::format(R"("SET" "k{}" "{}")", i, value));
  text.pop_back();
  EXPECT_EQ(scanned(trace(text)).requests, 1000U);
}

std::vector<TraceRequest> all_of(TraceFeed feed, std::size_t most = 10'000) {
  std::vector<TraceRequest> requests;
  while (requests.size() < most && feed.next_due() < Nanos::max()) requests.push_back(feed.take());
  EXPECT_FALSE(feed.failure());
  return requests;
}

TEST_F(TraceTest, WorkersShareTheStreamsAndKeepTheirOrder) {
  std::string text;
  for (int i = 0; i < 3000; ++i)
    text += line(i, i * 7 % 50, fmt::format(R"("SET" "key{}" "v")", i));
  const Trace made = trace(text);
  const TraceSummary summary = scanned(made);
  std::map<std::string, int> seen;
  for (std::uint32_t worker = 0; worker < 3; ++worker) {
    std::map<int, std::uint32_t> connections;  // of a client
    std::map<std::uint32_t, Nanos> last;
    for (const TraceRequest& request : all_of(TraceFeed(made, summary, 0, {worker, 3}, 4))) {
      ++seen[request.key];
      const int client = std::stoi(request.key.substr(3)) * 7 % 50;
      const auto [known, first] = connections.emplace(client, request.connection);
      EXPECT_EQ(known->second, request.connection);
      EXPECT_LT(request.connection, 4U);
      EXPECT_LE(last[request.connection], request.due);
      last[request.connection] = request.due;
    }
  }
  EXPECT_EQ(seen.size(), 3000U);
}

TEST_F(TraceTest, TimesAreScaledAndRoundsFollowOneAnother) {
  Trace made = trace(line(10, 1, R"("GET" "a")") + line(12, 1, R"("GET" "b")") +
                     line(11, 1, R"("GET" "c")") + line(16, 1, R"("GET" "d")"));
  made.timing = TraceTiming::kScaled;
  made.speed = 2;
  made.loop = true;
  const TraceSummary summary = scanned(made);
  std::vector<Nanos> due;
  for (const TraceRequest& request : all_of(TraceFeed(made, summary, 0, {}, 1), 6))
    due.push_back(request.due);
  // A clock that goes back changes no order; the second round begins a mean gap after the first.
  EXPECT_THAT(due, ElementsAre(0s, 1s, 1s, 3s, 3750ms, 4750ms));
  made.loop = false;
  made.timing = TraceTiming::kFast;
  const auto fast = all_of(TraceFeed(made, summary, 0, {}, 1));
  ASSERT_EQ(fast.size(), 4U);
  EXPECT_EQ(fast[3].due, Nanos{0});
  // Of streams that there are none of nothing is found, however often the trace begins again.
  made.loop = true;
  EXPECT_TRUE(all_of(TraceFeed(made, summary, 0, {0, 2}, 1), 1).size() +
                  all_of(TraceFeed(made, summary, 0, {1, 2}, 1), 1).size() ==
              1U);
}

TEST_F(TraceTest, RequestsAreReadyForTheWire) {
  Trace made =
      trace("op,key,size,ttl,time\nset,k,5,60,0\nget,k,,,1\nappend,k,3,,2\n", TraceFormat::kCsv);
  const TraceSummary summary = scanned(made);
  EXPECT_EQ(summary.smallest_value, 3U);
  EXPECT_EQ(summary.largest_value, 5U);
  const auto requests = all_of(TraceFeed(made, summary, 0, {}, 1));
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[0].head, "*5\r\n$3\r\nSET\r\n$1\r\nk\r\n$5\r\n");
  EXPECT_EQ(requests[0].tail, "$2\r\nPX\r\n$5\r\n60000\r\n");
  EXPECT_EQ(requests[0].made_up_bytes, 5U);
  EXPECT_EQ(requests[1].head, "*2\r\n$3\r\nGET\r\n$1\r\nk\r\n");
  EXPECT_EQ(requests[1].value_bytes, std::nullopt);
  EXPECT_EQ(requests[2].tail, "");
}

}  // namespace
}  // namespace headroom::load
