#include "lab/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "base/file.h"
#include "lab/interrupts.h"
#include "scenario/parse.h"
#include "scripted/scripted_server.h"

namespace headroom::lab {
namespace {

using record::Phase;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Keeps all that a person would have been shown.
class Collector final : public Observer {
 public:
  void file_created(const std::filesystem::path& path) override { files.push_back(path); }
  void target_ready(const target::Description&, std::optional<std::uint64_t>) override {}
  void phase_began(Phase) override {}
  void progress(const Progress& progress) override { shown.push_back(progress); }
  void note(const std::string&) override {}

  [[nodiscard]] std::vector<Progress> of(Phase phase) const {
    std::vector<Progress> result;
    std::ranges::copy_if(shown, std::back_inserter(result),
                         [phase](const Progress& each) { return each.phase == phase; });
    return result;
  }

  std::vector<std::filesystem::path> files;
  std::vector<Progress> shown;
};

class RunTest : public testing::Test {
 protected:
  RunTest() : directory_(*TempDir::create("lab-run-test")) {
    block_interrupts();
    request_.output = directory_.path() / "folder" / "a.run";
    auto scenario = scenario::parse_scenario(
        "[target]\nkind = \"endpoint\"\nhost = \"127.0.0.1\"\n[workload]\nkeys = 100\n"
        "[timing]\nwarmup = \"1200ms\"\nmeasure = \"1s\"\n",
        "test.toml", {});
    EXPECT_TRUE(scenario) << scenario.error().message;
    request_.scenario = *scenario;
  }

  TempDir directory_;
  RunRequest request_;
  Collector observer_;
};

TEST_F(RunTest, ProgressIsAboutThePresentPhaseAlone) {
  scripted::Script script;
  script.on({"SET"}).every(2).error("OOM command not allowed when used memory > 'maxmemory'.");
  script.on({"GET"}).every(2).error("ERR no");
  const auto server = scripted::ScriptedServer::start(std::move(script));
  ASSERT_TRUE(server) << server.error().message;
  request_.scenario.target.host = (*server)->address().host;
  request_.scenario.target.port = (*server)->address().port;
  const auto result = conduct_run(request_, observer_);
  ASSERT_TRUE(result) << result.error().message;
  ASSERT_EQ(result->end, record::RunEnd::kComplete) << result->failure->message;

  const auto warmup = observer_.of(Phase::kWarmup);
  ASSERT_FALSE(warmup.empty());
  EXPECT_FALSE(warmup.front().throughput_per_s);
  EXPECT_GT(*warmup.front().left, seconds{1});
  EXPECT_LE(*warmup.front().left_in_phase, milliseconds{1220});
  EXPECT_EQ(*warmup.front().left - *warmup.front().left_in_phase, Nanos{seconds{1}});
  // Its first second may have been written down before it ended, or not.
  const auto known = std::ranges::find_if(
      warmup, [](const Progress& each) { return each.throughput_per_s.has_value(); });
  if (known != warmup.end()) {
    EXPECT_GT(*known->throughput_per_s, 0);
    EXPECT_GT(*known->rejected_per_s, 0);
    EXPECT_GT(*known->failed_per_s, *known->rejected_per_s) << "ten GETs for each SET";
  }

  const auto measure = observer_.of(Phase::kMeasure);
  ASSERT_FALSE(measure.empty());
  EXPECT_FALSE(measure.front().throughput_per_s) << "that of the warm-up";
  EXPECT_FALSE(measure.front().failed_per_s);
  EXPECT_FALSE(measure.front().p99);
  EXPECT_EQ(measure.front().left, measure.front().left_in_phase);
}

TEST_F(RunTest, ATargetThatIsKnownToBeWrongLeavesNoFile) {
  request_.scenario.target.password_env = "HEADROOM_NO_SUCH_VARIABLE";
  const auto result = conduct_run(request_, observer_);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::kUsage);
  EXPECT_TRUE(observer_.files.empty());
  EXPECT_TRUE(std::filesystem::is_empty(directory_.path()));
}

}  // namespace
}  // namespace headroom::lab
