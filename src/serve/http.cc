#include "serve/http.h"

#include "base/text.h"

namespace headroom::serve {

HttpResponse plain_response(int status, const std::string& text) {
  HttpResponse response;
  response.status = status;
  response.content_type = "text/plain; charset=utf-8";
  response.body = text + "\n";
  return response;
}

std::string event_text(const std::string& name, const std::string& data) {
  std::string text = "event: " + name + "\n";
  for (const std::string_view line : split(data, '\n')) {
    text += "data: ";
    text += line;
    text += '\n';
  }
  text += '\n';
  return text;
}

}  // namespace headroom::serve
