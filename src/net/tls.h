// TLS for client connections, with OpenSSL: a context that all connections to one server share, and
// a session on top of one connected, non-blocking socket.
//
// Certificates and keys are PEM files. Nothing is resumed: every handshake is a whole one, so that
// the time it took means the same for each. Errors are one line that says what is wrong and which
// option of [target] mends it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

// OpenSSL's types, whose headers only tls.cc sees.
struct ssl_ctx_st;
struct ssl_st;
struct x509_store_ctx_st;

namespace headroom::net {

enum class TlsVersion : std::uint8_t { k12, k13 };

struct TlsOptions {
  std::string ca_file;           // whom to trust; neither: the CAs that this system trusts
  std::string ca_directory;      // of hashed names (openssl rehash)
  std::string certificate_file;  // our own, with its chain behind it; empty: none
  std::string key_file;          // its private key, without passphrase
  // What the server's certificate must be for, a host name or an IP address; a name is also sent as
  // SNI. Empty: any name will do.
  std::string server_name;
  bool verify = true;  // false: any certificate will do
  TlsVersion minimum = TlsVersion::k12;
};

// Constant after construction; shared by the threads of a run.
class TlsContext {
 public:
  // Reads the files. An Error (kUsage) names the option and the file.
  [[nodiscard]] static Result<std::shared_ptr<const TlsContext>> create(const TlsOptions& options);

 private:
  friend class TlsSession;
  struct Free {
    void operator()(ssl_ctx_st* context) const;
  };
  using Handle = std::unique_ptr<ssl_ctx_st, Free>;
  TlsContext(Handle handle, std::string server_name)
      : handle_(std::move(handle)), server_name_(std::move(server_name)) {}

  Handle handle_;
  std::string server_name_;
};

enum class TlsProgress : std::uint8_t { kDone, kWantsRead, kWantsWrite, kFailed };

// One owner thread. Does not own the socket.
class TlsSession {
 public:
  // The socket is connected and outlives the session.
  TlsSession(const TlsContext& context, int fd);
  TlsSession(const TlsSession&) = delete;  // OpenSSL points at it
  TlsSession& operator=(const TlsSession&) = delete;
  // Tells the other end, if the socket takes it at once, that nothing more comes.
  ~TlsSession();

  // As far as it goes without waiting; to be called again when the socket is ready. After kFailed,
  // failure() says why, and the session is of no more use.
  [[nodiscard]] TlsProgress handshake();

  // Reads and decrypts until the socket has no more or `buffer` is full. Bytes put into it; 0: the
  // other end closed; negative: -EAGAIN, -EPROTO (failure() says more) or another -errno.
  [[nodiscard]] ssize_t read(std::span<char> buffer);
  // Another read() has something to tell, of which no readiness of the socket will speak.
  [[nodiscard]] bool has_buffered() const { return has_buffered_; }

  // Encrypts and sends. How many bytes it took: those are on their way, though the last up to 16
  // KiB of them may still have to be pushed out by flush() (has_unsent()). 0 if it takes none now;
  // negative: -errno as above. The caller flushes before it writes more.
  [[nodiscard]] ssize_t write(std::string_view bytes);
  [[nodiscard]] bool has_unsent() const { return !unsent_.empty(); }
  // 0, whether all went or not; negative: -errno as above.
  [[nodiscard]] ssize_t flush();

  // What broke the session: a phrase that can follow "ADDRESS: ". Empty if nothing did.
  [[nodiscard]] const std::string& failure() const { return failure_; }
  // "TLSv1.3, TLS_AES_256_GCM_SHA384", after the handshake.
  [[nodiscard]] std::string description() const;

 private:
  // Where OpenSSL reads and writes; what it was told last.
  struct Wire {
    int fd = -1;
    int error = 0;        // errno, if the socket broke
    bool closed = false;  // by the other end
  };
  struct Transport;  // tls.cc: OpenSSL's view of a Wire
  struct Free {
    void operator()(ssl_st* session) const;
  };

  static int check_certificate(int accepted, x509_store_ctx_st* store);
  friend class TlsContext;
  // What a call of OpenSSL's that returned `result` did not do, as read() and write() return it.
  [[nodiscard]] ssize_t why_not(int result);
  [[nodiscard]] std::string explain() const;

  Wire wire_;
  std::unique_ptr<ssl_st, Free> session_;
  const std::string server_name_;
  std::string unsent_;                // plain text of a record that went in part
  std::optional<ssize_t> read_ends_;  // what every further read() returns
  bool has_buffered_ = false;
  bool established_ = false;
  std::string bad_certificate_;  // what is wrong with the server's
  std::string failure_;
};

}  // namespace headroom::net
