#include "target/access.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "base/file.h"
#include "target/certificates.h"

namespace headroom::target {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCaFile = "ca.pem";
constexpr std::string_view kCertificateFile = "server.pem";
constexpr std::string_view kKeyFile = "server.key";
constexpr std::size_t kPasswordBytes = 32;

}  // namespace

std::string EngineAccess::configuration(std::uint16_t port) const {
  std::string lines;
  if (ca_pem.empty()) {
    lines += fmt::format("port {}\n", port);
  } else {
    // Paths are relative to the working directory, which is the private one.
    lines += fmt::format(
        "port 0\n"
        "tls-port {}\n"
        "tls-ca-cert-file {}\n"
        "tls-cert-file {}\n"
        "tls-key-file {}\n"
        "tls-auth-clients no\n"
        "tls-replication yes\n"
        "tls-cluster yes\n",
        port, kCaFile, kCertificateFile, kKeyFile);
  }
  if (user.empty()) return lines;
  if (user != "default") lines += "user default off\n";
  lines += fmt::format("user {} on >{} ~* &* +@all\n", user, password);
  lines += fmt::format("masteruser {}\nmasterauth {}\n", user, password);
  return lines;
}

Status EngineAccess::write_files(const fs::path& directory) const {
  if (ca_pem.empty()) return {};
  for (const auto& [name, content] :
       {std::pair{kCaFile, &ca_pem}, std::pair{kCertificateFile, &certificate_pem},
        std::pair{kKeyFile, &key_pem}}) {
    if (auto written = write_file(directory / name, *content); !written) return written;
  }
  return {};
}

Result<EngineAccess> make_access(const scenario::Target& scenario, const fs::path& directory) {
  EngineAccess access;
  if (!scenario.acl_user.empty()) {
    auto password = random_hex(kPasswordBytes);
    if (!password) return fail(std::move(password.error()));
    access.user = scenario.acl_user;
    access.password = std::move(*password);
  }
  if (!scenario.tls) return access;
  auto made = make_server_certificate();
  if (!made) return fail(std::move(made.error()));
  access.ca_pem = std::move(made->ca);
  access.certificate_pem = std::move(made->certificate);
  access.key_pem = std::move(made->key);
  if (auto written = access.write_files(directory); !written)
    return fail(std::move(written.error()));
  net::TlsOptions options;
  options.ca_file = (directory / kCaFile).string();
  options.server_name = "127.0.0.1";
  auto context = net::TlsContext::create(options);
  if (!context) return fail(std::move(context.error()));
  access.tls = std::move(*context);
  return access;
}

}  // namespace headroom::target
