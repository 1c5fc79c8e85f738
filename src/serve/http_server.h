// Listens for HTTP and hands requests to a handler. The only file that sees cpp-httplib is its
// source.
//
// Every connection carries one request, so that nobody's idle connection holds a thread. Each of a
// small number of threads serves one request at a time; streams of events hold theirs, so there are
// at most kMostStreams of them. What guard.h refuses, what is malformed and what is too large never
// reaches the handler. Every response says what a browser may do with it: not guess its type, not
// show it in a frame, not keep it.
#pragma once

#include <cstddef>
#include <memory>

#include "base/result.h"
#include "serve/http.h"
#include "serve/listen_address.h"

namespace headroom::serve {

class HttpServer {
 public:
  static constexpr std::size_t kMostStreams = 16;

  // Listens and answers from here on, on threads of its own. kUsage if the address is taken or is
  // none of this machine's.
  [[nodiscard]] static Result<std::unique_ptr<HttpServer>> start(const ListenAddress& address,
                                                                 HttpHandler handler);
  virtual ~HttpServer() = default;  // ends streams, waits for what is being answered
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Where it listens, with the port that it got.
  [[nodiscard]] virtual const ListenAddress& address() const = 0;

 protected:
  HttpServer() = default;
};

}  // namespace headroom::serve
