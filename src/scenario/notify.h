// Whom a run tells of its receipts. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "scenario/scenario.h"

namespace headroom::scenario {

[[nodiscard]] bool is_notified(const Notify& notify);

// A URL taken apart: "https://hooks.example.com:8443/a?b".
struct WebhookUrl {
  std::string origin;  // "https://hooks.example.com:8443"
  std::string path;    // "/a?b"; at least "/"
};
// The Error (kUsage) says what is wrong without repeating the URL, which may hold a secret.
[[nodiscard]] Result<WebhookUrl> parse_webhook(std::string_view url);

}  // namespace headroom::scenario
