// How a server is reached and what every new connection to it begins with.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "net/address.h"
#include "net/tls.h"

namespace headroom::resp {

enum class Protocol : std::uint8_t { kResp2, kResp3 };

struct Server {
  net::Address address;
  std::string username = {};  // ACL user; empty: the default user
  std::string password = {};  // empty: no AUTH
  Protocol protocol = Protocol::kResp2;
  std::uint32_t database = 0;                            // of SELECT
  std::shared_ptr<const net::TlsContext> tls = nullptr;  // absent: without TLS
  // A cluster's replica is asked to serve reads itself, rather than to name its primary.
  bool reads_replica = false;
};

}  // namespace headroom::resp
