#include "lab/notifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <nlohmann/json.hpp>
#include <stdlib.h>

#include "base/file.h"

namespace headroom::lab {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

const record::Receipt kReceipt{1500ms, "process gone", "pid 4711: no \"such\" process", true};

// An HTTP server that answers with the statuses that it is given, the last one for ever.
class Hook {
 public:
  explicit Hook(std::vector<int> statuses, Nanos delay = Nanos{0}) {
    server_.Post("/hook", [this, statuses, delay](const httplib::Request& request,
                                                  httplib::Response& response) {
      std::unique_lock lock(mutex_);
      released_.wait_for(lock, delay, [this] { return over_; });
      response.status = statuses[std::min(bodies_.size(), statuses.size() - 1)];
      bodies_.push_back(request.body);
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
  }
  ~Hook() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    released_.notify_all();
    while (!server_.is_running()) std::this_thread::yield();
    server_.stop();
    thread_.join();
  }
  [[nodiscard]] std::string url() const { return fmt::format("http://127.0.0.1:{}/hook", port_); }
  [[nodiscard]] std::vector<std::string> bodies() {
    const std::lock_guard lock(mutex_);
    return bodies_;
  }

 private:
  httplib::Server server_;
  int port_ = 0;
  std::mutex mutex_;
  std::condition_variable released_;
  bool over_ = false;
  std::vector<std::string> bodies_;
  std::thread thread_;
};

class NotifierTest : public testing::Test {
 protected:
  void start(scenario::Notify notify) {
    if (notify.attempts == 0) notify.attempts = 3;
    if (notify.timeout == Nanos{0}) notify.timeout = 5s;
    const auto webhook = webhook_of(notify);
    ASSERT_TRUE(webhook) << webhook.error().message;
    notifier_ = std::make_unique<Notifier>(
        notify, *webhook, NotifiedRun{"0123", "first-run", "runs/x.run", {1'780'000'000s}},
        [this](std::string text) {
          const std::lock_guard lock(mutex_);
          outcomes_.push_back(std::move(text));
        });
  }
  std::vector<std::string> outcomes() {
    const std::lock_guard lock(mutex_);
    return outcomes_;
  }

  std::mutex mutex_;
  std::vector<std::string> outcomes_;
  std::unique_ptr<Notifier> notifier_;  // last: its threads use the others
};

TEST(Notice, IsAnObjectInALine) {
  const std::string text =
      notice_json({"0123", "first-run", "runs/x.run", {1'780'000'000s}}, kReceipt);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json.at("receipt"), "process gone");
  EXPECT_EQ(json.at("proved"), true);
  EXPECT_EQ(json.at("evidence"), "pid 4711: no \"such\" process");
  EXPECT_EQ(json.at("time_s"), 1.5);
  EXPECT_EQ(json.at("utc"), "2026-05-28T20:26:41Z");
  EXPECT_EQ(json.at("file"), "runs/x.run");
}

TEST_F(NotifierTest, PostsEachReceiptInOrder) {
  Hook hook({200});
  start({.command = "", .webhook = hook.url(), .webhook_env = ""});
  for (const char* what : {"started", "measuring", "drained"})
    notifier_->tell({1s, what, "", true});
  notifier_->settle(10s);
  EXPECT_THAT(outcomes(), ElementsAre("started: told the webhook (HTTP 200)",
                                      "measuring: told the webhook (HTTP 200)",
                                      "drained: told the webhook (HTTP 200)"));
  ASSERT_THAT(hook.bodies(), SizeIs(3));
  EXPECT_EQ(nlohmann::json::parse(hook.bodies()[2]).at("receipt"), "drained");
}

TEST_F(NotifierTest, TriesAgainWhereTheAnswerIsAnError) {
  Hook hook({500, 200});
  start({.command = "", .webhook = hook.url(), .webhook_env = ""});
  notifier_->tell(kReceipt);
  notifier_->settle(20s);
  EXPECT_THAT(outcomes(), ElementsAre("process gone: told the webhook (HTTP 200, attempt 2)"));
}

TEST_F(NotifierTest, GivesUpAfterItsAttemptsAndSaysWhy) {
  Hook hook({500});
  start({.command = "", .webhook = hook.url(), .webhook_env = "", .attempts = 2});
  notifier_->tell(kReceipt);
  notifier_->settle(20s);
  EXPECT_THAT(outcomes(),
              ElementsAre("process gone: could not tell the webhook: HTTP 500 (2 attempts)"));
  EXPECT_THAT(hook.bodies(), SizeIs(2));
}

TEST_F(NotifierTest, NobodyListens) {
  start({.command = "", .webhook = "http://127.0.0.1:1/hook", .webhook_env = "", .attempts = 1});
  notifier_->tell(kReceipt);
  notifier_->settle(20s);
  EXPECT_THAT(outcomes(), ElementsAre(StartsWith("process gone: could not tell the webhook: ")));
}

TEST_F(NotifierTest, ASlowReceiverIsNotWaitedForBeyondTheTimeout) {
  Hook hook({200}, 1h);
  start({.command = "", .webhook = hook.url(), .webhook_env = "", .attempts = 1, .timeout = 200ms});
  notifier_->tell(kReceipt);
  notifier_->settle(20s);
  EXPECT_THAT(outcomes(), ElementsAre(StartsWith("process gone: could not tell the webhook: ")));
}

TEST_F(NotifierTest, AfterTheEndNothingIsTriedAgain) {
  Hook hook({500});
  start({.command = "", .webhook = hook.url(), .webhook_env = "", .attempts = 10});
  for (int i = 0; i < 50; ++i) notifier_->tell(kReceipt);
  notifier_->finish(Nanos{0});
  EXPECT_THAT(outcomes(), SizeIs(50));
  EXPECT_LE(hook.bodies().size(), 2U);
  notifier_->tell(kReceipt);
  EXPECT_THAT(outcomes(), SizeIs(50));
}

TEST_F(NotifierTest, ACommandHasTheReceiptInItsEnvironment) {
  const auto directory = TempDir::create("notifier-test");
  ASSERT_TRUE(directory);
  const std::string file = (directory->path() / "told").string();
  start({.command = "printf '%s\\n' \"$HEADROOM_RECEIPT\" >> '" + file + "'",
         .webhook = "",
         .webhook_env = ""});
  notifier_->tell(kReceipt);
  notifier_->settle(20s);
  EXPECT_THAT(outcomes(), ElementsAre("process gone: told the command (exit code 0)"));
  EXPECT_EQ(nlohmann::json::parse(read_file(file).value()).at("receipt"), "process gone");
}

TEST_F(NotifierTest, ACommandThatFailsOrHangsIsSaidToHave) {
  start({.command = "exit 3", .webhook = "", .webhook_env = "", .attempts = 1});
  notifier_->tell(kReceipt);
  notifier_->settle(20s);
  EXPECT_THAT(outcomes(), ElementsAre(HasSubstr("could not tell the command: exit code 3")));
  start(
      {.command = "sleep 600", .webhook = "", .webhook_env = "", .attempts = 1, .timeout = 100ms});
  notifier_->tell(kReceipt);
  notifier_->settle(20s);
  EXPECT_THAT(outcomes().back(), HasSubstr("could not tell the command: did not end in time"));
}

TEST(WebhookOf, ReadsTheVariable) {
  scenario::Notify notify;
  EXPECT_EQ(webhook_of(notify).value(), "");
  notify.webhook_env = "HEADROOM_TEST_HOOK";
  ::unsetenv("HEADROOM_TEST_HOOK");
  EXPECT_THAT(webhook_of(notify).error().message, HasSubstr("HEADROOM_TEST_HOOK is not set"));
  ::setenv("HEADROOM_TEST_HOOK", "secret", 1);
  EXPECT_THAT(webhook_of(notify).error().message, Not(HasSubstr("secret")));
  ::setenv("HEADROOM_TEST_HOOK", "http://example.com/x", 1);
  EXPECT_EQ(webhook_of(notify).value(), "http://example.com/x");
  ::unsetenv("HEADROOM_TEST_HOOK");
}

}  // namespace
}  // namespace headroom::lab
