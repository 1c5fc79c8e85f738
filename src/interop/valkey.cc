#include "interop/valkey.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"

namespace headroom::interop {
namespace {

constexpr std::uint64_t kMostKeys = 1'000'000'000'000;

// A test of valkey-benchmark's, in its order. `command` is empty for SET and GET, which are a
// ratio.
struct Test {
  std::string_view name;   // as -t has it
  std::string_view group;  // another name that asks for it, too
  std::string_view title;  // as the results have it
  std::string_view command;
  std::string_view refusal{};  // why there is no such test here
};
constexpr std::array kTests = {
    Test{"ping_inline", "ping", "PING_INLINE", "",
         "requests are sent as RESP arrays, not inline; give ping_mbulk"},
    Test{"ping_mbulk", "ping", "PING_MBULK", "PING"},
    Test{"set", "", "SET", ""},
    Test{"get", "", "GET", ""},
    Test{"incr", "", "INCR", "INCR counter:__rand_int__"},
    Test{"lpush", "", "LPUSH", "LPUSH mylist __data__"},
    Test{"rpush", "", "RPUSH", "RPUSH mylist __data__"},
    Test{"lpop", "", "LPOP", "LPOP mylist"},
    Test{"rpop", "", "RPOP", "RPOP mylist"},
    Test{"sadd", "", "SADD", "SADD myset element:__rand_int__"},
    Test{"hset", "", "HSET", "HSET myhash element:__rand_int__ __data__"},
    Test{"spop", "", "SPOP", "SPOP myset"},
    Test{"zadd", "", "ZADD", "ZADD myzset __rand_int__ element:__rand_int__"},
    Test{"zpopmin", "", "ZPOPMIN", "ZPOPMIN myzset"},
    Test{"lrange_100", "lrange", "LRANGE_100 (first 100 elements)", "LRANGE mylist 0 99"},
    Test{"lrange_300", "lrange", "LRANGE_300 (first 300 elements)", "LRANGE mylist 0 299"},
    Test{"lrange_500", "lrange", "LRANGE_500 (first 500 elements)", "LRANGE mylist 0 499"},
    Test{"lrange_600", "lrange", "LRANGE_600 (first 600 elements)", "LRANGE mylist 0 599"},
    Test{
        "mset", "", "MSET (10 keys)",
        "MSET __key__ __data__ __key__ __data__ __key__ __data__ __key__ __data__ __key__ __data__ "
        "__key__ __data__ __key__ __data__ __key__ __data__ __key__ __data__ __key__ __data__"},
    Test{"mget", "", "MGET (10 keys)",
         "MGET __key__ __key__ __key__ __key__ __key__ __key__ __key__ __key__ __key__ __key__"},
    Test{"xadd", "", "XADD", "XADD mystream * myfield __data__"},
    Test{"function_load", "", "FUNCTION LOAD", "", "it is no test of Headroom's"},
    Test{"fcall", "", "FCALL", "", "it is no test of Headroom's"},
};

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

// A word as a scenario's command has it: quoted where it would not stay one.
std::string scenario_word(std::string_view word) {
  if (word == ";") return ";";  // between the commands of a transaction
  constexpr std::string_view kSpecial = "\"'\\; ";
  const bool plain = !word.empty() && std::ranges::none_of(word, [&](char c) {
    return kSpecial.find(c) != std::string_view::npos || static_cast<unsigned char>(c) < ' ';
  });
  if (plain) return std::string(word);
  std::string quoted = "\"";
  for (const char c : word) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ') {
      quoted += fmt::format("\\x{:02x}", byte);
    } else {
      if (c == '"' || c == '\\') quoted += '\\';
      quoted += c;
    }
  }
  return quoted + '"';
}

class Valkey {
 public:
  explicit Valkey(Reading& reading) : reading_(reading), draft_(reading.draft) {}

  void read() {
    reading_.plan.notes.emplace_back(
        "50 connections, 100,000 requests and values of 3 bytes where no flag says otherwise, as "
        "in "
        "valkey-benchmark; keys have names of Headroom's own");
    reading_.apply_table();
    endpoint();
    connections();
    duration();
    data();
    output();
    if (!reading_.command().empty()) {
      own_command();
    } else if (const Given* tests = reading_.given("-t"); tests != nullptr) {
      chosen_tests(*tests);
    } else {
      draft_.wrong("no -t and no command",
                   "valkey-benchmark would run all of its tests, some of which Headroom does not "
                   "have; choose with -t, such as -t set,get");
      reading_.add_run("", "valkey-benchmark", draft_);  // so that the mistake is told
    }
  }

 private:
  void endpoint() {
    reading_.apply_endpoint({.host = {"-h"},
                             .port = "-p",
                             .socket = "-s",
                             .password = "-a",
                             .user = "--user",
                             .uri = "-u",
                             .default_host = "127.0.0.1"});
    if (const Given* flag = reading_.given("--dbnum"); flag != nullptr && flag->value != "0")
      draft_.set("target.database", flag->value, flag->written);
    if (const Given* flag = reading_.given("--cluster"); flag != nullptr)
      draft_.set("target.cluster", "true", flag->written);
    if (const Given* flag = reading_.given("--rfr"); flag != nullptr) read_from(*flag);
    if (const Given* flag = reading_.given("-3"); flag != nullptr)
      draft_.set("target.protocol", "resp3", flag->written);
    if (const Given* flag = reading_.given("--insecure"); flag != nullptr)
      draft_.set("target.tls_verify", "false", flag->written);
    if (const Given* flag = reading_.given("-k"); flag != nullptr && flag->value != "1") {
      if (flag->value == "0") {
        draft_.set("load.reconnect_every", "1", flag->written);
      } else {
        draft_.wrong(flag->written, "give 1, or 0 to open a connection for every request");
      }
    }
  }

  void read_from(const Given& flag) {
    if (reading_.given("--cluster") == nullptr) {
      draft_.wrong(flag.written, "only a cluster has replicas to read from; give --cluster, too");
    } else if (flag.value == "no" || flag.value == "yes" || flag.value == "all") {
      const std::string_view nodes = flag.value == "no"    ? "primary"
                                     : flag.value == "yes" ? "replica"
                                                           : "any";
      draft_.set("load.read_from", nodes, flag.written);
    } else {
      draft_.wrong(flag.written, "give no, yes or all");
    }
  }

  void connections() {
    const std::uint64_t clients = reading_.number("-c", 50, 1, kMostCount);
    // 0 is another way to say that there are no threads beside the one that always is.
    const std::uint64_t threads =
        std::max<std::uint64_t>(1, reading_.number("--threads", 1, 0, kMostCount));
    draft_.set("load.workers", threads, reading_.written("--threads", "1"));
    if (clients % threads != 0) {
      const std::uint64_t below = clients / threads * threads;
      draft_.wrong(
          reading_.written("-c", "50"),
          fmt::format("is not divisible by {} threads, which have equally many "
                      "connections; give {}{}",
                      threads, below > 0 ? fmt::format("{} or ", below) : "", below + threads));
      return;
    }
    draft_.set("load.connections", clients / threads, reading_.written("-c", "50"));
  }

  void duration() {
    const Given* count = reading_.given("-n");
    if (const Given* time = reading_.given("--duration"); time != nullptr) {
      draft_.set("timing.measure", time->value + "s", time->written);
      if (count != nullptr)
        draft_.wrong(count->written, "--duration is given too; leave one of them out");
    } else {
      reading_.end_after(reading_.number("-n", 100'000, 1, kMostKeys),
                         reading_.number("--rps", 0, 0, kMostCount),
                         reading_.written("-n", "100000"));
    }
    if (const Given* time = reading_.given("--warmup"); time != nullptr)
      draft_.set("timing.warmup", time->value + "s", time->written);
    if (const Given* rate = reading_.given("--rps"); rate != nullptr && rate->value != "0")
      draft_.set("load.rate", rate->value, rate->written);
  }

  void data() {
    const Given* size = reading_.given("-d");
    draft_.set("workload.value_size", (size != nullptr ? size->value : "3") + "B",
               reading_.written("-d", "3"));
    const std::uint64_t threads =
        std::max<std::uint64_t>(1, reading_.number("--threads", 1, 0, kMostCount));
    draft_.set("workload.key_space", "shared", "by default");
    keys_ = reading_.number("-r", 1, 1, kMostKeys);
    // Every worker prefills and runs through keys of its own, one at least.
    if (!reading_.has("-r")) keys_ = threads;
    draft_.set("workload.keys", keys_, reading_.written("-r", "1"));
    if (const Given* flag = reading_.given("--sequential"); flag != nullptr)
      draft_.set("workload.key_distribution", "sequential", flag->written);
  }

  void output() {
    BenchOutput& output = reading_.plan.output;
    output.csv = reading_.has("--csv");
    output.one_line = reading_.has("-q");
    output.precision = static_cast<unsigned>(reading_.number("--precision", 3, 0, 6));
  }

  void chosen_tests(const Given& flag) {
    std::vector<std::string> asked;
    std::vector<std::string> known;
    for (const std::string_view word : split(flag.value, ',')) asked.push_back(lower(trim(word)));
    for (const Test& test : kTests) {
      known.emplace_back(test.name);
      if (!test.group.empty()) known.emplace_back(test.group);
    }
    for (const std::string& word : asked) {
      if (std::ranges::find(known, word) != known.end()) continue;
      const auto near = nearest(word, known);
      draft_.wrong(flag.written, fmt::format("{} is no test{}", printable(word),
                                             near ? fmt::format("; did you mean {}?", *near) : ""));
    }
    std::size_t last = 0;
    bool in_order = true;
    for (const Test& test : kTests) {
      const auto by_name = std::ranges::find(asked, test.name);
      const auto by_group = std::ranges::find(asked, test.group);
      const auto found = by_name != asked.end() ? by_name : by_group;
      if (found == asked.end()) continue;
      const auto place = static_cast<std::size_t>(found - asked.begin());
      in_order = in_order && place >= last;
      last = place;
      add_test(test, flag);
    }
    if (!in_order) {
      reading_.plan.notes.emplace_back(
          "the tests run in valkey-benchmark's order, not in that of -t");
    }
    if (draft_.failed()) reading_.add_run("", "valkey-benchmark", draft_);
  }

  void add_test(const Test& test, const Given& flag) {
    if (!test.refusal.empty()) {
      draft_.wrong(flag.written, fmt::format("{}: {}", test.name, test.refusal));
      return;
    }
    Draft run = draft_;
    if (test.name == "set" || test.name == "get") {
      run.set("workload.ratio", test.name == "set" ? "1:0" : "0:1", flag.written);
    } else {
      run.add_command(translated(test.command), "1", "",
                      fmt::format("{} ({})", flag.written, test.name));
    }
    reading_.add_run(std::string(test.title), fmt::format("valkey-benchmark-{}", test.name),
                     std::move(run));
  }

  // Placeholders in a command of valkey-benchmark's as Headroom writes them.
  [[nodiscard]] std::string translated(std::string_view command) const {
    constexpr std::string_view kRandom = "__rand_int__";
    std::string result;
    while (!command.empty()) {
      const std::size_t at = command.find(kRandom);
      result += command.substr(0, at);
      if (at == std::string_view::npos) break;
      result += fmt::format("__rand(0,{})__", keys_ - 1);
      command.remove_prefix(at + kRandom.size());
    }
    return result;
  }

  // The command behind the flags.
  void own_command() {
    const std::vector<std::string>& words = reading_.command();
    const std::string title = fmt::format("{}", fmt::join(words, " "));
    const std::string place = printable(title);
    if (const Given* tests = reading_.given("-t"); tests != nullptr)
      reading_.plan.notes.emplace_back("-t means nothing beside a command, as in valkey-benchmark");
    Draft run = draft_;
    const std::string verb = lower(words.front());
    const bool about_a_key = words.size() > 1 && words[1].find("__rand_int__") != std::string::npos;
    if (verb == "get" && words.size() == 2 && about_a_key) {
      run.set("workload.ratio", "0:1", place);
    } else if (verb == "set" && words.size() == 3 && about_a_key &&
               words[2].find("__rand") == std::string::npos) {
      run.set("workload.ratio", "1:0", place);
      if (words[2] != "__data__")
        run.set("workload.value_size", fmt::format("{}B", words[2].size()), place);
    } else if (read_number(words.front())) {
      run.wrong(place, "a command is not repeated by a number before it; give the command alone");
    } else {
      std::vector<std::string> command;
      for (const std::string& word : words) command.push_back(scenario_word(word));
      run.add_command(translated(fmt::format("{}", fmt::join(command, " "))), "1", "", place);
    }
    reading_.add_run(title, "valkey-benchmark", std::move(run));
  }

  Reading& reading_;
  Draft& draft_;
  std::uint64_t keys_ = 1;
};

}  // namespace

void read_valkey(Reading& reading) { Valkey(reading).read(); }

}  // namespace headroom::interop
