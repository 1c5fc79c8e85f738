// `headroom check`: trusts a machine that can be trusted, and names what starves one that cannot.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sched.h>
#include <sys/resource.h>

#include <atomic>
#include <csignal>
#include <thread>
#include <vector>

#include "tests/e2e/harness.h"
#include "tests/support/golden.h"
#include "tests/support/json_schema.h"

namespace headroom::e2e {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr Nanos kQuickLimit = 8s;
constexpr Nanos kHangs = 120s;

testing::SchemaChecker check_schema() {
  const auto path = scenario_dir().parent_path() / "docs" / "schema" / "check.schema.json";
  return testing::SchemaChecker(json::parse(testing::read_whole(path)));
}

// Where it may, a test takes precedence over all else that the machine does, for itself and for the
// processes that it starts.
class Precedence {
 public:
  Precedence() {
    const sched_param lowest_real_time{.sched_priority = 1};
    (void)sched_setscheduler(0, SCHED_FIFO, &lowest_real_time);
  }
  ~Precedence() {
    const sched_param none{.sched_priority = 0};
    (void)sched_setscheduler(0, SCHED_OTHER, &none);
  }
  Precedence(const Precedence&) = delete;
  Precedence& operator=(const Precedence&) = delete;
};

// Pins the calling thread, and what it starts, to the first CPU that it may use.
class FirstCpuOnly {
 public:
  FirstCpuOnly() {
    CPU_ZERO(&before_);
    EXPECT_EQ(sched_getaffinity(0, sizeof before_, &before_), 0);
    std::size_t first = 0;
    while (!CPU_ISSET(first, &before_)) ++first;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first, &one);
    EXPECT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  }
  ~FirstCpuOnly() { (void)sched_setaffinity(0, sizeof before_, &before_); }
  FirstCpuOnly(const FirstCpuOnly&) = delete;
  FirstCpuOnly& operator=(const FirstCpuOnly&) = delete;

 private:
  cpu_set_t before_{};
};

// Neighbours that want the CPUs of the thread that makes them all the time.
class Neighbours {
 public:
  explicit Neighbours(int count) {
    for (int i = 0; i < count; ++i) {
      threads_.emplace_back([this] {
        while (!stopping_.load(std::memory_order_relaxed)) {
        }
      });
    }
  }
  ~Neighbours() {
    stopping_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  Neighbours(const Neighbours&) = delete;
  Neighbours& operator=(const Neighbours&) = delete;

 private:
  std::atomic<bool> stopping_{false};
  std::vector<std::thread> threads_;
};

class CheckTest : public Test {
 protected:
  [[nodiscard]] Finished check(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "check");
    return run_headroom(arguments, options(), kHangs);
  }
};

TEST_F(CheckTest, TrustsThisMachineAndSaysUpToWhichLoad) {
  // Other work on the machine may spoil one attempt; a machine that is no good spoils each.
  constexpr int kAttempts = 5;
  const Precedence precedence;
  std::string seen;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const Finished finished = check({"--quick"});
    ASSERT_THAT(finished.exit_code, AnyOf(0, 5)) << finished.err;
    EXPECT_LE(finished.took, kQuickLimit);
    seen += finished.out;
    if (finished.exit_code == 5) continue;
    EXPECT_THAT(finished.out, AllOf(HasSubstr("trustworthy"), HasSubstr("MEASURED AGAINST TRUE"),
                                    HasSubstr("/s at pipeline 16"), Not(HasSubstr("fatal"))));
    EXPECT_THAT(finished.err, HasSubstr("fixed 20 ms"));  // it says what it does
    return;
  }
  ADD_FAILURE() << "not once in " << kAttempts << " attempts:\n" << seen;
}

TEST_F(CheckTest, DoesNotTrustAStarvedMachineAndNamesTheCause) {
  const FirstCpuOnly pinned;
  const Neighbours neighbours(4);
  // All the rest of this process's life: a priority that was given away is not had back.
  const Finished finished = [&] {
    std::optional<Finished> result;
    std::thread([&] {
      EXPECT_EQ(setpriority(PRIO_PROCESS, 0, 5), 0);  // of this thread, and what it starts
      result = check({"--quick", "--json"});
    }).join();
    return *std::move(result);
  }();
  EXPECT_EQ(finished.exit_code, 5) << finished.out << finished.err;
  const json result = json::parse(finished.out);
  EXPECT_THAT(check_schema().check(result), IsEmpty());
  EXPECT_EQ(result["trust"], "untrustworthy");
  ASSERT_FALSE(result["doubts"].empty());
  EXPECT_EQ(result["doubts"][0]["fatal"], true);
  EXPECT_THAT(result["doubts"][0]["what"].get<std::string>(),
              HasSubstr("of the 1 CPU that Headroom may use"));
}

TEST_F(CheckTest, IsJsonForPrograms) {
  const Finished finished = check({"--quick", "--json", "--workers", "2"});
  ASSERT_THAT(finished.exit_code, AnyOf(0, 5)) << finished.err;
  const json result = json::parse(finished.out);
  EXPECT_THAT(check_schema().check(result), IsEmpty());
  EXPECT_EQ(result["workers"], 2);
  EXPECT_EQ(result["trust"] == "untrustworthy", finished.exit_code == 5);
  EXPECT_EQ(result["truths"].size(), 6U);
  for (const json& truth : result["truths"]) EXPECT_EQ(truth["requests"], truth["reported"]);
  EXPECT_EQ(result["ceilings"].size(), 3U);
  for (const json& ceiling : result["ceilings"])
    EXPECT_GT(ceiling["operation_cpu_ns"].get<double>(), 0) << ceiling;
}

TEST_F(CheckTest, EndsAtAnInterrupt) {
  Headroom running({"check"}, options());
  ASSERT_TRUE(
      wait_until([&] { return running.err().find("fixed 1 ms") != std::string::npos; }, kHangs));
  running.signal(SIGINT);
  const Finished finished = running.wait(5s);
  EXPECT_FALSE(finished.hung);
  EXPECT_EQ(finished.exit_code, 4);
  EXPECT_THAT(finished.out, IsEmpty());
  EXPECT_THAT(error_lines(finished),
              ElementsAre(HasSubstr("ending the check"), HasSubstr("stopped by the user")));
}

TEST_F(CheckTest, RefusesANumberOfWorkersThatIsNone) {
  for (const char* bad : {"0", "65", "-1", "two", ""}) {
    const Finished finished = check({"--workers", bad});
    EXPECT_EQ(finished.exit_code, 2) << bad;
    EXPECT_THAT(error_lines(finished), ElementsAre(HasSubstr("give 1 to 64"))) << bad;
  }
}

}  // namespace
}  // namespace headroom::e2e
