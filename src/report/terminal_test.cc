#include "report/terminal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"
#include "base/text.h"
#include "report/text.h"
#include "tests/support/golden.h"
#include "tests/support/sample_runs.h"

namespace headroom::report {
namespace {

using headroom::testing::expect_golden;
using headroom::testing::RunBuilder;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string rendered(const record::Run& run, const Source& source = {}, bool colour = false) {
  return render_terminal(run, analysis::summarize(run), source, {colour});
}

const Source kSealed = {"runs/first-run-20260528T202640Z.run", Seal::kSealed,
                        "3fa2b9c1d4e5f60718293a4b5c6d7e8f3fa2b9c1d4e5f60718293a4b5c6d7e8f"};

std::vector<record::Run> all_runs() {
  std::vector<record::Run> runs;
  runs.push_back(headroom::testing::boundary_run().build());
  runs.push_back(headroom::testing::headroom_run().build());
  runs.push_back(headroom::testing::killed_run().build());
  runs.push_back(headroom::testing::rejecting_run().build());
  runs.push_back(headroom::testing::open_loop_run().build());
  runs.push_back(headroom::testing::two_shards_run().build());
  runs.push_back(headroom::testing::failed_run().build());
  runs.push_back(RunBuilder().without_telemetry().build());
  runs.emplace_back();
  return runs;
}

TEST(Terminal, ShowsABoundaryRun) {
  expect_golden("terminal_boundary.txt",
                rendered(headroom::testing::boundary_run().build(), kSealed));
}

TEST(Terminal, ShowsAHeadroomRun) {
  expect_golden("terminal_headroom.txt",
                rendered(headroom::testing::headroom_run().build(), kSealed));
}

TEST(Terminal, ShowsEachOfSeveralNodes) {
  expect_golden(
      "terminal_nodes.txt",
      rendered(headroom::testing::two_shards_run()
                   .metric(
                       "command_usec", [](double t) { return 15'000 * t; }, "get")
                   .metric(
                       "command_latency_count", [](double t) { return 2'940 * t; }, "get<=8us")
                   .metric(
                       "command_latency_count", [](double t) { return 60 * t; }, "get<=66us")
                   .build()));
}

TEST(Terminal, ShowsARejectingRun) {
  expect_golden("terminal_rejecting.txt", rendered(headroom::testing::rejecting_run().build()));
}

TEST(Terminal, ShowsHowLongConnectionsTookToOpen) {
  const auto times = [](Nanos value, std::uint64_t count) {
    stats::Histogram histogram;
    histogram.record(value, count);
    return histogram;
  };
  const record::Run run =
      RunBuilder()
          .edit([&](record::Run& made) {
            using record::ConnectStep;
            made.intervals[0].connects = {
                {{ConnectStep::kConnect, false}, times(std::chrono::microseconds{100}, 12)},
                {{ConnectStep::kTls, false}, times(std::chrono::milliseconds{2}, 12)},
                {{ConnectStep::kTls, true}, times(std::chrono::milliseconds{3}, 1234)}};
            made.workers[0].health.connections_opened = 1246;
            made.workers[0].health.connections_renewed = 1233;
            made.workers[0].health.connections_lost = 1;
            made.workers.back().health.connections_idle = 20;
            made.facts["target.tls"] = "TLSv1.3, TLS_AES_256_GCM_SHA384";
            made.header.scenario.target.tls = true;
            made.header.scenario.target.kind = scenario::TargetKind::kEndpoint;
            made.header.scenario.target.host = "cache";
            made.header.scenario.target.port = 6380;
            made.header.scenario.target.protocol = scenario::Protocol::kResp3;
          })
          .build();
  const std::string page = rendered(run);
  EXPECT_THAT(page, HasSubstr("valkey 9.1.2 at cache:6380 under TLSv1.3, RESP3\n"));
  EXPECT_THAT(
      page,
      HasSubstr("CONNECTIONS                    whole run: how long each step of opening one took\n"
                "                            p50      p90      p99    p99.9      max  count\n"
                "  connect                100 us   100 us      n/a      n/a   100 us     12\n"
                "  TLS handshake         2.00 ms  2.00 ms      n/a      n/a  2.00 ms     12\n"
                "  TLS handshake, again  3.00 ms  3.00 ms  3.00 ms  3.00 ms  3.00 ms  1,234\n"
                "  1,246 opened, 1,233 renewed by plan, 1 lost; 20 idle when the window ended\n"));
}

TEST(Terminal, LeavesConnectionsOutOfARunThatMeasuredNone) {
  EXPECT_THAT(rendered(RunBuilder().build()), Not(HasSubstr("CONNECTIONS")));
}

TEST(Terminal, ShowsAnOpenLoopRun) {
  expect_golden("terminal_open_loop.txt", rendered(headroom::testing::open_loop_run().build()));
}

TEST(Terminal, NamesWhatPacesTheLoad) {
  RunBuilder thinking;
  thinking.edit([](record::Run& run) {
    scenario::Load& load = run.header.scenario.load;
    load.think_time = {scenario::ThinkTime::Kind::kExponential, std::chrono::milliseconds{5}};
    load.emulated_rtt = std::chrono::microseconds{350};
  });
  EXPECT_THAT(rendered(thinking.build()),
              AllOf(HasSubstr("think time exponential(5ms)"), HasSubstr("emulated round trip")));
}

TEST(Terminal, ShowsAKilledRunWithHostileTexts) {
  const std::string page =
      rendered(headroom::testing::killed_run().build(), {"runs/x.run", Seal::kIncomplete, ""});
  expect_golden("terminal_killed.txt", page);
  for (const char c : page) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
}

TEST(Terminal, ShowsOfAFailedStartOnlyHowItEnded) {
  const std::string page = rendered(headroom::testing::failed_run().build(), kSealed);
  expect_golden("terminal_failed.txt", page);
  EXPECT_THAT(page, Not(HasSubstr("n/a")));
  EXPECT_THAT(page, Not(HasSubstr("WARNING")));
}

TEST(Terminal, NamesWhatAKilledRunMayHaveLeft) {
  const auto killed = [](const std::function<void(record::Run&)>& change) {
    std::string page = rendered(RunBuilder().killed_after(9).edit(change).build());
    page.erase(0, page.find("TEAR-DOWN"));
    std::string one_line;  // as if it were not wrapped
    for (const std::string_view line : split(page, '\n')) one_line += trim(line), one_line += ' ';
    return one_line;
  };
  EXPECT_THAT(killed([](record::Run& run) { run.facts["engine.pid"] = "4712"; }),
              AllOf(HasSubstr("TEAR-DOWN"), HasSubstr("ps -p 4712"), Not(HasSubstr("directory"))));
  EXPECT_THAT(killed([](record::Run& run) {
                run.events = {{Nanos{1}, record::EventKind::kNote,
                               "started valkey 9.1.2 as pid 4713 on 127.0.0.1:6401"}};
                run.facts["node.directory"] = "/tmp/headroom-node-7";
              }),
              AllOf(HasSubstr("ps -p 4713"), HasSubstr("/tmp/headroom-node-7 may remain until")));
  EXPECT_THAT(killed([](record::Run&) {}), HasSubstr("its pid was not recorded"));
  EXPECT_THAT(killed([](record::Run& run) {
                run.header.scenario.target.kind = scenario::TargetKind::kEndpoint;
              }),
              HasSubstr("may still be on the target"));
}

TEST(Terminal, ShowsMemoryBeyondItsLimitAsNoHeadroom) {
  const std::string page =
      rendered(RunBuilder()
                   .metric("BytesUsedForCache", [](double) { return 67'108'864 * 1.0003; })
                   .metric("Evictions", [](double t) { return 10 * std::max(0.0, t); })
                   .build());
  EXPECT_THAT(page, HasSubstr("headroom                   0 %   0.03 % beyond maxmemory"));
}

TEST(Terminal, ComparesNoWorkersWhereThereIsOne) {
  const std::string page = rendered(RunBuilder().workers(1).build());
  EXPECT_THAT(page, Not(HasSubstr("together")));
  EXPECT_THAT(page, Not(HasSubstr("differs")));
}

TEST(Terminal, SaysHowMuchNoiseALevelHides) {
  const auto page = [](double swing) {
    return rendered(RunBuilder()
                        .load([swing, random = Random(7)](std::int64_t) mutable {
                          headroom::testing::LoadSecond load;
                          load.hits += static_cast<std::uint64_t>(swing * random.uniform());
                          return load;
                        })
                        .build());
  };
  EXPECT_THAT(page(900), HasSubstr("one level as far as"));
  EXPECT_THAT(page(0), Not(HasSubstr("noise")));
}

TEST(Terminal, ShowsAnEmptyRun) { expect_golden("terminal_empty.txt", rendered(record::Run{})); }

TEST(Terminal, NeverIsWiderThan80ColumnsNorEndsALineWithBlanks) {
  for (const record::Run& run : all_runs()) {
    const std::string page = rendered(run, kSealed);
    for (const std::string_view line : split(page, '\n')) {
      EXPECT_LE(display_width(line), 80U) << line;
      EXPECT_FALSE(line.ends_with(' ')) << line;
    }
  }
}

TEST(Terminal, ColourOnlyAddsToThePlainText) {
  for (const record::Run& run : all_runs()) {
    std::string coloured = rendered(run, kSealed, true);
    EXPECT_THAT(coloured, HasSubstr("\x1b["));
    std::string plain;
    for (std::size_t at = 0; at < coloured.size(); ++at) {
      if (coloured[at] == '\x1b')
        at = coloured.find('m', at);
      else
        plain += coloured[at];
    }
    EXPECT_EQ(plain, rendered(run, kSealed));
  }
}

TEST(Terminal, ShowsWarningsAndVerdictsAboveTheNumbers) {
  const std::string page = rendered(headroom::testing::boundary_run().build());
  EXPECT_LT(page.find("VERDICT"), page.find("1 WARNING"));
  EXPECT_LT(page.find("1 WARNING"), page.find("THROUGHPUT"));
  EXPECT_THAT(page, HasSubstr("->"));
}

TEST(Terminal, SaysLoudlyThatAFileWasChanged) {
  EXPECT_THAT(rendered(RunBuilder().build(), {"x.run", Seal::kTampered, "ab"}),
              HasSubstr("CHANGED SINCE IT WAS SEALED"));
  EXPECT_THAT(rendered(RunBuilder().build()), Not(HasSubstr("seal")));
}

TEST(Terminal, ShowsWhatEndedWithoutAReply) {
  const auto run = RunBuilder()
                       .edit([](record::Run& made) {
                         made.intervals[0].counts[1].outcomes[6] = 3;  // lost
                       })
                       .build();
  EXPECT_THAT(rendered(run), HasSubstr("GET lost 3"));
}

}  // namespace
}  // namespace headroom::report
