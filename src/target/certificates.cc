#include "target/certificates.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace headroom::target {
namespace {

template <auto Function>
struct Call {
  template <class Object>
  void operator()(Object* object) const {
    Function(object);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Call<::EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Call<::X509_free>>;
using Memory = std::unique_ptr<BIO, Call<::BIO_free_all>>;
using Extension = std::unique_ptr<X509_EXTENSION, Call<::X509_EXTENSION_free>>;

constexpr long kDaySeconds = 24L * 3600;
constexpr long kValidDays = 30;

// An unsigned certificate of version 3; null if OpenSSL cannot.
Certificate unsigned_certificate(const char* name, long serial, EVP_PKEY* key) {
  Certificate certificate(::X509_new());
  if (!certificate || ::X509_set_version(certificate.get(), 2) != 1 ||
      ::ASN1_INTEGER_set(::X509_get_serialNumber(certificate.get()), serial) != 1 ||
      ::X509_gmtime_adj(::X509_getm_notBefore(certificate.get()), -kDaySeconds) == nullptr ||
      ::X509_gmtime_adj(::X509_getm_notAfter(certificate.get()), kValidDays * kDaySeconds) ==
          nullptr ||
      ::X509_set_pubkey(certificate.get(), key) != 1) {
    return nullptr;
  }
  std::string common_name(name);
  if (::X509_NAME_add_entry_by_txt(::X509_get_subject_name(certificate.get()), "CN", MBSTRING_UTF8,
                                   reinterpret_cast<unsigned char*>(common_name.data()), -1, -1,
                                   0) != 1) {
    return nullptr;
  }
  return certificate;
}

bool extend(X509* certificate, X509* issuer, int kind, const char* value) {
  X509V3_CTX context{};
  ::X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Extension extension(::X509V3_EXT_conf_nid(nullptr, &context, kind, value));
  return extension && ::X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool sign(X509* certificate, X509* issuer, EVP_PKEY* key) {
  return ::X509_set_issuer_name(certificate, ::X509_get_subject_name(issuer)) == 1 &&
         ::X509_sign(certificate, key, ::EVP_sha256()) > 0;
}

template <class Write>
std::string pem(Write write) {
  const Memory memory(::BIO_new(::BIO_s_mem()));
  if (!memory || write(memory.get()) != 1) return {};
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &bytes);
  return {bytes, static_cast<std::size_t>(size)};
}

std::string pem_of(X509* certificate) {
  return pem([certificate](BIO* out) { return ::PEM_write_bio_X509(out, certificate); });
}

}  // namespace

Result<ServerCertificate> make_server_certificate() {
  const auto failed = [] {
    return fail(ErrorKind::kTarget, "OpenSSL could not make a certificate for target.tls");
  };
  const Key ca_key(EVP_EC_gen("P-256"));
  const Key key(EVP_EC_gen("P-256"));
  if (!ca_key || !key) return failed();
  const Certificate ca = unsigned_certificate("headroom throw-away CA", 1, ca_key.get());
  const Certificate server = unsigned_certificate("headroom local node", 2, key.get());
  if (!ca || !server || !extend(ca.get(), ca.get(), NID_basic_constraints, "critical,CA:TRUE") ||
      !extend(ca.get(), ca.get(), NID_key_usage, "critical,keyCertSign") ||
      !sign(ca.get(), ca.get(), ca_key.get()) ||
      !extend(server.get(), ca.get(), NID_subject_alt_name, "DNS:localhost,IP:127.0.0.1") ||
      !sign(server.get(), ca.get(), ca_key.get())) {
    return failed();
  }
  ServerCertificate made;
  made.ca = pem_of(ca.get());
  made.certificate = pem_of(server.get());
  made.key = pem([&](BIO* out) {
    return ::PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
  });
  if (made.ca.empty() || made.certificate.empty() || made.key.empty()) return failed();
  return made;
}

Result<std::string> random_hex(std::size_t bytes) {
  std::vector<unsigned char> random(bytes);
  if (::RAND_bytes(random.data(), static_cast<int>(random.size())) != 1)
    return fail(ErrorKind::kTarget, "OpenSSL has no randomness for a password");
  std::string text;
  for (const unsigned char byte : random) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace headroom::target
