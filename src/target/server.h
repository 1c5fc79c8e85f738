// The server that a scenario of an endpoint names, ready to be connected to.
#pragma once

#include <memory>

#include "base/result.h"
#include "net/tls.h"
#include "resp/server.h"
#include "scenario/scenario.h"

namespace headroom::target {

[[nodiscard]] resp::Protocol protocol_of(const scenario::Target& target);

// Reads the files of the TLS options; null without TLS. An Error (kUsage) names option and file.
[[nodiscard]] Result<std::shared_ptr<const net::TlsContext>> tls_of(const scenario::Target& target);

// With its password (target/secret.h) and TLS files read. Errors are kUsage.
[[nodiscard]] Result<resp::Server> server_of(const scenario::Target& target);

}  // namespace headroom::target
