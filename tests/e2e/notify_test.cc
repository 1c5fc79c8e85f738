// What a command and a webhook are told of a run, and that neither can spoil it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "tests/e2e/harness.h"

namespace headroom::e2e {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;

class NotifyTest : public EngineTest {
 protected:
  [[nodiscard]] Finished run(const std::string& notify, const std::string& file) const {
    return run_headroom({"run",
                         local_scenario(engine(),
                                        "[load]\nworkers = 1\n[timing]\nmeasure = "
                                        "\"1s\"\n[notify]\n" +
                                            notify),
                         "-o", file},
                        options());
  }
  static std::vector<std::string> notices(const record::Run& run) {
    std::vector<std::string> texts;
    for (const record::Event& event : run.events) {
      if (event.kind == record::EventKind::kNotified) texts.push_back(event.text);
    }
    return texts;
  }
};
HEADROOM_FOR_EACH_ENGINE(NotifyTest);

TEST_P(NotifyTest, ACommandIsToldOfEveryReceipt) {
  const std::string told = path("told.txt");
  const std::string file = path("notify.run");
  const Finished ended =
      run("command = \"printf '%s\\\\n' \\\"$HEADROOM_RECEIPT\\\" >> '" + told + "'\"\n", file);
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  std::vector<std::string> receipts;
  const std::string lines = read_file(told).value_or("");
  for (const std::string_view line : split(trim(lines), '\n')) {
    const auto notice = nlohmann::json::parse(line);
    EXPECT_EQ(notice.at("file"), file);
    receipts.push_back(notice.at("receipt"));
  }
  EXPECT_THAT(receipts, testing::ElementsAre("started", "measuring", "drained", "engine stopped",
                                             "torn down", "process gone", "port closed",
                                             "directory removed", "verified", "sealed"));
  const record::Run run = read(file);
  EXPECT_EQ(run.receipts.size(), receipts.size() - 1) << "the seal itself cannot stand in the file";
  EXPECT_EQ(notices(run).size(), run.receipts.size());
  EXPECT_THAT(notices(run), Each(HasSubstr(": told the command (exit code 0)")));
}

TEST_P(NotifyTest, AWebhookThatIsDownDoesNotSpoilARun) {
  const std::string file = path("down.run");
  const Finished ended =
      run("webhook = \"http://127.0.0.1:1/hook\"\nattempts = 1\ntimeout = \"1s\"\n", file);
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const record::Run run = read(file);
  EXPECT_EQ(run.end, record::RunEnd::kComplete);
  EXPECT_THAT(notices(run), Contains(AllOf(HasSubstr("verified: could not tell the webhook: "),
                                           HasSubstr("(1 attempt)"))));
}

TEST_P(NotifyTest, ACommandThatHangsHoldsTheEndUpForItsTimeoutAlone) {
  const std::string file = path("hangs.run");
  const Finished ended = run("command = \"sleep 600\"\nattempts = 1\ntimeout = \"500ms\"\n", file);
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_FALSE(ended.hung);
  EXPECT_THAT(notices(read(file)), Contains(HasSubstr("did not end in time")));
}

TEST_P(NotifyTest, AVariableThatIsNotThereIsNoticedBeforeTheRun) {
  const std::string file = path("none.run");
  const Finished ended = run("webhook_env = \"HEADROOM_NO_SUCH_HOOK\"\n", file);
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_THAT(ended.err, HasSubstr("HEADROOM_NO_SUCH_HOOK is not set"));
  EXPECT_FALSE(std::filesystem::exists(file));
}

}  // namespace
}  // namespace headroom::e2e
