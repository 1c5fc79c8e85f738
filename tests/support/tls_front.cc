#include "tests/support/tls_front.h"

#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/file.h"
#include "net/socket.h"
#include "scripted/listener.h"

namespace headroom::scripted {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{64} << 10U;

struct FreeContext {
  void operator()(SSL_CTX* context) const { ::SSL_CTX_free(context); }
};
struct FreeSession {
  void operator()(SSL* session) const { ::SSL_free(session); }
};
using Context = std::unique_ptr<SSL_CTX, FreeContext>;
using Session = std::unique_ptr<SSL, FreeSession>;

void block(int fd) { ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) & ~O_NONBLOCK); }

bool send_all(int fd, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t sent = ::send(fd, bytes, size, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

Context make_context(const TlsFrontOptions& options) {
  Context context(::SSL_CTX_new(::TLS_server_method()));
  SSL_CTX* const raw = context.get();
  check(::SSL_CTX_use_certificate_chain_file(raw, options.identity.certificate.c_str()) == 1 &&
            ::SSL_CTX_use_PrivateKey_file(raw, options.identity.key.c_str(), SSL_FILETYPE_PEM) == 1,
        "tls front: its certificate can be read");
  if (options.at_most_tls_1_2) SSL_CTX_set_max_proto_version(raw, TLS1_2_VERSION);
  if (!options.client_ca.empty()) {
    check(::SSL_CTX_load_verify_file(raw, options.client_ca.c_str()) == 1,
          "tls front: its client CA can be read");
    ::SSL_CTX_set_verify(raw, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  }
  return context;
}

}  // namespace

class TlsFront::Impl {
 public:
  Impl(const TlsFrontOptions& options, UniqueFd listener, net::Address address)
      : backend_(options.backend),
        address_(std::move(address)),
        context_(make_context(options)),
        listener_(std::move(listener)),
        stop_(::eventfd(0, EFD_CLOEXEC)) {
    thread_ = std::thread([this] { accept_all(); });
  }

  ~Impl() {
    const std::uint64_t one = 1;
    check(::write(stop_.get(), &one, sizeof one) == sizeof one, "tls front: can be stopped");
    thread_.join();
    for (std::thread& each : connections_) each.join();
  }

  const net::Address& address() const { return address_; }
  std::string server_name() const {
    const std::lock_guard lock(mutex_);
    return server_name_;
  }

 private:
  // Readiness of the first two; false once it is to stop.
  bool wait(std::array<pollfd, 3>& fds) const {
    fds[2] = {stop_.get(), POLLIN, 0};
    while (::poll(fds.data(), fds.size(), -1) < 0) continue;
    return fds[2].revents == 0;
  }

  void accept_all() {
    std::array<pollfd, 3> fds{};
    fds[0] = {listener_.get(), POLLIN, 0};
    fds[1] = {-1, 0, 0};
    while (wait(fds)) {
      UniqueFd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!fd.valid()) continue;
      connections_.emplace_back([this, client = std::move(fd)] { serve(client.get()); });
    }
  }

  void serve(int client) {
    // A client that left must not end the test program: OpenSSL writes without MSG_NOSIGNAL.
    sigset_t pipe;
    ::sigemptyset(&pipe);
    ::sigaddset(&pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
    const Session session(::SSL_new(context_.get()));
    ::SSL_set_fd(session.get(), client);
    if (!accept(session.get(), client)) return;
    const auto backend = net::connect(backend_, real_clock().now() + std::chrono::seconds{10});
    if (!backend) return;
    block(backend->get());
    std::array<pollfd, 3> fds{};
    fds[0] = {client, POLLIN, 0};
    fds[1] = {backend->get(), POLLIN, 0};
    while (wait(fds)) {
      if (fds[0].revents != 0 && !from_client(session.get(), backend->get())) return;
      if (fds[1].revents != 0 && !to_client(session.get(), backend->get())) return;
    }
  }

  bool accept(SSL* session, int client) {
    // Does not block inside of OpenSSL: a client may stay in the middle of its handshake, and a
    // stop has to end that, too.
    ::fcntl(client, F_SETFL, O_NONBLOCK);
    std::array<pollfd, 3> fds{};
    fds[1] = {-1, 0, 0};
    for (int result = 0; result != 1;) {
      result = ::SSL_accept(session);
      const int wanted = ::SSL_get_error(session, result);
      const bool waits = wanted == SSL_ERROR_WANT_READ || wanted == SSL_ERROR_WANT_WRITE;
      fds[0] = {client, static_cast<short>(wanted == SSL_ERROR_WANT_WRITE ? POLLOUT : POLLIN), 0};
      if (result != 1 && (!waits || !wait(fds))) {
        ::ERR_clear_error();
        return false;
      }
    }
    block(client);
    const char* const name = ::SSL_get_servername(session, TLSEXT_NAMETYPE_host_name);
    const std::lock_guard lock(mutex_);
    server_name_ = name == nullptr ? "" : name;
    return true;
  }

  static bool from_client(SSL* session, int backend) {
    std::array<char, kChunkBytes> buffer;
    do {
      const int count = ::SSL_read(session, buffer.data(), buffer.size());
      if (count <= 0) return false;
      if (!send_all(backend, buffer.data(), static_cast<std::size_t>(count))) return false;
    } while (::SSL_pending(session) > 0);
    return true;
  }

  static bool to_client(SSL* session, int backend) {
    std::array<char, kChunkBytes> buffer;
    const ssize_t count = ::recv(backend, buffer.data(), buffer.size(), 0);
    return count > 0 && ::SSL_write(session, buffer.data(), static_cast<int>(count)) > 0;
  }

  const net::Address backend_;
  const net::Address address_;
  const Context context_;
  const UniqueFd listener_;
  const UniqueFd stop_;
  mutable std::mutex mutex_;
  std::string server_name_;               // guarded by mutex_
  std::vector<std::thread> connections_;  // the thread's, then the owner's
  std::thread thread_;
};

Result<std::unique_ptr<TlsFront>> TlsFront::start(const TlsFrontOptions& options) {
  net::Address address;
  auto listener = listen_on_loopback(address);
  if (!listener) return fail(std::move(listener.error()));
  return std::unique_ptr<TlsFront>(
      new TlsFront(std::make_unique<Impl>(options, std::move(*listener), address)));
}

TlsFront::TlsFront(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TlsFront::~TlsFront() = default;
const net::Address& TlsFront::address() const { return impl_->address(); }
std::string TlsFront::server_name() const { return impl_->server_name(); }

}  // namespace headroom::scripted
