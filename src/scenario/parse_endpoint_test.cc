// What a scenario says of an endpoint: its address, URI and TLS.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "scenario/parse.h"

namespace headroom::scenario {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

using Overrides = std::vector<std::string>;

std::vector<std::string> errors_of(std::string_view text, const Overrides& overrides = {}) {
  const auto scenario = parse_scenario(text, "dir/x.toml", overrides);
  if (scenario) return {};
  EXPECT_EQ(scenario.error().kind, ErrorKind::kUsage);
  std::vector<std::string> lines;
  for (const std::string_view line : split(scenario.error().message, '\n'))
    lines.emplace_back(line);
  return lines;
}

std::string error_of(std::string_view text, const Overrides& overrides = {}) {
  const auto lines = errors_of(text, overrides);
  EXPECT_EQ(lines.size(), 1U) << testing::PrintToString(lines);
  return lines.empty() ? "" : lines.front();
}

TEST(ParseEndpoint, ReadsEveryOptionOfAnEndpoint) {
  const auto s = parse_scenario(R"([target]
kind = "endpoint"
host = "cache.example"
port = 7000
username = "lab"
password_file = "/run/secret"
allow_existing_data = true
)",
                                "x.toml");
  ASSERT_TRUE(s) << s.error().message;
  Target expected;
  expected.kind = TargetKind::kEndpoint;
  expected.host = "cache.example";
  expected.port = 7000;
  expected.username = "lab";
  expected.password_file = "/run/secret";
  expected.allow_existing_data = true;
  EXPECT_TRUE(s->target == expected) << "and no option of a local target has a value";
}

TEST(ParseEndpoint, GivesAPortOnlyToAHost) {
  const Overrides host = {"target.kind=endpoint", "target.host=::1"};
  EXPECT_EQ(parse_scenario("", "x.toml", host)->target.port, 6379);
  const Overrides socket = {"target.kind=endpoint", "target.socket=/run/s"};
  EXPECT_EQ(parse_scenario("", "x.toml", socket)->target.port, 0);
}

TEST(ParseEndpoint, RefusesContradictionsAboutAnEndpoint) {
  const std::string endpoint = "[target]\nkind = \"endpoint\"\n";
  EXPECT_EQ(error_of(endpoint),
            "dir/x.toml:2: target.kind: an endpoint needs target.uri, target.host or "
            "target.socket; give one of them");
  EXPECT_EQ(error_of(endpoint + "host = \"h\"\nsocket = \"/s\""),
            "dir/x.toml:4: target.socket: target.host is given too; leave one of them out");
  EXPECT_EQ(error_of(endpoint + "port = 1\nsocket = \"/s\""),
            "dir/x.toml:3: target.port: means nothing without target.host; give both or neither");
  EXPECT_EQ(error_of(endpoint + "host = \"h\"\npassword_file = \"p\"\npassword_env = \"P\""),
            "dir/x.toml:5: target.password_env: target.password_file is given too; leave one of "
            "them out");
  EXPECT_EQ(error_of(endpoint + "host = \"h\"\nusername = \"u\""),
            "dir/x.toml:4: target.username: a user needs a password; give target.password_file or "
            "target.password_env");
}

TEST(ParseEndpoint, TakesAUriForTheOptionsThatItStandsFor) {
  const auto scenario =
      parse_scenario("[target]\nkind = \"endpoint\"\nuri = \"valkeys://app@[::1]:7000/3\"\n",
                     "x.toml", std::vector<std::string>{"target.password_env=PW"});
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_EQ(scenario->target.host, "::1");
  EXPECT_EQ(scenario->target.port, 7000);
  EXPECT_EQ(scenario->target.username, "app");
  EXPECT_EQ(scenario->target.database, 3U);
  EXPECT_TRUE(scenario->target.tls);
  // What it does not say, others may.
  const auto more = parse_scenario(
      "[target]\nkind = \"endpoint\"\nuri = \"unix:///run/v.sock\"\ndatabase = 2\ntls = true\n",
      "x.toml");
  ASSERT_TRUE(more) << more.error().message;
  EXPECT_EQ(more->target.socket, "/run/v.sock");
  EXPECT_TRUE(more->target.host.empty());
  EXPECT_EQ(more->target.database, 2U);
  EXPECT_TRUE(more->target.tls);
}

TEST(ParseEndpoint, AnOverrideReplacesAUriAsAWhole) {
  const auto scenario =
      parse_scenario("[target]\nkind = \"endpoint\"\nuri = \"rediss://a:7000/3\"\n", "x.toml",
                     std::vector<std::string>{"target.uri=redis://b"});
  ASSERT_TRUE(scenario) << scenario.error().message;
  EXPECT_EQ(scenario->target.host, "b");
  EXPECT_EQ(scenario->target.port, 6379);
  EXPECT_EQ(scenario->target.database, 0U);
  EXPECT_FALSE(scenario->target.tls);
}

TEST(ParseEndpoint, RefusesWhatAUriSaysToo) {
  const std::string uri = "[target]\nkind = \"endpoint\"\nuri = \"redis://cache\"\n";
  EXPECT_EQ(error_of(uri + "host = \"h\""),
            "dir/x.toml:4: target.host: target.uri gives it too; leave one of them out");
  EXPECT_EQ(error_of(uri + "port = 7"),
            "dir/x.toml:4: target.port: target.uri gives it too; leave one of them out");
  EXPECT_EQ(error_of(uri + "tls = true"),
            "dir/x.toml:4: target.tls: target.uri gives it too; leave one of them out");
  EXPECT_EQ(error_of(uri + "socket = \"/s\""),
            "dir/x.toml:4: target.socket: target.host is given too; leave one of them out");
}

TEST(ParseEndpoint, NeverShowsAPasswordThatStandsInAUri) {
  EXPECT_EQ(error_of("", {"target.kind=endpoint", "target.uri=redis://app:s3cret@cache"}),
            "--set target.uri: holds a password, and scenarios are stored in run files; leave it "
            "out and give target.password_file or target.password_env");
  EXPECT_EQ(error_of("[target]\nkind = \"endpoint\"\nuri = \"redis://:s3cret@cache\"\n"),
            "dir/x.toml:3: target.uri: holds a password, and scenarios are stored in run files; "
            "leave it out and give target.password_file or target.password_env");
}

TEST(ParseEndpoint, RefusesContradictionsAboutTls) {
  const std::string endpoint = "[target]\nkind = \"endpoint\"\nhost = \"h\"\n";
  EXPECT_EQ(error_of(endpoint + "tls_ca_file = \"ca.pem\""),
            "dir/x.toml:4: target.tls_ca_file: means nothing without target.tls = true; give both "
            "or neither");
  EXPECT_EQ(error_of(endpoint + "tls = true\ntls_certificate = \"c.pem\""),
            "dir/x.toml:5: target.tls_certificate: a certificate needs its private key; give "
            "target.tls_key");
  EXPECT_EQ(
      error_of(endpoint + "tls = true\ntls_key = \"k.pem\""),
      "dir/x.toml:5: target.tls_key: a key needs its certificate; give target.tls_certificate");
  EXPECT_EQ(error_of(endpoint + "tls = true\ntls_verify = false\ntls_ca_file = \"ca.pem\""),
            "dir/x.toml:6: target.tls_ca_file: target.tls_verify = false trusts everybody; leave "
            "one of them out");
  EXPECT_EQ(error_of(endpoint + "tls = true\ntls_minimum = \"1.1\""),
            "dir/x.toml:5: target.tls_minimum: \"1.1\" is not a choice; give one of \"1.2\", "
            "\"1.3\"; did you mean \"1.2\"?");
}

TEST(ParseEndpoint, TakesAClusterAndWhereToReadFrom) {
  const Overrides cluster = {"target.kind=endpoint", "target.host=h", "target.cluster=true",
                             "workload.keys=100", "load.read_from=any"};
  const auto s = parse_scenario("", "x.toml", cluster);
  ASSERT_TRUE(s) << s.error().message;
  EXPECT_TRUE(s->target.cluster);
  EXPECT_EQ(s->load.read_from, ReadFrom::kAny);
}

TEST(ParseEndpoint, RefusesWhatAClusterCannotHave) {
  const auto refusal = [](const std::string& option, const std::string& more = "") {
    return error_of(
        "[target]\nkind = \"endpoint\"\nhost = \"h\"\ncluster = true\n"
        "[workload]\nkeys = 100\n" +
            more,
        {option});
  };
  EXPECT_THAT(refusal("load.reconnect_every=5"), HasSubstr("not renewed by plan"));
  EXPECT_THAT(refusal("load.idle_connections=5"), HasSubstr("a cluster gets no idle ones"));
  EXPECT_THAT(refusal("workload.keys=auto"), HasSubstr("give a number"));
  EXPECT_THAT(refusal("load.read_from=replica", "verify = true\n"),
              HasSubstr("a replica may rightly be behind"));
  EXPECT_THAT(refusal("seed=1", "[[workload.command]]\ncommand = \"MGET __key1__ __key2__\"\n"),
              AllOf(HasSubstr("workload.command"), HasSubstr("{__key1__}:a")));
  EXPECT_THAT(error_of("[target]\nkind = \"endpoint\"\nhost = \"h\"\n", {"load.read_from=any"}),
              HasSubstr("give target.cluster = true"));
}

}  // namespace
}  // namespace headroom::scenario
