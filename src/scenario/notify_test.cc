#include "scenario/notify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenario/parse.h"
#include "scenario/print.h"

namespace headroom::scenario {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Webhook, IsTakenApart) {
  const auto url = parse_webhook("https://hooks.example.com:8443/a/b?c=d#e");
  ASSERT_TRUE(url) << url.error().message;
  EXPECT_EQ(url->origin, "https://hooks.example.com:8443");
  EXPECT_EQ(url->path, "/a/b?c=d");
  EXPECT_EQ(parse_webhook("http://localhost").value().path, "/");
  EXPECT_EQ(parse_webhook("http://localhost?x").value().path, "/?x");
  EXPECT_EQ(parse_webhook("http://[::1]:80/x").value().origin, "http://[::1]:80");
}

TEST(Webhook, RefusesWhatIsNoneWithoutRepeatingIt) {
  for (const char* text : {"ftp://secret.example.com/", "https:///secret", "https://a b/secret",
                           "https://me:secret@example.com/", "secret", ""}) {
    const auto url = parse_webhook(text);
    ASSERT_FALSE(url) << text;
    EXPECT_THAT(url.error().message, Not(HasSubstr("secret")));
    EXPECT_THAT(url.error().message, HasSubstr("give a URL such as"));
  }
}

Result<Scenario> parsed(const std::vector<std::string>& settings) {
  return parse_scenario("", "x.toml", settings);
}

TEST(NotifyOptions, HaveDefaultsOnlyWhereSomebodyIsTold) {
  EXPECT_THAT(print_scenario(parsed({}).value()), Not(HasSubstr("[notify]")));
  const auto told = parsed({"notify.command=cat >> log"});
  ASSERT_TRUE(told) << told.error().message;
  EXPECT_EQ(told->notify.attempts, 3U);
  EXPECT_EQ(told->notify.timeout, std::chrono::seconds{5});
  EXPECT_EQ(parse_scenario(print_scenario(*told), "x.toml").value(), *told);
}

TEST(NotifyOptions, RefusesHalves) {
  EXPECT_THAT(parsed({"notify.attempts=2"}).error().message, HasSubstr("means nothing without"));
  EXPECT_THAT(parsed({"notify.webhook=http://a/", "notify.webhook_env=HOOK"}).error().message,
              HasSubstr("leave one of them out"));
  EXPECT_THAT(parsed({"notify.webhook=mailto:x"}).error().message,
              HasSubstr("does not begin with http"));
}

}  // namespace
}  // namespace headroom::scenario
