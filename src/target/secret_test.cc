#include "target/secret.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/file.h"
#include "target/target.h"

namespace headroom::target {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class PasswordFileTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = TempDir::create("headroom-secret-test");
    ASSERT_TRUE(made);
    directory_.emplace(std::move(*made));
    scenario_.password_file = (directory_->path() / "password").string();
  }
  std::optional<TempDir> directory_;
  scenario::Target scenario_;
};

TEST_F(PasswordFileTest, DropsOneLineEndAndNothingElse) {
  ASSERT_TRUE(write_file(scenario_.password_file, " s3 cret \n\r\n"));
  EXPECT_EQ(read_password(scenario_).value(), " s3 cret \n");
}

TEST_F(PasswordFileTest, NamesTheOptionWhenTheFileIsMissingOrEmpty) {
  const auto missing = read_password(scenario_);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(missing.error().message, StartsWith("target.password_file: "));
  EXPECT_THAT(missing.error().message, HasSubstr(scenario_.password_file));
  ASSERT_TRUE(write_file(scenario_.password_file, "\n"));
  EXPECT_THAT(read_password(scenario_).error().message, HasSubstr("is empty"));
}

TEST(PasswordEnvTest, ReadsTheVariableAndRefusesOneThatIsNotSet) {
  scenario::Target scenario;
  scenario.password_env = "HEADROOM_SECRET_TEST";
  ASSERT_EQ(::unsetenv("HEADROOM_SECRET_TEST"), 0);
  EXPECT_EQ(read_password(scenario).error().message,
            "target.password_env: the environment variable HEADROOM_SECRET_TEST is not set");
  ASSERT_EQ(::setenv("HEADROOM_SECRET_TEST", "s3cret", 1), 0);
  EXPECT_EQ(read_password(scenario).value(), "s3cret");
  ASSERT_EQ(::unsetenv("HEADROOM_SECRET_TEST"), 0);
}

TEST(PasswordTest, IsEmptyWhenNoneIsNamed) { EXPECT_EQ(read_password({}).value(), ""); }

TEST(SecretDirectiveTest, CoversEveryEnginesPasswords) {
  for (const char* name : {"requirepass", "masterauth", "primaryauth", "masteruser",
                           "tls-key-file-pass", "tls-client-key-file-pass"}) {
    EXPECT_TRUE(is_secret_directive(name)) << name;
  }
  for (const char* name : {"maxmemory", "tls-auth-clients", "lazyfree-lazy-user-del", "save"}) {
    EXPECT_FALSE(is_secret_directive(name)) << name;
  }
}

TEST_F(PasswordFileTest, IsCheckedBeforehandWithTheWordsOfReadingIt) {
  EXPECT_EQ(check_password(scenario_).error().message, read_password(scenario_).error().message);
  ASSERT_TRUE(write_file(scenario_.password_file, "\n"));
  EXPECT_THAT(check_password(scenario_).error().message, HasSubstr("is empty"));
  ASSERT_TRUE(write_file(scenario_.password_file, "secret\n"));
  EXPECT_TRUE(check_password(scenario_));
}

TEST_F(PasswordFileTest, APipeIsNotReadBeforehandBecauseItCanBeReadOnlyOnce) {
  ASSERT_EQ(::mkfifo(scenario_.password_file.c_str(), 0600), 0);
  EXPECT_TRUE(check_password(scenario_));  // would wait for a writer
}

class PreflightTest : public PasswordFileTest {};

TEST_F(PreflightTest, OfAnEndpointIsAboutItsPassword) {
  scenario_.kind = scenario::TargetKind::kEndpoint;
  scenario_.engine_path = "/no/such/engine";
  const Status missing = preflight(scenario_);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::kUsage);
  scenario_.password_file.clear();
  EXPECT_TRUE(preflight(scenario_));
  scenario_.password_env = "HEADROOM_NO_SUCH_VARIABLE";
  EXPECT_THAT(preflight(scenario_).error().message,
              StartsWith("target.password_env: the environment variable HEADROOM_NO_SUCH"));
}

TEST_F(PreflightTest, OfALocalNodeIsAboutItsProgram) {
  scenario_ = {};
  scenario_.kind = scenario::TargetKind::kLocal;
  scenario_.engine_path = "/no/such/engine";
  const Status missing = preflight(scenario_);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::kTarget);
  EXPECT_THAT(missing.error().message, StartsWith("target.engine_path: there is no file"));
  scenario_.engine_path = "sh";  // any program that is on PATH
  EXPECT_TRUE(preflight(scenario_));
}

}  // namespace
}  // namespace headroom::target
