#include "load/request_watch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace headroom::load {
namespace {

using record::LatencyKind;
using record::Outcome;
using record::RequestRecord;
using record::Split;

// Tells the watch of a request if it wants to know, as a worker does.
void tell(RequestWatch& watch, const EndedRequest& request, Nanos sent = Nanos{0}) {
  if (!watch.wants(request.response.value_or(*request.service))) return;
  if (!watch.ended(request)) return;
  watch.remember({.sent = sent,
                  .operation = request.operation,
                  .outcome = request.outcome,
                  .value_bytes = request.value_bytes,
                  .service = request.service,
                  .response = request.response});
}

EndedRequest get(Nanos service) {
  return {.operation = 1, .outcome = Outcome::kHit, .service = service};
}

record::WorkerInterval taken(RequestWatch& watch) {
  record::WorkerInterval interval;
  watch.take(interval);
  return interval;
}

TEST(RequestWatch, KeepsTheSlowestOfAnIntervalTheSlowestFirst) {
  RequestWatch watch({.slowest = true}, 2, Random(1));
  watch.watch(true);
  Random random(3);
  std::vector<RequestRecord> all;
  for (int i = 0; i < 5000; ++i) {
    const Nanos service{static_cast<std::int64_t>(random.below(300'000))};
    tell(watch, get(service), Nanos{i});
    all.push_back({.sent = Nanos{i}, .operation = 1, .outcome = Outcome::kHit, .service = service});
  }
  std::ranges::sort(all, record::slower);
  all.resize(record::kSlowestKept);
  EXPECT_FALSE(watch.wants(all.back().felt() - Nanos{1}));
  EXPECT_EQ(taken(watch).slowest, all);
  // In the next interval only those that are slower still are among them.
  EXPECT_FALSE(watch.wants(all.back().felt()));
  EXPECT_TRUE(watch.wants(all.back().felt() + Nanos{1}));
  tell(watch, get(all.front().felt() + Nanos{1}), Nanos{1});
  EXPECT_EQ(taken(watch).slowest.size(), 1U);
}

TEST(RequestWatch, LooksAtNothingOutsideOfMeasureNorWhenNothingWasAskedFor) {
  RequestWatch watch({.slowest = true, .log_share = 1.0}, 2, Random(1));
  EXPECT_FALSE(watch.wants(std::chrono::hours{1}));
  EXPECT_FALSE(watch.active());
  watch.watch(true);
  EXPECT_TRUE(watch.wants(Nanos{0}));
  watch.watch(false);
  EXPECT_FALSE(watch.wants(std::chrono::hours{1}));
  RequestWatch none;
  none.watch(true);
  EXPECT_FALSE(none.wants(std::chrono::hours{1}));
}

TEST(RequestWatch, OfThoseWithoutAReplyNoneIsAmongTheSlowest) {
  RequestWatch watch({.slowest = true, .log_share = 1.0}, 2, Random(1));
  watch.watch(true);
  const EndedRequest lost{.operation = 0, .outcome = Outcome::kTimeout};
  ASSERT_TRUE(watch.ended(lost));
  watch.remember({.outcome = Outcome::kTimeout});
  const auto interval = taken(watch);
  EXPECT_TRUE(interval.slowest.empty());
  EXPECT_EQ(interval.logged.size(), 1U);
}

TEST(RequestWatch, LogsTheShareThatWasAskedForWhateverTheLatency) {
  constexpr int kRequests = 200'000;
  for (const double share : {0.01, 0.3, 1.0}) {
    RequestWatch watch({.log_share = share}, 2, Random(7));
    watch.watch(true);
    for (int i = 0; i < kRequests; ++i) tell(watch, get(Nanos{i}), Nanos{i});
    const auto logged = taken(watch).logged;
    const double expected = kRequests * share;
    const double deviation = std::sqrt(expected * (1 - share));
    EXPECT_NEAR(static_cast<double>(logged.size()), expected, 5 * deviation);
    double sum = 0;
    for (const RequestRecord& request : logged) sum += static_cast<double>(request.sent.count());
    const double mean = sum / static_cast<double>(logged.size());
    EXPECT_NEAR(mean, kRequests / 2.0, 5 * kRequests / std::sqrt(12 * expected) + 1);
  }
}

TEST(RequestWatch, SplitsBySizeClassAndByPopularity) {
  RequestWatch watch({.by_value_size = true, .by_keys = true}, 2, Random(1));
  watch.watch(true);
  EndedRequest request = get(Nanos{100});
  request.value_bytes = 100;
  request.hot = true;
  request.response = Nanos{700};
  tell(watch, request);
  request.hot = false;
  request.value_bytes = 128;
  tell(watch, request);
  tell(watch, {.operation = 1, .outcome = Outcome::kMiss, .hot = false, .service = Nanos{50}});
  tell(watch, {.operation = 0, .outcome = Outcome::kOk, .service = Nanos{50}});
  std::map<record::SplitKey, std::uint64_t> counts;
  for (const auto& series : taken(watch).splits) counts[series.key] = series.histogram.count();
  const record::LatencyKey hit{1, Outcome::kHit, LatencyKind::kService};
  const record::LatencyKey hit_response{1, Outcome::kHit, LatencyKind::kResponse};
  const record::LatencyKey miss{1, Outcome::kMiss, LatencyKind::kService};
  const std::map<record::SplitKey, std::uint64_t> expected = {
      {{Split::kValueSize, 128, hit}, 2},
      {{Split::kValueSize, 128, hit_response}, 2},
      {{Split::kKeys, record::kHotKeys, hit}, 1},
      {{Split::kKeys, record::kHotKeys, hit_response}, 1},
      {{Split::kKeys, record::kColdKeys, hit}, 1},
      {{Split::kKeys, record::kColdKeys, hit_response}, 1},
      {{Split::kKeys, record::kColdKeys, miss}, 1}};
  EXPECT_EQ(counts, expected);
  EXPECT_TRUE(taken(watch).splits.empty());
}

}  // namespace
}  // namespace headroom::load
