#include "lab/notifier.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "lab/notice_channel.h"
#include "scenario/notify.h"

namespace headroom::lab {
namespace {

constexpr Nanos kFirstPause = std::chrono::milliseconds{500};
constexpr std::size_t kMostWaiting = 1'000;

}  // namespace

// One receiver, its thread and what it has not been told yet.
class Notifier::Channel {
 public:
  Channel(std::string name, Attempt attempt, const scenario::Notify& notify, Outcome outcome)
      : name_(std::move(name)),
        attempt_(std::move(attempt)),
        attempts_(notify.attempts),
        timeout_(notify.timeout),
        outcome_(std::move(outcome)),
        thread_([this] { run(); }) {}
  ~Channel() { finish(Nanos{0}); }

  void tell(std::string what, std::string notice) {
    {
      const std::lock_guard lock(mutex_);
      if (ending_) return;
      // A receiver that hangs must not fill the memory; run after run there are a dozen receipts.
      if (waiting_.size() < kMostWaiting) waiting_.push_back({std::move(what), std::move(notice)});
    }
    changed_.notify_all();
  }

  void settle(Nanos patience) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, patience, [this] { return waiting_.empty(); });
  }

  void finish(Nanos patience) {
    settle(patience);
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }

 private:
  struct Notice {
    std::string what;
    std::string text;
  };

  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      const Notice notice = waiting_.front();
      lock.unlock();
      const std::string outcome = tell_one(notice);
      outcome_(outcome);
      lock.lock();
      waiting_.pop_front();  // only now: settle() waits for the outcome, too
      changed_.notify_all();
    }
  }

  // Of what is left when the end has come, nothing more is tried.
  std::string tell_one(const Notice& notice) {
    std::string why = "the run ended first";
    Nanos pause = kFirstPause;
    std::uint32_t tried = 0;
    while (tried < attempts_ && !is_ending()) {
      if (tried > 0 && !rest(pause)) break;
      if (tried > 0) pause *= 2;
      ++tried;
      const auto told = attempt_(notice.text, timeout_);
      if (told) {
        return fmt::format("{}: told {} ({}{})", notice.what, name_, *told,
                           tried > 1 ? fmt::format(", attempt {}", tried) : "");
      }
      why = printable(told.error().message);
    }
    return fmt::format("{}: could not tell {}: {} ({} attempt{})", notice.what, name_, why, tried,
                       tried == 1 ? "" : "s");
  }

  bool is_ending() {
    const std::lock_guard lock(mutex_);
    return ending_;
  }
  // False if the end came meanwhile.
  bool rest(Nanos pause) {
    std::unique_lock lock(mutex_);
    return !changed_.wait_for(lock, pause, [this] { return ending_; });
  }

  // Constant after construction.
  const std::string name_;
  const Attempt attempt_;
  const std::uint32_t attempts_;
  const Nanos timeout_;
  const Outcome outcome_;
  // Guarded by mutex_.
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Notice> waiting_;  // the one that is being told is its first
  bool ending_ = false;

  std::thread thread_;  // last: starts when all the rest is there
};

Result<std::string> webhook_of(const scenario::Notify& notify) {
  if (notify.webhook_env.empty()) return notify.webhook;
  const char* const value = std::getenv(notify.webhook_env.c_str());
  if (value == nullptr || *value == '\0') {
    return fail(ErrorKind::kUsage, "notify.webhook_env: the environment variable {} is not set",
                notify.webhook_env);
  }
  if (const auto url = scenario::parse_webhook(value); !url) {
    return fail(ErrorKind::kUsage, "notify.webhook_env: {}: {}", notify.webhook_env,
                url.error().message);
  }
  return std::string(value);
}

std::string notice_json(const NotifiedRun& run, const record::Receipt& receipt) {
  const WallTime at{run.started.since_epoch + receipt.time};
  const nlohmann::ordered_json json = {
      {"run_id", run.run_id},
      {"scenario", run.scenario},
      {"file", run.file},
      {"receipt", receipt.what},
      {"proved", receipt.proved},
      {"evidence", receipt.evidence},
      {"time_s", std::chrono::duration<double>(receipt.time).count()},
      {"utc", iso_time(at)}};
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Notifier::Notifier(const scenario::Notify& notify, const std::string& webhook, NotifiedRun run,
                   Outcome outcome)
    : run_(std::move(run)) {
  if (!notify.command.empty()) {
    channels_.push_back(
        std::make_unique<Channel>("the command", command_attempt(notify.command), notify, outcome));
  }
  if (!webhook.empty()) {
    channels_.push_back(
        std::make_unique<Channel>("the webhook", webhook_attempt(webhook), notify, outcome));
  }
}

Notifier::~Notifier() = default;

void Notifier::tell(const record::Receipt& receipt) {
  for (const auto& channel : channels_) channel->tell(receipt.what, notice_json(run_, receipt));
}

void Notifier::settle(Nanos patience) {
  const Nanos until = real_clock().now() + patience;
  for (const auto& channel : channels_)
    channel->settle(std::max(Nanos{0}, until - real_clock().now()));
}

void Notifier::finish(Nanos patience) {
  const Nanos until = real_clock().now() + patience;
  for (const auto& channel : channels_)
    channel->finish(std::max(Nanos{0}, until - real_clock().now()));
}

}  // namespace headroom::lab
