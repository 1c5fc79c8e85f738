#include "scenario/print.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/random.h"
#include "scenario/options.h"
#include "scenario/parse.h"

namespace headroom::scenario {
namespace {

TEST(Print, ShowsEveryOptionThatAppliesWithItsDefault) {
  const auto scenario = parse_scenario("description = \"a \\\"b\\\"\"", "first-run.toml");
  EXPECT_EQ(print_scenario(*scenario), R"(name = "first-run"
description = "a \"b\""
seed = 1

[target]
kind = "local"
protocol = "resp2"
tls = false
replicas = 0
maxmemory = "64MiB"  # 67,108,864 bytes
maxmemory_policy = "allkeys-lru"

[workload]
value_size = "1KiB"  # 1,024 bytes
value_content = "random"
ratio = "1:10"       # SET:GET
keys = "auto"        # all workers together
key_space = "per-worker"
key_distribution = "uniform"
prefill = false
verify = false

[load]
workers = 1
connections = 10      # per worker
pipeline = 1          # per connection
connect_timeout = "5s"
request_timeout = "10s"
reconnect_every = 0   # requests per connection
idle_connections = 0  # per worker
connect_spread = "0s"
keep_slowest = true
fine_splits = true

[timing]
warmup = "0s"
measure = "1m"
drain = "2s"
sample_interval = "1s"
)");
}

TEST(Print, LeavesOutWhatIsAbsentOrForAnotherTarget) {
  const std::vector<std::string> overrides = {"target.kind=endpoint", "target.host=::1"};
  const std::string text = print_scenario(*parse_scenario("", "x.toml", overrides));
  const std::string target =
      text.substr(text.find("[target]"), text.find("[workload]") - text.find("[target]"));
  EXPECT_EQ(target,
            "[target]\nkind = \"endpoint\"\nprotocol = \"resp2\"\nhost = \"::1\"\nport = 6379\n"
            "database = 0\nallow_existing_data = false\ncluster = false\ntls = false\n\n");
}

TEST(Print, ShowsWhatAUriStandsForAndNotTheUri) {
  const std::vector<std::string> overrides = {
      "target.kind=endpoint", "target.uri=rediss://app@cache:7000/3", "target.password_env=PW"};
  const std::string text = print_scenario(*parse_scenario("", "x.toml", overrides));
  const std::string target =
      text.substr(text.find("[target]"), text.find("[workload]") - text.find("[target]"));
  EXPECT_EQ(target,
            "[target]\nkind = \"endpoint\"\nprotocol = \"resp2\"\nhost = \"cache\"\nport = 7000\n"
            "username = \"app\"\ndatabase = 3\npassword_env = \"PW\"\nallow_existing_data = "
            "false\ncluster = false\n"
            "tls = true\ntls_verify = true\ntls_minimum = \"1.2\"\n\n");
}

std::string any_value(const OptionType& type, Random& random);

std::string any_argument(const Parameter& parameter, Random& random) {
  std::vector<std::string> parts;
  for (const ScalarType& part : parameter.parts) {
    const OptionType type = std::visit([](const auto& each) { return OptionType(each); }, part);
    parts.push_back(any_value(type, random));
  }
  return fmt::format("{}", fmt::join(parts, ":"));
}

std::string any_call(const Form& form, Random& random) {
  std::vector<std::string> arguments;
  for (const Parameter& parameter : form.parameters)
    arguments.push_back(any_argument(parameter, random));
  for (std::size_t more = form.repeats ? random.below(4) : 0; more > 0; --more)
    arguments.push_back(any_argument(form.parameters.back(), random));
  const std::string inside = fmt::format("{}", fmt::join(arguments, ", "));
  if (form.name.empty()) return inside;
  return arguments.empty() ? std::string(form.name) : fmt::format("{}({})", form.name, inside);
}

// A value somewhere in the range of the type.
std::string any_value(const OptionType& type, Random& random) {
  const auto between = [&](std::uint64_t lowest, std::uint64_t highest) {
    return lowest + random.below(highest - lowest + 1);
  };
  const Overloaded draw{
      [&](const TextType& t) -> std::string {
        if (t.form == TextForm::kProse) return "line\n\ttab \"quote\" \\ caf\xc3\xa9 'x' # [y] = 1";
        if (t.form == TextForm::kPath) return "some/../dir with space/./f\"ile";
        if (t.form == TextForm::kUri) return "valkeys://x" + std::to_string(random.below(1000));
        return "x" + std::to_string(random.below(1000));
      },
      [&](const ChoiceType& t) { return std::string(t.choices[random.below(t.choices.size())]); },
      [&](const BooleanType&) -> std::string { return random.below(2) == 0 ? "true" : "false"; },
      [&](const CountType& t) -> std::string {
        if (t.or_auto && random.below(3) == 0) return "auto";
        return std::to_string(between(t.lowest, t.highest));
      },
      [&](const BytesType& t) { return std::to_string(between(t.lowest, t.highest)) + "B"; },
      [&](const DurationType& t) {
        const auto millis = [](Nanos duration) {
          return static_cast<std::uint64_t>(duration / std::chrono::milliseconds{1});
        };
        return std::to_string(between(millis(t.lowest), millis(t.highest))) + "ms";
      },
      [&](const RatioType& t) {
        return fmt::format("{}:{}", between(0, t.highest_weight), between(1, t.highest_weight));
      },
      [&](const DecimalType& t) {
        const double share = static_cast<double>(random.below(1001)) / 1000;
        return fmt::format("{:.3f}{}", t.lowest + share * (t.highest - t.lowest),
                           t.percent ? "%" : "");
      },
      [&](const FormsType& t) { return any_call(t.forms[random.below(t.forms.size())], random); },
      [&](const ExpectationsType&) {
        return fmt::format("latency.p99 < {}us; evictions == {}", 1 + random.below(1000),
                           random.below(10));
      },
  };
  return std::visit(draw, type);
}

// Some random subset of the options, with `rows` rows of [[workload.command]] and none of other
// repeated tables; valid unless they contradict one another.
std::vector<std::string> any_overrides(Random& random, std::size_t rows) {
  std::vector<std::string> overrides;
  for (const Option& option : option_table()) {
    const bool repeats = find_section(option.section)->repeats();
    const std::size_t present = option.section == "workload.command" ? rows : 0;
    for (std::size_t row = 0; row < (repeats ? present : 1); ++row) {
      if (random.below(8) != 0 || option.name == "command" || option.name == "tenant") continue;
      overrides.push_back(option.key(row) + "=" + any_value(option.type, random));
    }
  }
  return overrides;
}

TEST(Print, ParsesBackToTheSameScenarioAndPrintsTheSame) {
  Random random(1);
  int valid = 0;
  int with_rows = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::size_t rows = random.below(3);
    std::string given;
    for (std::size_t row = 0; row < rows; ++row)
      given += "[[workload.command]]\ncommand = 'SET __key__ \"a b\"'\n";
    const auto scenario = parse_scenario(given, "x.toml", any_overrides(random, rows));
    if (!scenario) continue;
    ++valid;
    with_rows += rows > 0 ? 1 : 0;
    const std::string text = print_scenario(*scenario);
    const auto again = parse_scenario(text, "/elsewhere/other.toml");
    ASSERT_TRUE(again) << again.error().message << "\n" << text;
    EXPECT_TRUE(*again == *scenario) << text;
    EXPECT_EQ(print_scenario(*again), text);
  }
  EXPECT_GT(valid, 20);
  EXPECT_GT(with_rows, 5);
}

}  // namespace
}  // namespace headroom::scenario
