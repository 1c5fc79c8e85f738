// What can go wrong with a target or a disk: one clear line, the right exit code, nothing left
// behind, nothing that hangs.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/mount.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "net/socket.h"
#include "scripted/scripted_server.h"
#include "store/run_reader.h"
#include "tests/e2e/harness.h"
#include "tests/support/raw_client.h"

namespace headroom::e2e {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr Nanos kGrace = 5s;  // what may come on top of a run's own time box

// The run, read while it goes, has measured for a whole interval.
bool measures(const std::string& file) {
  const Result<record::Run> run = store::read_run(file);
  return run && std::ranges::any_of(run->intervals, [](const record::MergedInterval& each) {
           return each.interval.phase == record::Phase::kMeasure;
         });
}

bool has_event(const record::Run& run, record::EventKind kind) {
  return std::ranges::any_of(run.events, [&](const auto& event) { return event.kind == kind; });
}

class EngineFailureTest : public EngineTest {};
HEADROOM_FOR_EACH_ENGINE(EngineFailureTest);

TEST_P(EngineFailureTest, AnEngineThatDiesEndsTheRunWithItsReason) {
  const std::string file = path("dies.run");
  Headroom headroom({"run", local_scenario(engine(), "[timing]\nmeasure = \"60s\"\n"), "-o", file},
                    options());
  const auto child = wait_for_child(headroom.pid(), 10s);
  ASSERT_TRUE(child);
  ASSERT_TRUE(wait_until([&] { return measures(file); }, 15s)) << headroom.err();
  kill(*child, SIGKILL);

  const Finished finished = headroom.wait(kGrace);
  EXPECT_FALSE(finished.hung);
  EXPECT_EQ(finished.exit_code, 4);
  EXPECT_THAT(error_lines(finished), Contains(HasSubstr("killed by signal 9")));
  const record::Run run = read(file);
  EXPECT_EQ(run.end, record::RunEnd::kFailed);
  EXPECT_THAT(run.end_reason, HasSubstr("killed by signal 9"));
  EXPECT_TRUE(has_event(run, record::EventKind::kEngineGone));
  EXPECT_EQ(store::verify_run(file)->state, store::SealState::kSealed);
}

TEST_P(EngineFailureTest, AnEngineThatStopsForFiveSecondsIsWaitedForAndItsSilenceRecorded) {
  const std::string file = path("stops.run");
  Headroom headroom({"run", local_scenario(engine(), "[timing]\nmeasure = \"9s\"\n"), "-o", file},
                    options());
  const auto child = wait_for_child(headroom.pid(), 10s);
  ASSERT_TRUE(child);
  ASSERT_TRUE(wait_until([&] { return measures(file); }, 15s)) << headroom.err();
  kill(*child, SIGSTOP);
  std::this_thread::sleep_for(5s);  // the event itself, not a wait for something
  kill(*child, SIGCONT);

  const Finished finished = headroom.wait(9s + 2s + kGrace);
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  const record::Run run = read(file);
  EXPECT_EQ(run.end, record::RunEnd::kComplete) << story(run);
  EXPECT_TRUE(has_event(run, record::EventKind::kEngineSilent)) << story(run);
  EXPECT_TRUE(has_event(run, record::EventKind::kEngineAnswers)) << story(run);
  // The stall is in the latency of the requests that met it, and in seconds without any reply.
  Nanos slowest{0};
  std::int64_t seconds = 0;
  std::int64_t silent = 0;
  for (const record::MergedInterval& each : run.intervals) {
    if (each.interval.phase != record::Phase::kMeasure) continue;
    EXPECT_EQ(each.interval.index, seconds++);
    std::uint64_t completed = 0;
    for (const auto& counts : each.counts) completed += counts.completed();
    if (completed == 0) ++silent;
    for (const auto& series : each.latencies) {
      slowest = std::max(slowest, series.histogram.max().value_or(Nanos{0}));
    }
  }
  EXPECT_EQ(seconds, 9);
  EXPECT_GE(silent, 3);
  EXPECT_GE(slowest, 4900ms);
  EXPECT_LT(slowest, 7s);
}

TEST_P(EngineFailureTest, AnEngineThatStopsForGoodFailsTheRunWhichStillEndsOnTime) {
  const std::string file = path("stuck.run");
  Headroom headroom(
      {"run", local_scenario(engine(), "[timing]\nmeasure = \"3s\"\ndrain = \"1s\"\n"), "-o", file},
      options());
  const auto child = wait_for_child(headroom.pid(), 10s);
  ASSERT_TRUE(child);
  ASSERT_TRUE(wait_until([&] { return measures(file); }, 15s)) << headroom.err();
  kill(*child, SIGSTOP);

  // On top of its time: telemetry's last sample, and the last question.
  const Finished finished = headroom.wait(3s + 1s + 1s + 2s + kGrace);
  EXPECT_FALSE(finished.hung);
  EXPECT_EQ(finished.exit_code, 4) << finished.err;
  EXPECT_THAT(error_lines(finished), Contains(HasSubstr("stopped answering at most ")));
  EXPECT_FALSE(alive(*child));
  const record::Run run = read(file);
  EXPECT_EQ(run.end, record::RunEnd::kFailed);
  EXPECT_THAT(run.end_reason, HasSubstr("did not answer PING"));
  EXPECT_TRUE(has_event(run, record::EventKind::kEngineSilent)) << story(run);
  const record::OperationCounts gets = total(run, "GET");
  EXPECT_GT(gets.of(record::Outcome::kLost), 0U) << story(run);
  EXPECT_EQ(gets.sent, gets.total());
  const record::PhaseSpan* measure = run.phase(record::Phase::kMeasure);
  ASSERT_NE(measure, nullptr);
  EXPECT_NEAR(std::chrono::duration<double>(*measure->end - measure->begin).count(), 3.0, 0.05);
}

TEST_P(EngineFailureTest, AnEndpointThatDiesInsideTheWindowFailsTheRunAndIsNotCalledRunning) {
  std::optional<Engine> server;
  {
    Result<Engine> started = Engine::start(engine());
    ASSERT_TRUE(started) << started.error().message;
    server.emplace(std::move(*started));
  }
  const std::string file = path("dead-endpoint.run");
  Headroom headroom(
      {"run",
       endpoint_scenario(server->address(), "[workload]\nkeys = 100\n[timing]\nmeasure = \"4s\"\n"),
       "-o", file},
      options());
  ASSERT_TRUE(wait_until([&] { return measures(file); }, 15s)) << headroom.err();
  server.reset();

  const Finished finished = headroom.wait(4s + 2s + kGrace);
  EXPECT_FALSE(finished.hung);
  EXPECT_EQ(finished.exit_code, 4) << finished.err;
  EXPECT_THAT(error_lines(finished),
              Contains(AllOf(HasSubstr("stopped answering at most "),
                             HasSubstr("s into the window"), HasSubstr("Connection refused"))));
  const record::Run run = read(file);
  EXPECT_EQ(run.end, record::RunEnd::kFailed);
  EXPECT_TRUE(has_event(run, record::EventKind::kEngineSilent)) << story(run);
  const auto left = std::ranges::find(run.receipts, "left running", &record::Receipt::what);
  ASSERT_NE(left, run.receipts.end());
  EXPECT_FALSE(left->proved) << left->evidence;
}

TEST_P(EngineFailureTest, AnEndpointThatIsLeftRunningIsProvedToRun) {
  Result<Engine> server = Engine::start(engine());
  ASSERT_TRUE(server) << server.error().message;
  const std::string toml = endpoint_scenario(
      server->address(), "[workload]\nkeys = 100\nprefill = true\n[timing]\nmeasure = \"1s\"\n");
  const Finished finished = run_headroom({"run", toml, "-o", path("a.run"), "--quiet"}, options());
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  const record::Run run = read(path("a.run"));
  const auto left = std::ranges::find(run.receipts, "left running", &record::Receipt::what);
  ASSERT_NE(left, run.receipts.end());
  EXPECT_TRUE(left->proved);
  EXPECT_THAT(left->evidence, HasSubstr("holds 100 keys"));
}

TEST_P(EngineFailureTest, ADatabaseWithKeysIsRefusedAndLeftAlone) {
  Result<Engine> server = Engine::start(engine());
  ASSERT_TRUE(server) << server.error().message;
  auto client = testing::RawClient::connect(server->address());
  ASSERT_TRUE(client);
  ASSERT_EQ(client->ask({"SET", "precious", "data"}, "+OK\r\n"), "+OK\r\n");
  const std::string short_run = "[workload]\nkeys = 100\n[timing]\nmeasure = \"1s\"\n";

  const Finished refused = run_headroom(
      {"run", endpoint_scenario(server->address(), short_run), "-o", path("a.run"), "--quiet"},
      options());
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(error_lines(refused),
              ElementsAre(AllOf(HasSubstr("1 key"), HasSubstr("allow_existing_data"))));
  EXPECT_EQ(server->keys(), 1U);
  EXPECT_EQ(server->calls("set"), 1U);

  const Finished allowed = run_headroom(
      {"run", endpoint_scenario(server->address(), "allow_existing_data = true\n" + short_run),
       "-o", path("b.run"), "--quiet"},
      options());
  EXPECT_EQ(allowed.exit_code, 0) << allowed.err;
  EXPECT_EQ(client->ask_bulk({"GET", "precious"}), "data");
  const record::Run run = read(path("b.run"));
  EXPECT_EQ(
      std::ranges::count(run.warnings, record::WarningKind::kExistingData, &record::Warning::kind),
      1)
      << story(run);
  EXPECT_GT(server->keys(), 50U);
  EXPECT_EQ(server->calls("flushall") + server->calls("flushdb"), 0U);
}

TEST_P(EngineFailureTest, AWrongPasswordIsRefusedAndARightOneIsNeverWrittenDown) {
  Result<Engine> server = Engine::start(engine(), {"--requirepass", "correct-horse"});
  ASSERT_TRUE(server) << server.error().message;
  const std::string toml = endpoint_scenario(
      server->address(),
      "password_env = \"CACHE_PASSWORD\"\n[workload]\nkeys = 100\n[timing]\nmeasure = \"1s\"\n");
  StartOptions wrong = options();
  wrong.environment.push_back("CACHE_PASSWORD=battery-staple");
  const Finished refused = run_headroom({"run", toml, "-o", path("a.run"), "--quiet"}, wrong);
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(error_lines(refused), ElementsAre(HasSubstr("WRONGPASS")));
  EXPECT_THAT(refused.err, Not(HasSubstr("battery-staple")));

  StartOptions right = options();
  right.environment.push_back("CACHE_PASSWORD=correct-horse");
  const Finished accepted = run_headroom({"run", toml, "-o", path("b.run"), "--quiet"}, right);
  EXPECT_EQ(accepted.exit_code, 0) << accepted.err;
  EXPECT_THAT(accepted.out + accepted.err, Not(HasSubstr("correct-horse")));
  for (const char* name : {"a.run", "b.run"}) {
    if (!fs::exists(path(name))) continue;
    const std::string bytes = read_file(path(name)).value();
    EXPECT_THAT(bytes, Not(HasSubstr("correct-horse"))) << name;
    EXPECT_THAT(bytes, Not(HasSubstr("battery-staple"))) << name;
  }
}

// A file system of its own where we may mount one, else a limit on the size of files.
class FullDisk {
 public:
  FullDisk(const fs::path& where, StartOptions& options) : where_(where) {
    fs::create_directory(where);
    mounted_ = mount("tmpfs", where.c_str(), "tmpfs", 0, "size=512k") == 0;
    if (!mounted_) options.file_limit_bytes = 256 * 1024;
  }
  ~FullDisk() {
    if (mounted_) umount2(where_.c_str(), MNT_DETACH);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  fs::path where_;
  bool mounted_ = false;
};

TEST_P(EngineFailureTest, AFullDiskEndsTheRunAndTheEngineAndKeepsWhatWasCommitted) {
  StartOptions on_a_small_disk = options();
  const FullDisk disk(path("disk"), on_a_small_disk);
  const std::string file = path("disk") / "full.run";
  Headroom headroom({"run",
                     local_scenario(engine(),
                                    "[load]\nworkers = 2\n"
                                    "[timing]\nmeasure = \"60s\"\nsample_interval = \"100ms\"\n"),
                     "-o", file},
                    on_a_small_disk);
  const auto child = wait_for_child(headroom.pid(), 10s);
  const Finished finished = headroom.wait(60s);
  EXPECT_FALSE(finished.hung);
  EXPECT_EQ(finished.exit_code, 4) << finished.err;
  EXPECT_THAT(error_lines(finished), Contains(HasSubstr("full.run")));
  EXPECT_LT(finished.took, 60s) << "the run goes on although its file cannot grow";
  if (child) {
    EXPECT_FALSE(alive(*child));
  }
  EXPECT_THAT(left_behind(), IsEmpty());

  const record::Run run = read(file);
  EXPECT_FALSE(run.end);
  EXPECT_THAT(run.intervals, Not(IsEmpty()));
}

class FailureTest : public Test {
 protected:
  // A run of a second against an endpoint; its file is file().
  [[nodiscard]] Finished run_against(const net::Address& address) {
    file_ = path(fmt::format("{}.run", ++runs_));
    const std::string toml = endpoint_scenario(address,
                                               "[workload]\nkeys = 100\n"
                                               "[load]\nconnect_timeout = \"1s\"\n"
                                               "[timing]\nmeasure = \"1s\"\n");
    return run_headroom({"run", toml, "-o", file_, "--quiet"}, options(), 40s);
  }
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  int runs_ = 0;
  std::string file_;
};

TEST_F(FailureTest, WhatIsKnownToBeWrongBeforehandIsSaidBeforeARunFileIsMade) {
  const std::string endpoint = "[target]\nkind = \"endpoint\"\nhost = \"127.0.0.1\"\n";
  struct Case {
    std::string target;
    int exit_code;
    std::string words;
  };
  ASSERT_TRUE(write_file(path("empty"), ""));
  for (const Case& each : {
           Case{endpoint + "password_file = \"no-such-file\"\n", 2, "target.password_file"},
           Case{endpoint + "password_file = \"empty\"\n", 2, "is empty"},
           Case{endpoint + "password_env = \"HEADROOM_NO_SUCH\"\n", 2, "is not set"},
           Case{"[target]\nengine_path = \"/no/such/engine\"\n", 3, "there is no file"},
           Case{"[target]\nengine_path = \"./empty\"\n", 3, "cannot be executed"},
       }) {
    SCOPED_TRACE(each.target);
    const Finished finished =
        run_headroom({"run", scenario(each.target), "-o", path("folder") / "never.run"}, options());
    EXPECT_EQ(finished.exit_code, each.exit_code) << finished.err;
    EXPECT_THAT(error_lines(finished), ElementsAre(HasSubstr(each.words)));
    EXPECT_FALSE(fs::exists(path("folder")));
  }
}

TEST_F(FailureTest, NobodyListening) {
  const Result<std::uint16_t> port = net::free_loopback_port();
  ASSERT_TRUE(port);
  const Finished finished = run_against({"127.0.0.1", *port, {}});
  EXPECT_EQ(finished.exit_code, 3);
  EXPECT_THAT(error_lines(finished),
              ElementsAre(AllOf(HasSubstr(fmt::format("127.0.0.1:{}", *port)),
                                HasSubstr("Connection refused"))));
  EXPECT_LT(finished.took, kGrace);
}

TEST_F(FailureTest, ServersThatDoNotSpeakResp) {
  scripted::Script ssh;
  ssh.banner("SSH-2.0-OpenSSH_9.2p1\r\n");
  scripted::Script http;
  http.always().raw("HTTP/1.1 400 Bad Request\r\n\r\n").disconnect_after();
  scripted::Script binary;
  binary.always().raw(std::string("\x16\x03\x01\x00\xff\x00\x00\x00", 8));
  scripted::Script hangs_up;
  hangs_up.close_connections_from(0);
  for (scripted::Script* script : {&ssh, &http, &binary, &hangs_up}) {
    const auto server = scripted::ScriptedServer::start(*script);
    ASSERT_TRUE(server);
    const Finished finished = run_against((*server)->address());
    EXPECT_EQ(finished.exit_code, 3) << finished.err;
    EXPECT_THAT(error_lines(finished), ElementsAre(HasSubstr((*server)->address().text())));
    EXPECT_LT(finished.took, kGrace) << finished.err;
  }
}

TEST_F(FailureTest, AServerThatNeverAnswers) {
  scripted::Script silent;
  silent.always().never_answer();
  const auto server = scripted::ScriptedServer::start(std::move(silent));
  ASSERT_TRUE(server);
  const Finished finished = run_against((*server)->address());
  EXPECT_EQ(finished.exit_code, 3) << finished.err;
  EXPECT_THAT(error_lines(finished), ElementsAre(HasSubstr((*server)->address().text())));
  EXPECT_LT(finished.took, 1s + kGrace) << "connect_timeout was 1s";
}

TEST_F(FailureTest, RepliesThatAreNoRespAreLostRequestsAndTheConnectionIsOpenedAnew) {
  scripted::Script script;
  script.on({"GET"}).every(50).raw("?what\r\n");
  const auto server = scripted::ScriptedServer::start(std::move(script));
  ASSERT_TRUE(server);
  const Finished finished = run_against((*server)->address());
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  const record::Run run = read(file());
  const record::OperationCounts gets = total(run, "GET");
  EXPECT_GT(gets.of(record::Outcome::kLost), 0U);
  EXPECT_EQ(gets.sent, gets.total());
  EXPECT_EQ(gets.sent, (*server)->observed().count("GET"));
  EXPECT_TRUE(has_event(run, record::EventKind::kConnectionLost)) << story(run);
}

TEST_F(FailureTest, EveryKindOfReplyIsAnOutcomeOfItsOwn) {
  scripted::Script script;
  script.on({"SET"}).every(5).error("OOM command not allowed when used memory > 'maxmemory'.");
  script.on({"SET"}).from(1).every(5).error("ERR no");
  script.on({"GET"}).every(4).nil();
  const auto server = scripted::ScriptedServer::start(std::move(script));
  ASSERT_TRUE(server);
  const Finished finished = run_against((*server)->address());
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  const record::Run run = read(file());
  const record::OperationCounts sets = total(run, "SET");
  const std::uint64_t sent = (*server)->observed().count("SET");
  EXPECT_EQ(sets.sent, sent);
  EXPECT_EQ(sets.of(record::Outcome::kRejected), (sent + 4) / 5);
  EXPECT_EQ(sets.of(record::Outcome::kError), (sent + 3) / 5);
  const record::OperationCounts gets = total(run, "GET");
  EXPECT_GE(gets.of(record::Outcome::kMiss), (gets.sent + 3) / 4);
  EXPECT_EQ(gets.of(record::Outcome::kHit) + gets.of(record::Outcome::kMiss), gets.sent);
}

}  // namespace
}  // namespace headroom::e2e
