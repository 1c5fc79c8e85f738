#include "target/server.h"

#include <utility>

#include "target/secret.h"

namespace headroom::target {

resp::Protocol protocol_of(const scenario::Target& target) {
  return target.protocol == scenario::Protocol::kResp3 ? resp::Protocol::kResp3
                                                       : resp::Protocol::kResp2;
}

Result<std::shared_ptr<const net::TlsContext>> tls_of(const scenario::Target& target) {
  if (!target.tls) return nullptr;
  net::TlsOptions options;
  options.ca_file = target.tls_ca_file;
  options.ca_directory = target.tls_ca_directory;
  options.certificate_file = target.tls_certificate;
  options.key_file = target.tls_key;
  // The name that the user gave, not the address it stands for.
  options.server_name = target.tls_server_name.empty() ? target.host : target.tls_server_name;
  options.verify = target.tls_verify;
  options.minimum =
      target.tls_minimum == scenario::TlsVersion::k13 ? net::TlsVersion::k13 : net::TlsVersion::k12;
  return net::TlsContext::create(options);
}

Result<resp::Server> server_of(const scenario::Target& target) {
  auto password = read_password(target);
  if (!password) return fail(std::move(password.error()));
  auto tls = tls_of(target);
  if (!tls) return fail(std::move(tls.error()));
  resp::Server server;
  server.address.host = target.socket.empty() ? target.host : std::string();
  server.address.port = target.port;
  server.address.socket = target.socket;
  server.username = target.username;
  server.password = std::move(*password);
  server.protocol = protocol_of(target);
  server.database = target.database;
  server.tls = std::move(*tls);
  return server;
}

}  // namespace headroom::target
