#include "scenario/notify.h"

#include <algorithm>

namespace headroom::scenario {

bool is_notified(const Notify& notify) {
  return !notify.command.empty() || !notify.webhook.empty() || !notify.webhook_env.empty();
}

Result<WebhookUrl> parse_webhook(std::string_view url) {
  const auto refused = [](std::string_view why) {
    return fail(ErrorKind::kUsage,
                "the webhook {}; give a URL such as \"https://hooks.example.com/cache\"", why);
  };
  const std::size_t scheme = url.starts_with("https://") ? 8 : url.starts_with("http://") ? 7 : 0;
  if (scheme == 0) return refused("does not begin with http:// or https://");
  const auto odd = [](unsigned char c) { return c <= ' ' || c == 0x7f; };
  if (std::ranges::any_of(url, odd)) return refused("has a blank or a control character in it");
  const std::size_t slash = std::min(url.find_first_of("/?#", scheme), url.size());
  const std::string_view authority = url.substr(scheme, slash - scheme);
  if (authority.empty()) return refused("names no host");
  if (authority.find('@') != std::string_view::npos)
    return refused("has a user or a password before its host, which is not supported");
  std::string path(url.substr(slash));
  path = path.substr(0, path.find('#'));
  if (!path.starts_with('/')) path.insert(path.begin(), '/');
  return WebhookUrl{std::string(url.substr(0, slash)), std::move(path)};
}

}  // namespace headroom::scenario
