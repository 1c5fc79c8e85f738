#include "target/access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/file.h"
#include "net/socket.h"
#include "scripted/scripted_server.h"
#include "target/certificates.h"
#include "target/process.h"

namespace headroom::target {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Access, WithoutTlsOrUserIsAPort) {
  EXPECT_EQ(EngineAccess{}.configuration(6401), "port 6401\n");
}

TEST(Access, AUserShutsTheDefaultOneOutAndReplicasFollowAsIt) {
  EngineAccess access;
  access.user = "bench";
  access.password = "secret";
  const std::string lines = access.configuration(6401);
  EXPECT_THAT(lines, HasSubstr("user default off\nuser bench on >secret ~* &* +@all\n"));
  EXPECT_THAT(lines, HasSubstr("masteruser bench\nmasterauth secret\n"));
  access.user = "default";
  EXPECT_THAT(access.configuration(6401), Not(HasSubstr("off")));
}

TEST(Access, TlsLeavesNoPlainPort) {
  const auto directory = TempDir::create("access-test");
  ASSERT_TRUE(directory);
  scenario::Target target;
  target.tls = true;
  const auto access = make_access(target, directory->path());
  ASSERT_TRUE(access) << access.error().message;
  EXPECT_THAT(access->configuration(6401), StartsWith("port 0\ntls-port 6401\n"));
  EXPECT_TRUE(access->tls) << "the CA's file is one that OpenSSL reads";
  EXPECT_THAT(read_file(directory->path() / "server.key").value_or(""),
              StartsWith("-----BEGIN PRIVATE KEY-----"));
  EXPECT_TRUE(access->user.empty());
}

TEST(Access, PasswordsAreLongAndNeverTheSame) {
  const auto one = random_hex(32);
  const auto other = random_hex(32);
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->size(), 64U);
  EXPECT_NE(*one, *other);
}

TEST(ListensOn, IsTrueOfOurOwnPortAlone) {
  const auto server = scripted::ScriptedServer::start({});
  ASSERT_TRUE(server) << server.error().message;
  const std::uint16_t port = (*server)->address().port;
  EXPECT_TRUE(listens_on(::getpid(), port));
  EXPECT_FALSE(listens_on(::getppid(), port));
  (*server)->stop();
  EXPECT_FALSE(listens_on(::getpid(), port));
}

}  // namespace
}  // namespace headroom::target
