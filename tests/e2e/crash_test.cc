// Headroom itself is killed, interrupted, told to hurry: what was committed stays, no engine
// survives.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>

#include "base/random.h"
#include "store/run_reader.h"
#include "tests/e2e/harness.h"

namespace headroom::e2e {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class CrashTest : public EngineTest {};
HEADROOM_FOR_EACH_ENGINE(CrashTest);

// HEADROOM_KILL_ROUNDS raises it.
int kill_rounds() {
  constexpr int kDefault = 5;
  const char* text = std::getenv("HEADROOM_KILL_ROUNDS");
  if (text == nullptr) return kDefault;
  const std::string_view digits(text);
  int rounds = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), rounds);
  EXPECT_TRUE(error == std::errc{} && end == digits.data() + digits.size() && rounds > 0)
      << "HEADROOM_KILL_ROUNDS = " << digits << " is no positive number";
  return rounds;
}

// Every whole second of load that began and was over at `until` (run time) is there, once, with all
// workers.
void expect_all_seconds(const record::Run& run, std::uint32_t workers, Nanos until) {
  std::map<record::Phase, std::int64_t> seconds;
  for (const record::MergedInterval& each : run.intervals) {
    EXPECT_EQ(each.interval.index, seconds[each.interval.phase]++)
        << record::phase_name(each.interval.phase);
    EXPECT_EQ(each.workers, workers);
  }
  const record::PhaseSpan* measure = run.phase(record::Phase::kMeasure);
  if (measure == nullptr || until <= measure->begin) return;
  EXPECT_GE(seconds[record::Phase::kMeasure], (until - measure->begin) / 1s)
      << "seconds of measure, " << until.count() << " ns after the start";
}

TEST_P(CrashTest, KilledAtAnyMomentItLeavesAReadableFileAndNoEngine) {
  expect_leftovers();  // the private directory: nobody is left to remove it
  const std::string toml = local_scenario(engine(),
                                          "[workload]\nprefill = true\nkeys = 10000\n"
                                          "[load]\nworkers = 2\nconnections = 3\n"
                                          "[timing]\nwarmup = \"1s\"\nmeasure = \"60s\"\n");
  const int rounds = kill_rounds();
  int readable = 0;
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(fmt::format("round {}", round));
    Random random(derive_seed(1, {static_cast<std::uint64_t>(round)}));
    const Nanos moment = 50ms + std::chrono::duration_cast<Nanos>(random.uniform() * 4s);
    const std::string file = path(fmt::format("killed-{}.run", round));
    Headroom headroom({"run", toml, "-o", file}, options());
    ASSERT_FALSE(wait_until([&] { return !headroom.running(); }, moment)) << headroom.err();
    headroom.signal(SIGSTOP);  // so that it starts no engine after we looked
    const std::vector<pid_t> engines = children_of(headroom.pid());
    const WallTime killed = real_clock().wall();
    headroom.signal(SIGKILL);
    EXPECT_FALSE(headroom.wait(5s).hung);
    for (const pid_t pid : engines) {
      EXPECT_TRUE(wait_until([&] { return !alive(pid); }, 5s)) << "the engine " << pid << " lives";
    }

    if (!fs::exists(file)) continue;  // killed before the first commit
    const Result<record::Run> run = store::read_run(file);
    // A file that was created and not yet committed holds no run, and says so.
    if (!run && moment < 200ms) continue;
    ASSERT_TRUE(run) << run.error().message;
    ++readable;
    EXPECT_FALSE(run->end) << "sealed, although it was killed";
    // Committed at least once a second; an interval comes when it is over, plus our own slack.
    const Nanos died = killed.since_epoch - run->header.started.since_epoch;
    expect_all_seconds(*run, 2, died - 1s - 500ms);

    const Finished report = run_headroom({"report", file}, options());
    EXPECT_EQ(report.exit_code, 0) << report.err;
    EXPECT_THAT(report.out, HasSubstr("INCOMPLETE"));
    const Finished verify = run_headroom({"verify", file}, options());
    EXPECT_EQ(verify.exit_code, 4) << verify.err;
    EXPECT_THAT(verify.out, HasSubstr("incomplete"));
  }
  EXPECT_GE(readable, (rounds + 1) / 2);
}

TEST_P(CrashTest, TheNextRunRemovesWhatAKilledOneLeftAndNothingOfALivingOne) {
  const std::string toml = local_scenario(engine(), "[timing]\nmeasure = \"60s\"\n");
  const std::string file = path("killed.run");
  const auto start = [&](const std::string& output) {
    return std::make_unique<Headroom>(std::vector<std::string>{"run", toml, "-o", output},
                                      options());
  };
  const auto directory_in = [](const std::string& run_file) -> std::string {
    const Result<record::Run> run = store::read_run(run_file);
    if (!run || !run->facts.contains("node.directory")) return "";
    return run->facts.at("node.directory");
  };
  const auto killed = start(file);
  ASSERT_TRUE(wait_until([&] { return !directory_in(file).empty(); }, 15s)) << killed->err();
  const std::string left = directory_in(file);
  killed->signal(SIGKILL);
  EXPECT_FALSE(killed->wait(5s).hung);
  EXPECT_TRUE(fs::exists(left));

  const std::string next_file = path("next.run");
  const auto next = start(next_file);
  ASSERT_TRUE(wait_until([&] { return !directory_in(next_file).empty(); }, 15s)) << next->err();
  EXPECT_FALSE(fs::exists(left));
  EXPECT_THAT(story(read(next_file)), HasSubstr("removed " + fs::path(left).filename().string()));
  const Finished short_run = run_headroom(
      {"run", local_scenario(engine(), "[timing]\nmeasure = \"1s\"\n"), "-o", path("third.run")},
      options());
  EXPECT_EQ(short_run.exit_code, 0) << short_run.err;
  EXPECT_TRUE(fs::exists(directory_in(next_file)));
  next->signal(SIGINT);
  EXPECT_FALSE(next->wait(10s).hung);
}

class InterruptTest : public EngineTest {
 protected:
  // A run that would go on for a minute, measuring.
  void start(const std::string& timing) {
    file_ = path("interrupted.run");
    headroom_.emplace(
        std::vector<std::string>{
            "run", local_scenario(engine(), "[timing]\nmeasure = \"60s\"\n" + timing), "-o", file_},
        options());
    const auto child = wait_for_child(headroom_->pid(), 10s);
    ASSERT_TRUE(child) << headroom_->err();
    child_ = *child;
    ASSERT_TRUE(wait_until([&] { return measures(); }, 15s)) << headroom_->err();
  }
  [[nodiscard]] bool measures() const {
    const Result<record::Run> run = store::read_run(file_);
    return run && run->phase(record::Phase::kMeasure) != nullptr && !run->intervals.empty();
  }

  std::string file_;
  std::optional<Headroom> headroom_;
  pid_t child_ = -1;
};
HEADROOM_FOR_EACH_ENGINE(InterruptTest);

TEST_P(InterruptTest, TheFirstSignalDrainsSealsAndTakesDown) {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    SCOPED_TRACE(number);
    start("");
    if (HasFatalFailure()) return;
    headroom_->signal(number);
    const Finished finished = headroom_->wait(2s + 5s);
    EXPECT_FALSE(finished.hung);
    EXPECT_EQ(finished.exit_code, 4) << finished.err;
    EXPECT_FALSE(alive(child_));
    EXPECT_THAT(left_behind(), IsEmpty());
    const record::Run run = read(file_);
    EXPECT_EQ(run.end, record::RunEnd::kInterrupted);
    EXPECT_TRUE(std::ranges::any_of(run.events, [&](const record::Event& event) {
      return event.kind == record::EventKind::kInterrupted &&
             event.text == fmt::format("SIG{}", sigabbrev_np(number));
    })) << story(run);
    const record::OperationCounts gets = total(run, "GET");
    EXPECT_GT(gets.sent, 0U);
    EXPECT_EQ(gets.sent, gets.total());
    EXPECT_EQ(gets.sent, gets.completed()) << "replies in flight were waited for";
    EXPECT_EQ(store::verify_run(file_)->state, store::SealState::kSealed);
    fs::remove(file_);
  }
}

TEST_P(InterruptTest, UnderNohupAClosedTerminalIsNoReasonToStop) {
  struct sigaction ignore{};
  struct sigaction before{};
  ignore.sa_handler = SIG_IGN;
  ASSERT_EQ(sigaction(SIGHUP, &ignore, &before), 0);  // inherited, as from nohup
  start("");
  ASSERT_EQ(sigaction(SIGHUP, &before, nullptr), 0);
  if (HasFatalFailure()) return;
  headroom_->signal(SIGHUP);
  EXPECT_FALSE(wait_until([&] { return !headroom_->running(); }, 500ms));
  headroom_->signal(SIGTERM);
  const Finished finished = headroom_->wait(2s + 5s);
  EXPECT_FALSE(finished.hung);
  EXPECT_THAT(story(read(file_)), Not(HasSubstr("SIGHUP")));
}

TEST_P(InterruptTest, TheSecondSignalLeavesAtOnceAndSaysWhatRemains) {
  expect_leftovers();
  start("drain = \"60s\"\n");
  if (HasFatalFailure()) return;
  kill(child_, SIGSTOP);  // so that there is something to drain for a while
  headroom_->signal(SIGINT);
  ASSERT_TRUE(wait_until(
      [&] {
        const Result<record::Run> run = store::read_run(file_);
        return run && std::ranges::any_of(run->events, [](const record::Event& event) {
                 return event.kind == record::EventKind::kInterrupted;
               });
      },
      5s))
      << headroom_->err();
  const Nanos second = real_clock().now();
  headroom_->signal(SIGINT);
  const Finished finished = headroom_->wait(5s);
  EXPECT_LT(real_clock().now() - second, 1s);
  EXPECT_EQ(finished.exit_code, 4) << finished.err;
  EXPECT_THAT(error_lines(finished), Contains(HasSubstr(file_)));
  EXPECT_TRUE(wait_until([&] { return !alive(child_); }, 5s)) << "the engine lives";
  EXPECT_FALSE(read(file_).end);
}

}  // namespace
}  // namespace headroom::e2e
