#include "net/tls.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace headroom::net {
namespace {

// The most plain text that one record carries (RFC 8446, section 5.1).
constexpr std::size_t kRecordBytes = std::size_t{16} << 10U;
// What one read of the socket may bring: several records.
constexpr std::size_t kReadAheadBytes = std::size_t{64} << 10U;

// A private key that asks for a passphrase is refused: OpenSSL would ask the terminal.
int no_passphrase(char*, int, int, void*) { return -1; }

std::string openssl_reason() {
  const char* const reason = ::ERR_reason_error_string(::ERR_peek_last_error());
  return reason == nullptr ? "no reason given" : reason;
}

Status readable(std::string_view option, const std::string& file) {
  if (::access(file.c_str(), R_OK) == 0) return {};
  return fail(ErrorKind::kUsage, "{}: {}: {}", option, file, errno_text(errno));
}

Status load_authorities(ssl_ctx_st* context, const TlsOptions& options) {
  if (options.ca_file.empty() && options.ca_directory.empty()) {
    if (::SSL_CTX_set_default_verify_paths(context) == 1) return {};
    return fail(ErrorKind::kUsage, "cannot find this system's CAs ({}); give target.tls_ca_file",
                openssl_reason());
  }
  if (!options.ca_file.empty()) {
    if (auto fine = readable("target.tls_ca_file", options.ca_file); !fine) return fine;
    if (::SSL_CTX_load_verify_file(context, options.ca_file.c_str()) != 1) {
      return fail(ErrorKind::kUsage, "target.tls_ca_file: {}: no certificates in PEM: {}",
                  options.ca_file, openssl_reason());
    }
  }
  if (options.ca_directory.empty()) return {};
  std::error_code error;
  const bool is_directory = std::filesystem::is_directory(options.ca_directory, error);
  if (!is_directory || ::SSL_CTX_load_verify_dir(context, options.ca_directory.c_str()) != 1) {
    return fail(ErrorKind::kUsage, "target.tls_ca_directory: {}: {}", options.ca_directory,
                error ? error.message() : "no directory that can be read");
  }
  return readable("target.tls_ca_directory", options.ca_directory);
}

Status load_own_certificate(ssl_ctx_st* context, const TlsOptions& options) {
  if (options.certificate_file.empty()) return {};
  const std::string& certificate = options.certificate_file;
  if (auto fine = readable("target.tls_certificate", certificate); !fine) return fine;
  if (auto fine = readable("target.tls_key", options.key_file); !fine) return fine;
  if (::SSL_CTX_use_certificate_chain_file(context, certificate.c_str()) != 1) {
    return fail(ErrorKind::kUsage, "target.tls_certificate: {}: no certificate in PEM: {}",
                certificate, openssl_reason());
  }
  if (::SSL_CTX_use_PrivateKey_file(context, options.key_file.c_str(), SSL_FILETYPE_PEM) == 1) {
    return {};
  }
  if (ERR_GET_REASON(::ERR_peek_last_error()) == X509_R_KEY_VALUES_MISMATCH) {
    return fail(ErrorKind::kUsage, "target.tls_key: {}: is not the key of target.tls_certificate",
                options.key_file);
  }
  return fail(ErrorKind::kUsage,
              "target.tls_key: {}: no private key in PEM, or one with a passphrase (give one "
              "without): {}",
              options.key_file, openssl_reason());
}

bool is_ip_address(const std::string& name) {
  std::array<unsigned char, sizeof(in6_addr)> raw{};
  return ::inet_pton(AF_INET, name.c_str(), raw.data()) == 1 ||
         ::inet_pton(AF_INET6, name.c_str(), raw.data()) == 1;
}

std::string one_line(const X509_NAME* name) {
  const std::unique_ptr<BIO, decltype(&::BIO_free_all)> text(::BIO_new(::BIO_s_mem()),
                                                             &::BIO_free_all);
  if (text == nullptr || ::X509_NAME_print_ex(text.get(), name, 0, XN_FLAG_ONELINE) < 0) return "?";
  char* bytes = nullptr;
  const auto size = static_cast<std::size_t>(BIO_get_mem_data(text.get(), &bytes));
  return printable({bytes, size}, 120);
}

std::string day(const ASN1_TIME* time) {
  tm parts{};
  if (::ASN1_TIME_to_tm(time, &parts) != 1) return "an unknown day";
  return fmt::format("{:04}-{:02}-{:02}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday);
}

// The names and addresses that a certificate is for: "cache.example, 10.0.0.7".
std::string names_of(const X509* certificate) {
  std::string text;
  const auto add = [&](std::string_view name) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", printable(name, 80));
  };
  auto* const names = static_cast<GENERAL_NAMES*>(
      ::X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
  for (int i = 0; i < sk_GENERAL_NAME_num(names); ++i) {
    const GENERAL_NAME* const name = sk_GENERAL_NAME_value(names, i);
    const ASN1_STRING* const raw = name->d.ia5;
    const auto size = static_cast<std::size_t>(::ASN1_STRING_length(raw));
    if (name->type == GEN_DNS) {
      add({reinterpret_cast<const char*>(::ASN1_STRING_get0_data(raw)), size});
    } else if (name->type == GEN_IPADD && (size == 4 || size == 16)) {
      std::array<char, INET6_ADDRSTRLEN> address{};
      ::inet_ntop(size == 4 ? AF_INET : AF_INET6, ::ASN1_STRING_get0_data(raw), address.data(),
                  address.size());
      add(address.data());
    }
  }
  ::GENERAL_NAMES_free(names);
  return text.empty() ? one_line(::X509_get_subject_name(certificate)) : text;
}

std::string fault_of(X509_STORE_CTX* store, const std::string& server_name) {
  const X509* const certificate = ::X509_STORE_CTX_get_current_cert(store);
  const int error = ::X509_STORE_CTX_get_error(store);
  if (certificate == nullptr) return ::X509_verify_cert_error_string(error);
  const std::string subject = one_line(::X509_get_subject_name(certificate));
  switch (error) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return fmt::format("the server's certificate ({}) expired on {}", subject,
                         day(::X509_get0_notAfter(certificate)));
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return fmt::format("the server's certificate ({}) is valid only from {} on", subject,
                         day(::X509_get0_notBefore(certificate)));
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return fmt::format(
          "the server's certificate is for {}, not for {}; give one of its names as "
          "target.tls_server_name",
          names_of(certificate), printable(server_name, 80));
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
      return fmt::format(
          "the server's certificate ({}) is signed by an unknown CA ({}); give that CA as "
          "target.tls_ca_file",
          subject, one_line(::X509_get_issuer_name(certificate)));
    default:
      return fmt::format("the server's certificate ({}) is refused: {}", subject,
                         ::X509_verify_cert_error_string(error));
  }
}

// What OpenSSL's reason means for a user; its own words if we know none better.
std::string meaning_of(unsigned long error) {
  switch (ERR_GET_REASON(error)) {
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_HTTP_REQUEST:
    case SSL_R_HTTPS_PROXY_REQUEST:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
      return "the server speaks no TLS on this port; leave target.tls out, or give its TLS port";
    case SSL_R_UNSUPPORTED_PROTOCOL:
    case SSL_R_TLSV1_ALERT_PROTOCOL_VERSION:
      return "the server speaks no version of TLS that target.tls_minimum allows";
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
      return "the server wants a client certificate; give target.tls_certificate and "
             "target.tls_key";
    case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE:
      return "the server ended the TLS handshake; it may want a client certificate "
             "(target.tls_certificate, target.tls_key)";
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
      return "the server does not know the CA of target.tls_certificate";
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
      return "the server refuses target.tls_certificate: it has expired";
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
      return "the server refuses target.tls_certificate";
    default: {
      const char* const reason = ::ERR_reason_error_string(error);
      return fmt::format("TLS failed: {}", reason == nullptr ? "no reason given" : reason);
    }
  }
}

}  // namespace

// OpenSSL's own socket transport writes without MSG_NOSIGNAL: a closed connection would end the
// process.
struct TlsSession::Transport {
  static Wire& wire(BIO* bio) { return *static_cast<Wire*>(::BIO_get_data(bio)); }

  static int finish(BIO* bio, ssize_t bytes, int retry) {
    BIO_clear_retry_flags(bio);
    if (bytes >= 0) return static_cast<int>(bytes);
    if (errno == EAGAIN || errno == EINTR) {
      ::BIO_set_flags(bio, retry | BIO_FLAGS_SHOULD_RETRY);
    } else {
      wire(bio).error = errno;
    }
    return -1;
  }

  static int write(BIO* bio, const char* bytes, int size) {
    return finish(bio, ::send(wire(bio).fd, bytes, static_cast<std::size_t>(size), MSG_NOSIGNAL),
                  BIO_FLAGS_WRITE);
  }

  static int read(BIO* bio, char* bytes, int size) {
    const ssize_t count = ::recv(wire(bio).fd, bytes, static_cast<std::size_t>(size), 0);
    if (count == 0) wire(bio).closed = true;
    return finish(bio, count, BIO_FLAGS_READ);
  }

  static long control(BIO* bio, int command, long, void*) {
    if (command == BIO_CTRL_EOF) return wire(bio).closed ? 1 : 0;
    return command == BIO_CTRL_FLUSH ? 1 : 0;
  }

  static const BIO_METHOD* method() {
    static const auto method = [] {
      std::unique_ptr<BIO_METHOD, decltype(&::BIO_meth_free)> made(
          ::BIO_meth_new(::BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "headroom socket"),
          &::BIO_meth_free);
      check(made != nullptr && ::BIO_meth_set_write(made.get(), &write) == 1 &&
                ::BIO_meth_set_read(made.get(), &read) == 1 &&
                ::BIO_meth_set_ctrl(made.get(), &control) == 1,
            "tls: a transport can be made");
      return made;
    }();
    return method.get();
  }
};

void TlsContext::Free::operator()(ssl_ctx_st* context) const { ::SSL_CTX_free(context); }

Result<std::shared_ptr<const TlsContext>> TlsContext::create(const TlsOptions& options) {
  ::ERR_clear_error();
  Handle handle(::SSL_CTX_new(::TLS_client_method()));
  check(handle != nullptr, "tls: a context can be made");
  ssl_ctx_st* const context = handle.get();
  const int minimum = options.minimum == TlsVersion::k13 ? TLS1_3_VERSION : TLS1_2_VERSION;
  check(SSL_CTX_set_min_proto_version(context, minimum) == 1, "tls: OpenSSL knows TLS 1.3");
  // A server that ends without a farewell has ended; RESP tells by itself whether a reply is whole.
  ::SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_IGNORE_UNEXPECTED_EOF);
  // Partial writes: what was taken is known record by record. Released buffers: a worker may have
  // thousands of connections, and most are idle at any moment.
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  // One read of the socket brings several records, instead of two reads for each.
  SSL_CTX_set_read_ahead(context, 1);
  ::SSL_CTX_set_default_read_buffer_len(context, kReadAheadBytes);
  ::SSL_CTX_set_default_passwd_cb(context, &no_passphrase);
  if (options.verify) {
    ::SSL_CTX_set_verify(context, SSL_VERIFY_PEER, &TlsSession::check_certificate);
    if (auto loaded = load_authorities(context, options); !loaded) return fail(loaded.error());
  }
  if (auto loaded = load_own_certificate(context, options); !loaded) return fail(loaded.error());
  ::ERR_clear_error();
  return std::shared_ptr<const TlsContext>(new TlsContext(std::move(handle), options.server_name));
}

void TlsSession::Free::operator()(ssl_st* session) const { ::SSL_free(session); }

TlsSession::TlsSession(const TlsContext& context, int fd)
    : wire_{.fd = fd},
      session_(::SSL_new(context.handle_.get())),
      server_name_(context.server_name_) {
  BIO* const bio = ::BIO_new(Transport::method());
  check(session_ != nullptr && bio != nullptr, "tls: a session can be made");
  ::BIO_set_data(bio, &wire_);
  ::BIO_set_init(bio, 1);
  ::SSL_set_bio(session_.get(), bio, bio);
  SSL_set_app_data(session_.get(), this);
  ::SSL_set_connect_state(session_.get());
  if (server_name_.empty()) return;
  if (is_ip_address(server_name_)) {
    ::X509_VERIFY_PARAM_set1_ip_asc(::SSL_get0_param(session_.get()), server_name_.c_str());
    return;
  }
  ::SSL_set1_host(session_.get(), server_name_.c_str());
  // SSL_set_tlsext_host_name(), without the cast in that macro; the name is copied.
  ::SSL_ctrl(session_.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
             const_cast<char*>(server_name_.c_str()));
}

TlsSession::~TlsSession() {
  const bool broken = !failure_.empty() || wire_.error != 0 || wire_.closed;
  if (established_ && !broken && !has_unsent()) static_cast<void>(::SSL_shutdown(session_.get()));
  ::ERR_clear_error();
}

int TlsSession::check_certificate(int accepted, x509_store_ctx_st* store) {
  if (accepted == 1) return 1;
  auto* const ssl = static_cast<ssl_st*>(
      ::X509_STORE_CTX_get_ex_data(store, ::SSL_get_ex_data_X509_STORE_CTX_idx()));
  auto* const session = static_cast<TlsSession*>(SSL_get_app_data(ssl));
  session->bad_certificate_ = fault_of(store, session->server_name_);
  return 0;
}

TlsProgress TlsSession::handshake() {
  ::ERR_clear_error();
  const int result = ::SSL_do_handshake(session_.get());
  if (result == 1) {
    established_ = true;
    return TlsProgress::kDone;
  }
  switch (::SSL_get_error(session_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return TlsProgress::kWantsRead;
    case SSL_ERROR_WANT_WRITE:
      return TlsProgress::kWantsWrite;
    default:
      failure_ = explain();
      return TlsProgress::kFailed;
  }
}

std::string TlsSession::explain() const {
  if (!bad_certificate_.empty()) return bad_certificate_;
  if (const unsigned long error = ::ERR_peek_error(); error != 0) return meaning_of(error);
  if (wire_.error != 0) {
    return fmt::format("the TLS connection broke: {}", errno_text(wire_.error));
  }
  return established_ ? "the server closed the TLS connection"
                      : "the server closed the connection in the TLS handshake; does it speak TLS "
                        "on this port?";
}

ssize_t TlsSession::why_not(int result) {
  switch (::SSL_get_error(session_.get(), result)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
      return -EAGAIN;
    case SSL_ERROR_ZERO_RETURN:
      return 0;
    default:
      if (::ERR_peek_error() == 0 && wire_.error != 0) return -wire_.error;
      if (::ERR_peek_error() == 0 && wire_.closed) return 0;
      failure_ = explain();
      return -EPROTO;
  }
}

ssize_t TlsSession::read(std::span<char> buffer) {
  has_buffered_ = false;
  if (read_ends_) return *read_ends_;
  ::ERR_clear_error();
  std::size_t filled = 0;
  do {
    std::size_t count = 0;
    const int result =
        ::SSL_read_ex(session_.get(), buffer.data() + filled, buffer.size() - filled, &count);
    if (result != 1) {
      const ssize_t reason = why_not(result);
      if (reason != -EAGAIN) read_ends_ = reason;
      if (filled == 0) return reason;
      has_buffered_ = read_ends_.has_value();
      return static_cast<ssize_t>(filled);
    }
    filled += count;
  } while (filled < buffer.size() && ::SSL_has_pending(session_.get()) == 1);
  has_buffered_ = ::SSL_has_pending(session_.get()) == 1;
  return static_cast<ssize_t>(filled);
}

ssize_t TlsSession::write(std::string_view bytes) {
  check(unsent_.empty(), "tls: what lies unsent goes first");
  ::ERR_clear_error();
  std::size_t taken = 0;
  while (taken < bytes.size()) {
    std::size_t count = 0;
    const int result =
        ::SSL_write_ex(session_.get(), bytes.data() + taken, bytes.size() - taken, &count);
    if (result == 1) {
      taken += count;
      continue;
    }
    const ssize_t reason = why_not(result);
    if (reason != -EAGAIN) {
      if (taken > 0) break;  // that much is under way; the next call fails
      return reason == 0 ? -EPIPE : reason;
    }
    // The record is encrypted, and perhaps a part of it is under way: it has to go, unchanged.
    unsent_ = bytes.substr(taken, kRecordBytes);
    taken += unsent_.size();
    break;
  }
  return static_cast<ssize_t>(taken);
}

ssize_t TlsSession::flush() {
  ::ERR_clear_error();
  while (!unsent_.empty()) {
    std::size_t count = 0;
    const int result = ::SSL_write_ex(session_.get(), unsent_.data(), unsent_.size(), &count);
    if (result != 1) {
      const ssize_t reason = why_not(result);
      return reason == -EAGAIN ? 0 : reason == 0 ? -EPIPE : reason;
    }
    unsent_.erase(0, count);
  }
  unsent_ = {};  // gives the memory back: being cut short is rare
  return 0;
}

std::string TlsSession::description() const {
  return fmt::format("{}, {}", ::SSL_get_version(session_.get()),
                     ::SSL_get_cipher_name(session_.get()));
}

}  // namespace headroom::net
