// Requests and responses of HTTP, as far as a site that only shows things needs them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace headroom::serve {

struct HttpRequest {
  std::string method;                             // "GET"
  std::string path;                               // percent-decoded; begins with "/"
  std::multimap<std::string, std::string> query;  // percent-decoded
  std::optional<std::string> host;
  std::optional<std::string> origin;
  std::optional<std::string> fetch_site;  // Sec-Fetch-Site, as browsers send it
  std::optional<std::string> fetch_mode;  // Sec-Fetch-Mode
  bool has_body = false;
  bool has_range = false;
};

// Events of a stream, as they come. Called again and again by the one thread that serves it: waits
// at most `patience` for news and returns its bytes, empty if there is none; nullopt ends the
// stream.
using NextEvents = std::function<std::optional<std::string>(Nanos patience)>;

struct HttpResponse {
  int status = 200;
  std::string content_type;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  NextEvents events;  // if set, the body is what it gives, as text/event-stream
};

// `text` and a final newline as plain text.
[[nodiscard]] HttpResponse plain_response(int status, const std::string& text);

// Answers requests; called by several threads at once.
using HttpHandler = std::function<HttpResponse(const HttpRequest&)>;

// One event of a stream: `data` in as many lines as it has.
[[nodiscard]] std::string event_text(const std::string& name, const std::string& data);

}  // namespace headroom::serve
