#include "serve/http_server.h"

#include <fmt/format.h>
#include <httplib.h>

#include <atomic>
#include <cerrno>
#include <thread>
#include <utility>

#include "base/text.h"
#include "serve/guard.h"

namespace headroom::serve {
namespace {

constexpr std::size_t kThreads = HttpServer::kMostStreams + 8;
constexpr time_t kPatienceSeconds = 5;
// What a stream without news sends at least once in this time, so that one whose reader went away
// is noticed.
constexpr Nanos kHeartbeat = std::chrono::seconds{2};

std::optional<std::string> header_of(const httplib::Request& request, const char* name) {
  if (!request.has_header(name)) return std::nullopt;
  return request.get_header_value(name);
}

HttpRequest read_request(const httplib::Request& from) {
  HttpRequest request;
  request.method = from.method;
  request.path = from.path;
  request.query.insert(from.params.begin(), from.params.end());
  request.host = header_of(from, "Host");
  request.origin = header_of(from, "Origin");
  request.fetch_site = header_of(from, "Sec-Fetch-Site");
  request.fetch_mode = header_of(from, "Sec-Fetch-Mode");
  const std::string length = from.get_header_value("Content-Length");
  request.has_body = from.has_header("Transfer-Encoding") || (!length.empty() && length != "0");
  request.has_range = from.has_header("Range");
  return request;
}

// Only one program listens on a port: the library's own choice would let several share it.
void set_socket_options(socket_t socket) {
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
}

class Server final : public HttpServer {
 public:
  explicit Server(HttpHandler handler) : handler_(std::move(handler)) {}
  ~Server() override {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

  Status start(const ListenAddress& address) {
    address_ = address;
    server_.set_socket_options(set_socket_options);
    server_.set_tcp_nodelay(true);
    server_.set_keep_alive_max_count(1);
    server_.set_read_timeout(kPatienceSeconds);
    server_.set_write_timeout(kPatienceSeconds);
    server_.set_payload_max_length(0);
    server_.new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    server_.set_default_headers({{"X-Content-Type-Options", "nosniff"},
                                 {"X-Frame-Options", "DENY"},
                                 {"Referrer-Policy", "no-referrer"},
                                 {"Cross-Origin-Opener-Policy", "same-origin"},
                                 {"Cross-Origin-Resource-Policy", "same-origin"},
                                 {"Cache-Control", "no-store"}});
    server_.set_pre_routing_handler([this](const httplib::Request& from, httplib::Response& to) {
      answer(from, to);
      return httplib::Server::HandlerResponse::Handled;
    });
    errno = 0;
    const int port = address.port == 0
                         ? server_.bind_to_any_port(address.host)
                         : (server_.bind_to_port(address.host, address.port) ? address.port : -1);
    if (port < 0) {
      const std::string why = errno == 0 ? std::string() : ": " + errno_text(errno);
      return fail(ErrorKind::kUsage,
                  "cannot listen on {}{}; give another ADDR:PORT, with port 0 for any that is free",
                  printable(address.text()), why);
    }
    address_.port = static_cast<std::uint16_t>(port);
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    // stop() before the loop began would be lost.
    while (!server_.is_running()) std::this_thread::yield();
    return {};
  }

  [[nodiscard]] const ListenAddress& address() const override { return address_; }

 private:
  void answer(const httplib::Request& from, httplib::Response& to) {
    const HttpRequest request = read_request(from);
    auto refused = refusal({address_.host, address_.port}, request);
    HttpResponse response = refused ? std::move(*refused) : handler_(request);
    if (response.events) {
      if (++streams_ <= kMostStreams) return stream(std::move(response.events), to);
      --streams_;
      response = plain_response(
          503, fmt::format("{} viewers are connected already; close one.", kMostStreams));
    }
    to.status = response.status;
    for (const auto& [name, value] : response.headers) to.set_header(name, value);
    if (!to.has_header("Content-Security-Policy"))
      to.set_header("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
    to.set_content(response.body, response.content_type);
  }

  // Has taken its place among streams_.
  void stream(NextEvents next, httplib::Response& to) {
    to.status = 200;
    to.set_chunked_content_provider(
        "text/event-stream",
        [next = std::move(next)](std::size_t, httplib::DataSink& sink) {
          const auto news = next(kHeartbeat);
          if (!news) {
            sink.done();
            return true;
          }
          const std::string& bytes = news->empty() ? ":\n\n" : *news;
          return sink.write(bytes.data(), bytes.size());
        },
        [this](bool) { --streams_; });
  }

  const HttpHandler handler_;
  ListenAddress address_;
  std::atomic<std::size_t> streams_{0};
  httplib::Server server_;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::start(const ListenAddress& address,
                                                      HttpHandler handler) {
  auto server = std::make_unique<Server>(std::move(handler));
  if (Status started = server->start(address); !started) return fail(std::move(started.error()));
  return server;
}

}  // namespace headroom::serve
