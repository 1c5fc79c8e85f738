#include "tests/support/certificates.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <utility>

#include "base/check.h"
#include "base/file.h"

namespace headroom::scripted {
namespace {

namespace fs = std::filesystem;

template <class Write>
void write_pem(const fs::path& path, Write write) {
  const std::unique_ptr<BIO, decltype(&::BIO_free_all)> memory(::BIO_new(::BIO_s_mem()),
                                                               &::BIO_free_all);
  check(memory != nullptr && write(memory.get()) == 1, "certificates: PEM can be written");
  char* bytes = nullptr;
  const auto size = static_cast<std::size_t>(BIO_get_mem_data(memory.get(), &bytes));
  check(write_file(path, {bytes, size}).has_value(), "certificates: a file can be written");
}

void add_extension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context{};
  ::X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const extension = ::X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  check(extension != nullptr && ::X509_add_ext(certificate, extension, -1) == 1,
        "certificates: an extension can be added");
  ::X509_EXTENSION_free(extension);
}

// Without issuer and signature.
X509* unsigned_certificate(const CertificateRequest& request, EVP_PKEY* key, int serial) {
  constexpr long kDay = 24L * 3600;
  X509* const certificate = ::X509_new();
  check(certificate != nullptr, "certificates: memory");
  ::X509_set_version(certificate, 2);  // X.509 v3
  ::ASN1_INTEGER_set(::X509_get_serialNumber(certificate), serial);
  ::X509_gmtime_adj(::X509_getm_notBefore(certificate), request.first_day * kDay);
  ::X509_gmtime_adj(::X509_getm_notAfter(certificate), request.last_day * kDay);
  ::X509_set_pubkey(certificate, key);
  ::X509_NAME_add_entry_by_txt(::X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(request.common_name.c_str()),
                               -1, -1, 0);
  return certificate;
}

void sign(X509* certificate, X509* issuer, EVP_PKEY* key) {
  ::X509_set_issuer_name(certificate, ::X509_get_subject_name(issuer));
  check(::X509_sign(certificate, key, ::EVP_sha256()) > 0, "certificates: one can be signed");
}

}  // namespace

Authority::Authority(fs::path directory, std::string name)
    : directory_(std::move(directory)),
      name_(std::move(name)),
      file_(directory_ / (name_ + ".pem")),
      key_(EVP_EC_gen("P-256")),
      certificate_(unsigned_certificate({.common_name = name_}, key_, 1)) {
  add_extension(certificate_, certificate_, NID_basic_constraints, "critical,CA:TRUE");
  sign(certificate_, certificate_, key_);
  write_pem(file_, [&](BIO* out) { return ::PEM_write_bio_X509(out, certificate_); });
}

Authority::~Authority() {
  ::X509_free(certificate_);
  ::EVP_PKEY_free(key_);
}

CertificateFiles Authority::issue(const CertificateRequest& request) {
  const std::string stem = fmt::format("{}-{}", name_, ++issued_);
  const CertificateFiles files{directory_ / (stem + ".pem"), directory_ / (stem + ".key")};
  EVP_PKEY* const key = EVP_EC_gen("P-256");
  X509* const certificate = unsigned_certificate(request, key, issued_ + 1);
  if (!request.alternative_names.empty()) {
    add_extension(certificate, certificate_, NID_subject_alt_name,
                  fmt::format("{}", fmt::join(request.alternative_names, ",")));
  }
  sign(certificate, certificate_, key_);
  write_pem(files.certificate, [&](BIO* out) { return ::PEM_write_bio_X509(out, certificate); });
  std::string passphrase = request.passphrase;
  write_pem(files.key, [&](BIO* out) {
    return ::PEM_write_bio_PrivateKey(
        out, key, passphrase.empty() ? nullptr : ::EVP_aes_128_cbc(),
        passphrase.empty() ? nullptr : reinterpret_cast<unsigned char*>(passphrase.data()),
        static_cast<int>(passphrase.size()), nullptr, nullptr);
  });
  ::X509_free(certificate);
  ::EVP_PKEY_free(key);
  return files;
}

std::string Authority::hashed_directory() const {
  const fs::path directory = directory_ / (name_ + "-hashed");
  fs::create_directory(directory);
  const unsigned long hash = ::X509_subject_name_hash(certificate_);
  fs::copy_file(file_, directory / fmt::format("{:08x}.0", hash));
  return directory.string();
}

}  // namespace headroom::scripted
