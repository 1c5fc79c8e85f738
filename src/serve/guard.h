// Which requests are answered at all. A page of any site may make a browser ask a server on
// loopback, and a name of its own may come to stand for 127.0.0.1 (DNS rebinding); so what a
// request calls us must be what we are called, and who asks must be one of our own pages. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "serve/http.h"

namespace headroom::serve {

// What we are called.
struct OwnName {
  std::string host;        // as the user gave it
  std::uint16_t port = 0;  // the one that is listened on
};

// Whether a Host header means us: its own port, and the host as the user gave it, or
// "localhost", or an address in numbers, which no name server can make stand for another.
[[nodiscard]] bool is_ours(const OwnName& us, std::string_view host_header);

// Why a request is refused; nullopt: it may be answered. Nothing but GET and HEAD, without a body,
// of a host that is ours, and not by another site's page (unless it is a link that was followed).
[[nodiscard]] std::optional<HttpResponse> refusal(const OwnName& us, const HttpRequest& request);

}  // namespace headroom::serve
