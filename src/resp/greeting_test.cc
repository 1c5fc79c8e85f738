#include "resp/greeting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headroom::resp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Server server_at(const std::string& username = "", const std::string& password = "") {
  return {.address = {"10.0.0.7", 6379, {}}, .username = username, .password = password};
}

TEST(Greeting, SaysNothingWhereNothingIsAskedFor) {
  EXPECT_THAT(greeting_of(server_at()), IsEmpty());
}

TEST(Greeting, AuthenticatesWithOrWithoutAUser) {
  const auto plain = greeting_of(server_at("", "pw"));
  ASSERT_EQ(plain.size(), 1U);
  EXPECT_EQ(plain[0].step, GreetingStep::kAuth);
  EXPECT_THAT(plain[0].words, ElementsAre("AUTH", "pw"));
  EXPECT_THAT(greeting_of(server_at("app", "pw")).at(0).words, ElementsAre("AUTH", "app", "pw"));
}

TEST(Greeting, PutsThePasswordIntoHello) {
  Server server = server_at("", "pw");
  server.protocol = Protocol::kResp3;
  server.database = 3;
  const auto commands = greeting_of(server);
  ASSERT_EQ(commands.size(), 2U);
  EXPECT_THAT(commands[0].words, ElementsAre("HELLO", "3", "AUTH", "default", "pw"));
  EXPECT_EQ(commands[1].step, GreetingStep::kSelect);
  EXPECT_THAT(commands[1].words, ElementsAre("SELECT", "3"));
  server.password.clear();
  EXPECT_THAT(greeting_of(server).at(0).words, ElementsAre("HELLO", "3"));
}

TEST(Greeting, TakesTheAnswersThatServersGive) {
  const Server server = server_at("app", "pw");
  const auto fine = [&](GreetingStep step, GreetingAnswer answer, std::string_view text = "OK") {
    return !greeting_fault(server, step, answer, text).has_value();
  };
  EXPECT_TRUE(fine(GreetingStep::kAuth, GreetingAnswer::kStatus));
  EXPECT_TRUE(fine(GreetingStep::kHello, GreetingAnswer::kAggregate));
  EXPECT_TRUE(fine(GreetingStep::kSelect, GreetingAnswer::kStatus));
  EXPECT_TRUE(fine(GreetingStep::kPing, GreetingAnswer::kStatus, "PONG"));
  EXPECT_TRUE(fine(GreetingStep::kPing, GreetingAnswer::kError, "NOPERM no PING for you"));
  EXPECT_FALSE(fine(GreetingStep::kSelect, GreetingAnswer::kError, "NOPERM no SELECT for you"));
  EXPECT_FALSE(fine(GreetingStep::kPing, GreetingAnswer::kAggregate));
  EXPECT_FALSE(fine(GreetingStep::kHello, GreetingAnswer::kStatus));
}

TEST(Greeting, SaysWhatWasRefusedAndNeverThePassword) {
  const Server server = server_at("app", "pw-s3cret");
  const auto fault = [&](GreetingStep step, std::string_view text) {
    return greeting_fault(server, step, GreetingAnswer::kError, text).value_or("(none)");
  };
  const std::string wrong = "WRONGPASS invalid username-password pair";
  EXPECT_EQ(fault(GreetingStep::kAuth, wrong),
            "10.0.0.7:6379 refused the password of user \"app\": " + wrong);
  EXPECT_EQ(fault(GreetingStep::kHello, wrong), fault(GreetingStep::kAuth, wrong));
  EXPECT_THAT(fault(GreetingStep::kHello, wrong), Not(HasSubstr("s3cret")));
  EXPECT_EQ(fault(GreetingStep::kPing, "NOAUTH Authentication required."),
            "10.0.0.7:6379 asks for a password: set target.password_file or target.password_env");
  EXPECT_EQ(fault(GreetingStep::kHello, "NOPROTO unsupported protocol version"),
            "10.0.0.7:6379 does not take RESP3: NOPROTO unsupported protocol version; set "
            "target.protocol = \"resp2\"");
  EXPECT_EQ(fault(GreetingStep::kSelect, "ERR DB index is out of range"),
            "10.0.0.7:6379 refused database 0: ERR DB index is out of range; set another "
            "target.database");
}

}  // namespace
}  // namespace headroom::resp
