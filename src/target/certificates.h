// A throw-away certificate authority and the certificate of one server.
#pragma once

#include <string>

#include "base/result.h"

namespace headroom::target {

// PEM texts. The authority's own key is gone when they are there: nobody can sign with it again.
struct ServerCertificate {
  std::string ca;
  std::string certificate;  // for localhost and 127.0.0.1, from yesterday for a month
  std::string key;          // P-256, without passphrase
};
[[nodiscard]] Result<ServerCertificate> make_server_certificate();

// `bytes` of the system's cryptographic randomness, in hex.
[[nodiscard]] Result<std::string> random_hex(std::size_t bytes);

}  // namespace headroom::target
