#include "net/socket.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

namespace headroom::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

Nanos soon() { return real_clock().now() + seconds{10}; }

// Listens on a free port of 127.0.0.1; accepts nothing: the kernel completes connections by itself.
struct Listener {
  explicit Listener(int backlog = 16) : fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in any{};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sockaddr raw{};
    std::memcpy(&raw, &any, sizeof(any));
    EXPECT_EQ(::bind(fd.get(), &raw, sizeof(raw)), 0);
    EXPECT_EQ(::listen(fd.get(), backlog), 0);
    socklen_t length = sizeof(raw);
    EXPECT_EQ(::getsockname(fd.get(), &raw, &length), 0);
    std::memcpy(&any, &raw, sizeof(any));
    address = {"127.0.0.1", ntohs(any.sin_port), ""};
  }
  UniqueFd fd;
  Address address;
};

TEST(ConnectTest, GivesANonBlockingUndelayedSocketThatDoesNotSurviveExec) {
  const Listener listener;
  const auto fd = connect(listener.address, soon());
  ASSERT_TRUE(fd) << fd.error().message;
  EXPECT_TRUE(::fcntl(fd->get(), F_GETFL) & O_NONBLOCK);
  EXPECT_TRUE(::fcntl(fd->get(), F_GETFD) & FD_CLOEXEC);
  int no_delay = 0;
  socklen_t length = sizeof(no_delay);
  ASSERT_EQ(::getsockopt(fd->get(), IPPROTO_TCP, TCP_NODELAY, &no_delay, &length), 0);
  EXPECT_NE(no_delay, 0);
}

TEST(ConnectTest, SaysWhichAddressRefused) {
  const auto port = free_loopback_port();
  ASSERT_TRUE(port);
  const auto fd = connect({"127.0.0.1", *port, ""}, soon());
  ASSERT_FALSE(fd);
  EXPECT_EQ(fd.error().kind, ErrorKind::kTarget);
  EXPECT_EQ(fd.error().message,
            "cannot connect to 127.0.0.1:" + std::to_string(*port) + ": Connection refused");
}

TEST(ConnectTest, TriesEveryAddressOfAName) {
  // Where "localhost" stands for ::1 too, nobody listens there.
  const Listener listener;
  if (!resolve({"localhost", listener.address.port, ""}))
    GTEST_SKIP() << "this machine does not know localhost: it has no /etc/hosts";
  const auto fd = connect({"localhost", listener.address.port, ""}, soon());
  ASSERT_TRUE(fd) << fd.error().message;
  const auto peer = peer_address(fd->get());
  ASSERT_TRUE(peer);
  EXPECT_EQ(peer->text(), listener.address.text());
  EXPECT_TRUE(ends_on_one_host(fd->get()));
}

TEST(ConnectTest, SaysWhichHostIsUnknown) {
  const auto fd = connect({"no-such-host.invalid", 6379, ""}, soon());
  ASSERT_FALSE(fd);
  EXPECT_THAT(fd.error().message, StartsWith("cannot find the host no-such-host.invalid: "));
}

TEST(ConnectTest, EndsAtItsDeadlineWhenNobodyTakesTheConnection) {
  // A full backlog lets further attempts hang, as a host behind a silent firewall would.
  const Listener listener(0);
  std::vector<UniqueFd> fillers;
  std::string message;
  for (int i = 0; i < 8 && message.empty(); ++i) {
    auto fd = connect(listener.address, real_clock().now() + milliseconds{50});
    if (fd) {
      fillers.push_back(std::move(*fd));
    } else {
      message = fd.error().message;
    }
  }
  EXPECT_EQ(message,
            "cannot connect to " + listener.address.text() + ": no answer within the time allowed");
}

class UnixSocketTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = TempDir::create("headroom-net-test");
    ASSERT_TRUE(made);
    directory_.emplace(std::move(*made));
    address_.socket = (directory_->path() / "engine.sock").string();
  }
  UniqueFd listen_there(int backlog) const {
    UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    address_.socket.copy(name.sun_path, sizeof(name.sun_path) - 1);
    EXPECT_EQ(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&name), sizeof(name)), 0);
    EXPECT_EQ(::listen(fd.get(), backlog), 0);
    return fd;
  }
  std::optional<TempDir> directory_;
  Address address_;
};

TEST_F(UnixSocketTest, Connects) {
  const UniqueFd listener = listen_there(4);
  const auto fd = connect(address_, soon());
  ASSERT_TRUE(fd) << fd.error().message;
  EXPECT_TRUE(ends_on_one_host(fd->get()));
  const auto peer = peer_address(fd->get());
  ASSERT_TRUE(peer);
  EXPECT_EQ(peer->text(), address_.text());
}

TEST_F(UnixSocketTest, SaysThatThereIsNone) {
  const auto fd = start_connect(address_);
  ASSERT_FALSE(fd);
  EXPECT_THAT(fd.error().message, StartsWith("cannot connect to unix:/"));
  EXPECT_THAT(fd.error().message, EndsWith("No such file or directory"));
  EXPECT_FALSE(backlog_full(fd.error()));
}

TEST_F(UnixSocketTest, TellsAFullBacklogFromOtherFailures) {
  const UniqueFd listener = listen_there(0);
  std::vector<UniqueFd> fillers;
  auto fd = start_connect(address_);
  for (int i = 0; i < 8 && fd; ++i) {
    fillers.push_back(std::move(*fd));
    fd = start_connect(address_);
  }
  ASSERT_FALSE(fd);
  EXPECT_TRUE(backlog_full(fd.error())) << fd.error().message;
}

TEST_F(UnixSocketTest, RefusesAPathThatNoUnixSocketCanHave) {
  Address long_path;
  long_path.socket = std::string(200, 'x');
  const auto fd = start_connect(long_path);
  ASSERT_FALSE(fd);
  EXPECT_THAT(fd.error().message, HasSubstr("has 200 bytes, a unix socket's may have 107"));
}

TEST(FinishConnectTest, ReportsWhatBecameOfTheAttempt) {
  const auto port = free_loopback_port();
  ASSERT_TRUE(port);
  const Address nobody{"127.0.0.1", *port, ""};
  const auto fd = start_connect(nobody);
  if (!fd) {  // the kernel may know at once
    EXPECT_THAT(fd.error().message, EndsWith("Connection refused"));
    return;
  }
  ASSERT_TRUE(wait_for(fd->get(), Wait::kWritable, soon()));
  const Status finished = finish_connect(fd->get(), nobody);
  ASSERT_FALSE(finished);
  EXPECT_THAT(finished.error().message, EndsWith("Connection refused"));
}

TEST(FinishConnectTest, TakesASocketConnectedWithItselfForRefused) {
  // Bound to a free port and connected to the same: what the kernel does by chance, made certain.
  const auto port = free_loopback_port();
  ASSERT_TRUE(port);
  sockaddr_in self{};
  self.sin_family = AF_INET;
  self.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  self.sin_port = htons(*port);
  sockaddr raw{};
  std::memcpy(&raw, &self, sizeof(self));
  const UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(fd.get(), &raw, sizeof(raw)), 0);
  ASSERT_EQ(::connect(fd.get(), &raw, sizeof(raw)), 0);
  const Status finished = finish_connect(fd.get(), {"127.0.0.1", *port, ""});
  ASSERT_FALSE(finished);
  EXPECT_THAT(finished.error().message, EndsWith("Connection refused"));
}

TEST(WaitForTest, IsOverAtOnceWhenTheDeadlineHasPassed) {
  const Listener listener;
  const auto fd = connect(listener.address, soon());
  ASSERT_TRUE(fd);
  EXPECT_FALSE(wait_for(fd->get(), Wait::kReadable, real_clock().now() - seconds{1}));
  EXPECT_TRUE(wait_for(fd->get(), Wait::kWritable, real_clock().now() - seconds{1}));
}

}  // namespace
}  // namespace headroom::net
