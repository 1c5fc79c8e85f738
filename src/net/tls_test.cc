#include "net/tls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cerrno>
#include <string>

#include "base/file.h"
#include "net/socket.h"
#include "net/stream.h"
#include "scripted/listener.h"
#include "scripted/scripted_server.h"
#include "tests/support/certificates.h"
#include "tests/support/tls_front.h"

namespace headroom::net {
namespace {

using scripted::Authority;
using scripted::CertificateFiles;
using scripted::Script;
using scripted::ScriptedServer;
using scripted::TlsFront;
using std::chrono::seconds;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

Nanos soon() { return real_clock().now() + seconds{20}; }

class TlsTest : public testing::Test {
 protected:
  void SetUp() override {
    auto server = ScriptedServer::start(Script());
    ASSERT_TRUE(server) << server.error().message;
    server_ = std::move(*server);
    options_.ca_file = authority_.file();
    options_.server_name = "localhost";
    front_options_.backend = server_->address();
  }

  void serve(const CertificateFiles& identity) {
    front_options_.identity = identity;
    auto front = TlsFront::start(front_options_);
    ASSERT_TRUE(front) << front.error().message;
    front_ = std::move(*front);
    address_ = front_->address();
  }
  void serve() { serve(authority_.issue_for_loopback()); }

  // Connects and shakes hands; empty, or what went wrong.
  std::string handshake() {
    auto context = TlsContext::create(options_);
    EXPECT_TRUE(context) << context.error().message;
    auto fd = connect(address_, soon());
    EXPECT_TRUE(fd) << fd.error().message;
    stream_ = Stream(std::move(*fd));
    stream_.begin_tls(**context);
    while (true) {
      const TlsProgress progress = stream_.handshake();
      if (progress == TlsProgress::kDone) return {};
      if (progress == TlsProgress::kFailed) return stream_.failure_text(0);
      const Wait what = progress == TlsProgress::kWantsRead ? Wait::kReadable : Wait::kWritable;
      if (!wait_for(stream_.fd(), what, soon())) return "(timeout)";
    }
  }

  void send(std::string_view bytes) {
    while (!bytes.empty() || stream_.has_unsent()) {
      const ssize_t sent = stream_.send(bytes);
      ASSERT_GE(sent, 0) << stream_.failure_text(sent);
      bytes.remove_prefix(static_cast<std::size_t>(sent));
      const bool stuck = sent == 0 || stream_.has_unsent();
      ASSERT_TRUE(!stuck || wait_for(stream_.fd(), Wait::kWritable, soon()));
    }
  }
  std::string receive(std::size_t size) {
    std::string received;
    std::string buffer(std::size_t{64} << 10U, '\0');
    while (received.size() < size) {
      if (!stream_.has_buffered() && !wait_for(stream_.fd(), Wait::kReadable, soon())) break;
      const ssize_t count = stream_.receive(buffer);
      if (count == -EAGAIN) continue;
      if (count <= 0) {
        ended_ = count;
        break;
      }
      received.append(buffer.data(), static_cast<std::size_t>(count));
    }
    return received;
  }

  TempDir directory_ = TempDir::create("headroom-tls-test").value();
  Authority authority_{directory_.path(), "ca"};
  std::unique_ptr<ScriptedServer> server_;
  scripted::TlsFrontOptions front_options_;
  std::unique_ptr<TlsFront> front_;
  Address address_;
  TlsOptions options_;
  Stream stream_;
  std::optional<ssize_t> ended_;  // what the last receive() returned, if it was the last
};

TEST_F(TlsTest, CarriesBytesBothWays) {
  serve();
  ASSERT_EQ(handshake(), "");
  send("PING\r\n");
  EXPECT_EQ(receive(7), "+PONG\r\n");
  EXPECT_THAT(stream_.tls_description(), StartsWith("TLSv1.3, TLS_"));
  EXPECT_EQ(front_->server_name(), "localhost");
}

TEST_F(TlsTest, CarriesMoreThanSocketsHoldAtOnce) {
  serve();
  ASSERT_EQ(handshake(), "");
  const int small = 4096;
  ASSERT_EQ(::setsockopt(stream_.fd(), SOL_SOCKET, SO_SNDBUF, &small, sizeof small), 0);
  std::string value(std::size_t{5} << 20U, ' ');
  for (std::size_t i = 0; i < value.size(); ++i) value[i] = static_cast<char>('a' + i * i % 23);
  const std::string head = fmt::format("*2\r\n$4\r\nECHO\r\n${}\r\n", value.size());
  send(head);
  send(value);
  send("\r\n");
  const std::string expected = fmt::format("${}\r\n{}\r\n", value.size(), value);
  EXPECT_TRUE(receive(expected.size()) == expected);
  EXPECT_FALSE(stream_.has_buffered());
}

TEST_F(TlsTest, TakesTheTailBehindTheBytes) {
  serve();
  ASSERT_EQ(handshake(), "");
  EXPECT_EQ(stream_.send("*2\r\n$4\r\nECHO\r\n$5\r\n", "hello\r\n"), 25);
  EXPECT_EQ(receive(11), "$5\r\nhello\r\n");
}

TEST_F(TlsTest, TellsWhatItHoldsWhenTheBufferWasSmall) {
  serve();
  ASSERT_EQ(handshake(), "");
  send("PING\r\nPING\r\n");
  ASSERT_TRUE(
      server_->wait_until([](const auto& seen) { return seen.count("PING") == 2; }, seconds{20}));
  std::string received;
  std::string buffer(5, '\0');
  while (received.size() < 14) {
    ASSERT_TRUE(stream_.has_buffered() || wait_for(stream_.fd(), Wait::kReadable, soon()));
    const ssize_t count = stream_.receive(buffer);
    if (count == -EAGAIN) continue;
    ASSERT_GT(count, 0);
    received.append(buffer.data(), static_cast<std::size_t>(count));
  }
  EXPECT_EQ(received, "+PONG\r\n+PONG\r\n");
  EXPECT_FALSE(stream_.has_buffered());
}

TEST_F(TlsTest, SaysThatTheOtherEndClosed) {
  serve();
  ASSERT_EQ(handshake(), "");
  send("PING\r\n");
  EXPECT_EQ(receive(7), "+PONG\r\n");  // the other end has read all there is, and can end in peace
  front_.reset();
  EXPECT_EQ(receive(1), "");
  EXPECT_EQ(ended_, 0);
  EXPECT_LE(stream_.send("PING\r\n"), 6);  // no signal, whatever it returns
}

TEST_F(TlsTest, RefusesACertificateOfAnUnknownAuthority) {
  serve();
  const Authority other(directory_.path(), "other");
  options_.ca_file = other.file();
  EXPECT_EQ(
      handshake(),
      "the server's certificate (CN = server) is signed by an unknown CA (CN = ca); give that "
      "CA as target.tls_ca_file");
}

TEST_F(TlsTest, RefusesAnExpiredCertificate) {
  serve(authority_.issue({.common_name = "old",
                          .alternative_names = {"DNS:localhost"},
                          .first_day = -20,
                          .last_day = -10}));
  EXPECT_THAT(handshake(), StartsWith("the server's certificate (CN = old) expired on 20"));
}

TEST_F(TlsTest, RefusesACertificateOfTomorrow) {
  serve(authority_.issue({.alternative_names = {"DNS:localhost"}, .first_day = 2}));
  EXPECT_THAT(handshake(), HasSubstr("is valid only from 20"));
}

TEST_F(TlsTest, RefusesACertificateForAnotherName) {
  serve();
  options_.server_name = "cache.example";
  EXPECT_EQ(handshake(),
            "the server's certificate is for localhost, 127.0.0.1, not for cache.example; give one "
            "of its names as target.tls_server_name");
  options_.server_name = "10.0.0.7";
  EXPECT_THAT(handshake(), HasSubstr("not for 10.0.0.7"));
}

TEST_F(TlsTest, ChecksAnAddressAndSendsNoneAsAName) {
  serve();
  options_.server_name = "127.0.0.1";
  EXPECT_EQ(handshake(), "");
  send("PING\r\n");
  EXPECT_EQ(receive(7), "+PONG\r\n");
  EXPECT_EQ(front_->server_name(), "");
}

TEST_F(TlsTest, TakesAnyCertificateIfAskedTo) {
  serve(authority_.issue({.first_day = -20, .last_day = -10}));
  options_.ca_file.clear();
  options_.verify = false;
  EXPECT_EQ(handshake(), "");
}

TEST_F(TlsTest, TrustsADirectory) {
  serve();
  options_.ca_file.clear();
  options_.ca_directory = authority_.hashed_directory();
  EXPECT_EQ(handshake(), "");
}

TEST_F(TlsTest, ShowsItsOwnCertificate) {
  front_options_.client_ca = authority_.file();
  serve();
  const CertificateFiles own = authority_.issue({.common_name = "client"});
  options_.certificate_file = own.certificate;
  options_.key_file = own.key;
  ASSERT_EQ(handshake(), "");
  send("PING\r\n");
  EXPECT_EQ(receive(7), "+PONG\r\n");
}

// Under TLS 1.3 the server looks at the client's certificate after the handshake is done.
TEST_F(TlsTest, SaysThatTheServerWantsACertificate) {
  front_options_.client_ca = authority_.file();
  serve();
  ASSERT_EQ(handshake(), "");
  EXPECT_EQ(receive(1), "");
  EXPECT_EQ(ended_, -EPROTO);
  EXPECT_EQ(stream_.failure_text(-EPROTO),
            "the server wants a client certificate; give target.tls_certificate and "
            "target.tls_key");
}

TEST_F(TlsTest, SaysThatTheServerDoesNotKnowTheCaOfItsCertificate) {
  front_options_.client_ca = authority_.file();
  serve();
  Authority other(directory_.path(), "other");
  const CertificateFiles own = other.issue({.common_name = "client"});
  options_.certificate_file = own.certificate;
  options_.key_file = own.key;
  ASSERT_EQ(handshake(), "");
  EXPECT_EQ(receive(1), "");
  EXPECT_EQ(stream_.failure_text(-EPROTO),
            "the server does not know the CA of target.tls_certificate");
}

TEST_F(TlsTest, SaysThatTheOtherEndSpeaksNoTls) {
  address_ = server_->address();
  EXPECT_EQ(handshake(),
            "the server speaks no TLS on this port; leave target.tls out, or give its TLS port");
}

TEST_F(TlsTest, SaysThatTheOtherEndClosesWithoutAWord) {
  auto listener = scripted::listen_on_loopback(address_);
  ASSERT_TRUE(listener);
  auto context = TlsContext::create(options_);
  ASSERT_TRUE(context);
  auto fd = connect(address_, soon());
  ASSERT_TRUE(fd);
  stream_ = Stream(std::move(*fd));
  stream_.begin_tls(**context);
  ASSERT_EQ(stream_.handshake(), TlsProgress::kWantsRead);
  {
    const UniqueFd accepted(::accept(listener->get(), nullptr, nullptr));
    ASSERT_TRUE(accepted.valid());
    std::string hello(4096, '\0');
    ASSERT_GT(::recv(accepted.get(), hello.data(), hello.size(), 0), 0);
  }
  ASSERT_TRUE(wait_for(stream_.fd(), Wait::kReadable, soon()));
  ASSERT_EQ(stream_.handshake(), TlsProgress::kFailed);
  EXPECT_THAT(stream_.failure_text(0), HasSubstr("closed the connection in the TLS handshake"));
}

TEST_F(TlsTest, KeepsToItsLowestVersion) {
  front_options_.at_most_tls_1_2 = true;
  serve();
  ASSERT_EQ(handshake(), "");
  EXPECT_THAT(stream_.tls_description(), StartsWith("TLSv1.2, "));
  options_.minimum = TlsVersion::k13;
  EXPECT_EQ(handshake(), "the server speaks no version of TLS that target.tls_minimum allows");
}

class TlsFilesTest : public testing::Test {
 protected:
  std::string refusal() {
    const auto context = TlsContext::create(options_);
    EXPECT_FALSE(context);
    if (context) return "(accepted)";
    EXPECT_EQ(context.error().kind, ErrorKind::kUsage);
    return context.error().message;
  }

  TempDir directory_ = TempDir::create("headroom-tls-test").value();
  Authority authority_{directory_.path(), "ca"};
  TlsOptions options_;
};

TEST_F(TlsFilesTest, NamesAFileThatIsMissing) {
  options_.ca_file = "/no/such/ca.pem";
  EXPECT_EQ(refusal(), "target.tls_ca_file: /no/such/ca.pem: No such file or directory");
  options_.ca_file.clear();
  options_.ca_directory = "/no/such/dir";
  EXPECT_THAT(refusal(), StartsWith("target.tls_ca_directory: /no/such/dir: "));
  options_.ca_directory.clear();
  options_.certificate_file = "/no/such/client.pem";
  options_.key_file = "/no/such/client.key";
  EXPECT_EQ(refusal(), "target.tls_certificate: /no/such/client.pem: No such file or directory");
}

TEST_F(TlsFilesTest, RefusesFilesThatHoldSomethingElse) {
  const std::string nothing = (directory_.path() / "nothing").string();
  ASSERT_TRUE(write_file(nothing, "nothing\n"));
  const CertificateFiles own = authority_.issue({});
  options_.ca_file = nothing;
  EXPECT_THAT(refusal(), StartsWith("target.tls_ca_file: " + nothing + ": no certificates in PEM"));
  options_.ca_file = authority_.file();
  options_.certificate_file = nothing;
  options_.key_file = own.key;
  EXPECT_THAT(refusal(), StartsWith("target.tls_certificate: " + nothing + ": no certificate in"));
  options_.certificate_file = own.certificate;
  options_.key_file = nothing;
  EXPECT_THAT(refusal(), StartsWith("target.tls_key: " + nothing + ": no private key in PEM"));
}

TEST_F(TlsFilesTest, RefusesTheKeyOfAnotherCertificate) {
  options_.certificate_file = authority_.issue({}).certificate;
  options_.key_file = authority_.issue({}).key;
  EXPECT_THAT(refusal(), AllOf(StartsWith("target.tls_key: "),
                               EndsWith("is not the key of target.tls_certificate")));
}

TEST_F(TlsFilesTest, DoesNotAskForAPassphrase) {
  const CertificateFiles own = authority_.issue({.passphrase = "s3cret"});
  options_.certificate_file = own.certificate;
  options_.key_file = own.key;
  EXPECT_THAT(refusal(), HasSubstr("one with a passphrase (give one without)"));
}

}  // namespace
}  // namespace headroom::net
