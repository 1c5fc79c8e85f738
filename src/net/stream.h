// A connected socket, plain or under TLS: bytes in, bytes out, without waiting.
#pragma once

#include <sys/types.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/file.h"
#include "net/tls.h"

namespace headroom::net {

// One owner thread. Results that are negative are -errno; failure_text() puts them into words.
class Stream {
 public:
  Stream() = default;
  explicit Stream(UniqueFd fd) : fd_(std::move(fd)) {}
  Stream(Stream&&) noexcept = default;
  Stream& operator=(Stream&& other) noexcept {
    tls_ = std::move(other.tls_);  // first: a session that ends says farewell on its socket
    fd_ = std::move(other.fd_);
    return *this;
  }
  ~Stream() = default;

  [[nodiscard]] bool is_open() const { return fd_.valid(); }
  [[nodiscard]] int fd() const { return fd_.get(); }
  void close() {
    tls_.reset();
    fd_.reset();
  }

  // From here on all bytes go under TLS, once handshake() has said kDone.
  void begin_tls(const TlsContext& context) {
    tls_ = std::make_unique<TlsSession>(context, fd_.get());
  }
  // Of a stream with TLS: see TlsSession.
  [[nodiscard]] TlsProgress handshake() { return tls_->handshake(); }
  // "TLSv1.3, TLS_AES_256_GCM_SHA384"; empty without TLS.
  [[nodiscard]] std::string tls_description() const {
    return tls_ == nullptr ? std::string() : tls_->description();
  }

  // Reads once; under TLS, until the socket has no more or `buffer` is full. Bytes read; 0: the
  // other end closed; -EAGAIN: nothing now.
  [[nodiscard]] ssize_t receive(std::span<char> buffer);
  // receive() has more at once, of which no readiness of the socket will tell. Only under TLS.
  [[nodiscard]] bool has_buffered() const { return tls_ != nullptr && tls_->has_buffered(); }

  // Writes `bytes` and, if all of them go, `tail` behind them; without TLS in one call. Bytes
  // taken, 0 if the socket takes none now.
  [[nodiscard]] ssize_t send(std::string_view bytes, std::string_view tail = {});
  // Bytes were taken that still have to be pushed out, by any send() when the socket is writable
  // (an empty one does it). Only under TLS.
  [[nodiscard]] bool has_unsent() const { return tls_ != nullptr && tls_->has_unsent(); }

  // Why receive(), send() (a negative result) or handshake() failed.
  [[nodiscard]] std::string failure_text(ssize_t result) const;

 private:
  [[nodiscard]] ssize_t send_tls(std::string_view bytes, std::string_view tail);

  UniqueFd fd_;
  std::unique_ptr<TlsSession> tls_;
};

}  // namespace headroom::net
