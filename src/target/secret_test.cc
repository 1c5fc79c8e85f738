#include "target/secret.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "base/file.h"

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

}  // namespace
}  // namespace headroom::target
