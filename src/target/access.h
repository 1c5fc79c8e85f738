// Who may talk to the engines of a local target, and how: a CA, a certificate and a user that are
// made for one run and known to nobody else.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/result.h"
#include "net/tls.h"
#include "resp/server.h"
#include "scenario/scenario.h"

namespace headroom::target {

// Neither in any file but those of the engines' private directories, nor ever in a run file.
struct EngineAccess {
  std::string user;      // empty: the default user, without password
  std::string password;  // 256 random bits in hex
  // Of the server, PEM; empty without TLS. The CA's own key is forgotten once it has signed.
  std::string ca_pem;
  std::string certificate_pem;
  std::string key_pem;
  std::shared_ptr<const net::TlsContext> tls;  // that trusts that CA alone

  // Lines for an engine's configuration: TLS on `port`, or plain; the user, as which engines also
  // follow one another.
  [[nodiscard]] std::string configuration(std::uint16_t port) const;
  // Puts the certificates where configuration() has them: into an engine's directory.
  [[nodiscard]] Status write_files(const std::filesystem::path& directory) const;
};

// As target.tls and target.acl_user ask. `directory` is private and outlives the connections.
[[nodiscard]] Result<EngineAccess> make_access(const scenario::Target& scenario,
                                               const std::filesystem::path& directory);

}  // namespace headroom::target
