#include "telemetry/engine_journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scripted/scripted_server.h"

namespace headroom::telemetry {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

resp::ReplyTree decoded(std::string_view text) {
  const auto reply = resp::decode_reply(text);
  EXPECT_TRUE(reply && std::holds_alternative<resp::Decoded>(*reply)) << text;
  return std::get<resp::Decoded>(*reply).reply;
}

std::string bulk(std::string_view text) { return fmt::format("${}\r\n{}\r\n", text.size(), text); }

std::string slow_entry(int id, int unix_s, int took_us, std::vector<std::string> words) {
  std::string entry =
      fmt::format("*6\r\n:{}\r\n:{}\r\n:{}\r\n*{}\r\n", id, unix_s, took_us, words.size());
  for (const std::string& word : words) entry += bulk(word);
  return entry + bulk("127.0.0.1:1") + bulk("");
}

TEST(SlowLog, IsReadEntryByEntry) {
  const auto entries = read_slow_log(
      decoded("*2\r\n" + slow_entry(8, 1'700'000'001, 12'500, {"SORT", "key:\x1b[1m", "BY", "x"}) +
              slow_entry(7, 1'700'000'000, 3, {"GET", "a"})));
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].id, 8);
  EXPECT_EQ(entries[0].at.since_epoch, seconds{1'700'000'001});
  EXPECT_EQ(entries[0].took, microseconds{12'500});
  EXPECT_EQ(entries[0].command, "SORT key:\\x1b[1m ...");
  EXPECT_EQ(entries[1].command, "GET a");
}

TEST(SlowLog, PassesOverWhatHasAnotherForm) {
  EXPECT_THAT(read_slow_log(decoded("*0\r\n")), IsEmpty());
  EXPECT_THAT(read_slow_log(decoded("*2\r\n:1\r\n*1\r\n:2\r\n")), IsEmpty());
  EXPECT_THAT(read_slow_log(decoded("+OK\r\n")), IsEmpty());
}

TEST(Latest, IsReadEventByEvent) {
  const auto entries = read_latest_latency(
      decoded("*1\r\n*4\r\n" + bulk("command") + ":1700000000\r\n:12\r\n:250\r\n"));
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].event, "command");
  EXPECT_EQ(entries[0].latest, milliseconds{12});
  EXPECT_EQ(entries[0].longest, milliseconds{250});
}

TEST(Histogram, BecomesCountsOfEachBucket) {
  const std::string get = bulk("get") + "*4\r\n" + bulk("calls") + ":10\r\n" +
                          bulk("histogram_usec") + "*4\r\n:8\r\n:6\r\n:66\r\n:10\r\n";
  const auto samples = read_latency_histogram(decoded("*2\r\n" + get));
  ASSERT_EQ(samples.size(), 2U);
  EXPECT_EQ(samples[0].label, "get<=8us");
  EXPECT_EQ(samples[0].value, 6);
  EXPECT_EQ(samples[1].label, "get<=66us");
  EXPECT_EQ(samples[1].value, 4);
  EXPECT_THAT(read_latency_histogram(decoded("%1\r\n" + bulk("get") + "%0\r\n")), IsEmpty());
}

class EngineJournalTest : public testing::Test {
 protected:
  void serve(scripted::Script script) {
    auto server = scripted::ScriptedServer::start(std::move(script));
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
    auto client = resp::Client::connect({.address = server_->address()}, deadline());
    ASSERT_TRUE(client) << client.error().message;
    client_.emplace(std::move(*client));
  }
  static Nanos deadline() { return real_clock().now() + seconds{10}; }
  std::vector<std::string> slow() {
    std::vector<std::string> texts;
    for (const auto& event : journal_.new_slow_entries(*client_, deadline(), kOrigin))
      texts.push_back(event.text);
    return texts;
  }

  static constexpr WallTime kOrigin{seconds{1'700'000'000}};
  EngineJournal journal_;
  std::unique_ptr<scripted::ScriptedServer> server_;
  std::optional<resp::Client> client_;
};

TEST_F(EngineJournalTest, TellsOnlyOfNewEntriesAndWhatIsMissing) {
  scripted::Script script;
  const std::string old = slow_entry(4, 1'600'000'000, 90'000, {"KEYS", "*"});
  script.on({"SLOWLOG"}).raw("*1\r\n" + old);
  script.on({"SLOWLOG"})
      .nth(1)
      .raw("*2\r\n" + slow_entry(5, 1'700'000'002, 11'000, {"GET", "a"}) + old);
  script.on({"SLOWLOG"}).nth(2).raw("*1\r\n" + slow_entry(9, 1'700'000'003, 20'000, {"GET", "b"}));
  serve(std::move(script));
  EXPECT_THAT(slow(), IsEmpty());
  EXPECT_THAT(slow(), ElementsAre("GET a took 11.0 ms"));
  EXPECT_THAT(slow(), ElementsAre("GET b took 20.0 ms; 3 before it had left the slow log"));
}

TEST_F(EngineJournalTest, DoesNotAskAgainWhatIsRefused) {
  scripted::Script script;
  script.on({"SLOWLOG"}).error("NOPERM");
  script.on({"LATENCY"}).error("ERR unknown command");
  serve(std::move(script));
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(slow(), IsEmpty());
    EXPECT_THAT(journal_.latency_histogram(*client_, deadline()), IsEmpty());
    EXPECT_THAT(journal_.monitored(*client_, deadline(), kOrigin).events, IsEmpty());
  }
  EXPECT_EQ(server_->observed().count("SLOWLOG"), 1U);
  EXPECT_EQ(server_->observed().count("LATENCY"), 2U);
}

TEST_F(EngineJournalTest, ShowsTheDoctorOnlyWhatWasSeenInTheRun) {
  scripted::Script script;
  const auto latest = [](int unix_s) {
    return fmt::format("*1\r\n*4\r\n{}:{}\r\n:12\r\n:250\r\n", bulk("fork"), unix_s);
  };
  script.on({"LATENCY"}).raw(latest(1'699'999'000));
  script.on({"LATENCY"}).nth(1).raw(latest(1'700'000'007));
  script.on({"LATENCY"}).nth(2).raw(bulk("Dave, I have observed"));
  serve(std::move(script));
  EXPECT_THAT(journal_.monitored(*client_, deadline(), kOrigin).events, IsEmpty());
  const auto seen = journal_.monitored(*client_, deadline(), kOrigin);
  ASSERT_EQ(seen.events.size(), 1U);
  EXPECT_EQ(seen.events[0].time, seconds{7});
  EXPECT_EQ(seen.events[0].text, "fork: the latest of 12.0 ms, the longest of 250 ms");
  EXPECT_THAT(seen.doctor, HasSubstr("Dave"));
}

}  // namespace
}  // namespace headroom::telemetry
