// Puts TLS in front of a server that knows none, such as the scripted one.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "net/address.h"
#include "tests/support/certificates.h"

namespace headroom::scripted {

struct TlsFrontOptions {
  net::Address backend;
  CertificateFiles identity;
  std::string client_ca;         // asks for a client certificate of this CA; empty: for none
  bool at_most_tls_1_2 = false;  // TLS 1.3 is not offered
};

class TlsFront {
 public:
  // Listens on a free port of 127.0.0.1.
  [[nodiscard]] static Result<std::unique_ptr<TlsFront>> start(const TlsFrontOptions& options);
  ~TlsFront();  // closes every connection
  TlsFront(const TlsFront&) = delete;
  TlsFront& operator=(const TlsFront&) = delete;

  [[nodiscard]] const net::Address& address() const;
  // The name that the last client asked for (SNI); empty: none. Any thread.
  [[nodiscard]] std::string server_name() const;

 private:
  class Impl;
  explicit TlsFront(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace headroom::scripted
