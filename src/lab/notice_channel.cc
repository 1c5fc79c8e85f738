#include "lab/notice_channel.h"

#include <fmt/format.h>
#include <httplib.h>

#include <future>
#include <thread>
#include <utility>

#include "base/check.h"
#include "base/subprocess.h"
#include "scenario/notify.h"

namespace headroom::lab {
namespace {

Result<std::string> post(const scenario::WebhookUrl& url, const std::string& notice,
                         Nanos timeout) {
  httplib::Client client(url.origin);
  const auto limit = std::chrono::ceil<std::chrono::milliseconds>(timeout);
  client.set_connection_timeout(limit);
  client.set_read_timeout(limit);
  client.set_write_timeout(limit);
  const auto answer = client.Post(url.path, notice, "application/json");
  if (!answer) return fail(ErrorKind::kTarget, "{}", httplib::to_string(answer.error()));
  if (answer->status < 200 || answer->status > 299)
    return fail(ErrorKind::kTarget, "HTTP {}", answer->status);
  return fmt::format("HTTP {}", answer->status);
}

}  // namespace

Attempt command_attempt(const std::string& command) {
  return [command](const std::string& notice, Nanos timeout) -> Result<std::string> {
    SubprocessOptions options;
    options.argv = {"sh", "-c", command};
    options.environment = {"HEADROOM_RECEIPT=" + notice};
    auto process = Subprocess::start(options);
    if (!process) return fail(std::move(process.error()));
    const auto ended = process->wait(timeout);
    if (!ended) {
      process->stop(Nanos{0});
      return fail(ErrorKind::kTarget, "did not end in time");
    }
    if (ended->signal != 0 || ended->code != 0)
      return fail(ErrorKind::kTarget, "{}", ended->describe());
    return ended->describe();
  };
}

Attempt webhook_attempt(const std::string& url) {
  auto parsed = scenario::parse_webhook(url);
  check(parsed.has_value(), "a webhook's URL was read before");
  return [target = std::move(*parsed)](const std::string& notice,
                                       Nanos timeout) -> Result<std::string> {
    // A name that does not resolve, or an answer that comes byte by byte, would hold this thread
    // for longer than it may be: the attempt has one of its own, which is left alone when it is
    // late.
    std::promise<Result<std::string>> promise;
    auto answer = promise.get_future();
    std::thread([target, notice, timeout, promise = std::move(promise)]() mutable {
      promise.set_value(post(target, notice, timeout));
    }).detach();
    if (answer.wait_for(timeout) != std::future_status::ready)
      return fail(ErrorKind::kTarget, "no answer in time");
    return answer.get();
  };
}

}  // namespace headroom::lab
