// A throw-away certificate authority, made anew for each test.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

struct evp_pkey_st;
struct x509_st;

namespace headroom::scripted {

struct CertificateFiles {
  std::string certificate;
  std::string key;
};

struct CertificateRequest {
  std::string common_name = "test";
  std::vector<std::string> alternative_names =
      {};              // as OpenSSL writes them: "DNS:a", "IP:127.0.0.1"
  int first_day = -1;  // from today
  int last_day = 30;
  std::string passphrase = {};  // of the key's file
};

// Not thread-safe. Failures abort the test program.
class Authority {
 public:
  // Its files stand in `directory`, under its name.
  Authority(std::filesystem::path directory, std::string name);
  ~Authority();
  Authority(const Authority&) = delete;
  Authority& operator=(const Authority&) = delete;

  // The authority's own certificate.
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] CertificateFiles issue(const CertificateRequest& request);
  // For a server on loopback, by name and by address.
  [[nodiscard]] CertificateFiles issue_for_loopback() {
    return issue({.common_name = "server", .alternative_names = {"DNS:localhost", "IP:127.0.0.1"}});
  }
  // A directory that holds nothing but the authority's certificate, under its hash.
  [[nodiscard]] std::string hashed_directory() const;

 private:
  std::filesystem::path directory_;
  std::string name_;
  std::string file_;
  evp_pkey_st* key_;
  x509_st* certificate_;
  int issued_ = 0;
};

}  // namespace headroom::scripted
