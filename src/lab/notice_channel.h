// One attempt to tell one receiver. Internal to the notifier.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"

namespace headroom::lab {

// Ends within `timeout`, whatever the receiver does. What it came to, such as "HTTP 200"; the Error
// says why it was not told.
using Attempt = std::function<Result<std::string>(const std::string& notice, Nanos timeout)>;

// Runs `command` by sh with the notice in the variable HEADROOM_RECEIPT; told if it ends with 0.
[[nodiscard]] Attempt command_attempt(const std::string& command);
// POSTs the notice; told if the answer is 2xx. Redirections are not followed. `url` is valid
// (scenario/notify.h).
[[nodiscard]] Attempt webhook_attempt(const std::string& url);

}  // namespace headroom::lab
