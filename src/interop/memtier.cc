#include "interop/memtier.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"

namespace headroom::interop {
namespace {

constexpr std::uint64_t kMostRequests = std::uint64_t{1} << 50U;

// "10-20"
std::optional<std::pair<std::uint64_t, std::uint64_t>> read_range(std::string_view text) {
  const auto parts = split(text, '-');
  if (parts.size() != 2) return std::nullopt;
  const auto low = read_number(parts[0]);
  const auto high = read_number(parts[1]);
  if (!low || !high || *low > *high) return std::nullopt;
  return std::pair(*low, *high);
}

std::optional<double> read_decimal(std::string_view text) {
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || !std::isfinite(number))
    return std::nullopt;
  return number;
}

class Memtier {
 public:
  explicit Memtier(Reading& reading) : reading_(reading), draft_(reading.draft) {}

  void read() {
    defaults();
    reading_.apply_table();
    endpoint();
    requests();
    values();
    keys();
    reconnecting();
    if (reading_.has("--randomize")) draft_.set("seed", reading_.fresh_seed() >> 1U, "--randomize");
    output();
    const std::uint64_t runs = reading_.number("--run-count", 1, 1, 1000);
    for (std::uint64_t i = 0; i < runs; ++i) reading_.add_run("ALL STATS", "memtier", draft_);
  }

 private:
  void defaults() {
    draft_.set("load.workers", "4", "by default");
    draft_.set("load.connections", "50", "by default");
    reading_.plan.notes.emplace_back(
        "4 threads of 50 connections, SET:GET 1:10 and values of 32 bytes where no flag says "
        "otherwise, as in memtier_benchmark; keys have names of Headroom's own");
  }

  void endpoint() {
    reading_.apply_endpoint({.host = {"--server", "--host"},
                             .port = "--port",
                             .socket = "--unix-socket",
                             .password = "--authenticate",
                             .user = "",
                             .uri = "--uri",
                             .default_host = "localhost"});
    if (const Given* flag = reading_.given("--authenticate"); flag != nullptr) {
      // USER:PASSWORD, :PASSWORD or PASSWORD.
      const std::string_view text = flag->value;
      const std::size_t colon = text.find(':');
      if (colon == std::string_view::npos) {
        reading_.apply_login("", text, *flag);
      } else {
        reading_.apply_login(text.substr(0, colon), text.substr(colon + 1), *flag);
      }
    }
    if (const Given* flag = reading_.given("--protocol"); flag != nullptr) {
      if (flag->value == "resp3") {
        draft_.set("target.protocol", "resp3", flag->written);
      } else if (flag->value != "redis" && flag->value != "resp2") {
        draft_.wrong(flag->written,
                     "Headroom loads caches that speak RESP; give redis, resp2 or resp3");
      }
    }
    if (const Given* flag = reading_.given("--select-db"); flag != nullptr && flag->value != "0")
      draft_.set("target.database", flag->value, flag->written);
    if (const Given* flag = reading_.given("--cluster-mode"); flag != nullptr)
      draft_.set("target.cluster", "true", flag->written);
    if (const Given* flag = reading_.given("--tls-skip-verify"); flag != nullptr)
      draft_.set("target.tls_verify", "false", flag->written);
    if (const Given* flag = reading_.given("--tls-protocols"); flag != nullptr)
      tls_protocols(*flag);
  }

  void tls_protocols(const Given& flag) {
    bool v12 = false;
    bool v13 = false;
    for (const std::string_view version : split(flag.value, ',')) {
      if (version == "TLSv1.2") v12 = true;
      if (version == "TLSv1.3") v13 = true;
      if (version != "TLSv1.2" && version != "TLSv1.3") {
        draft_.wrong(flag.written, fmt::format("{} is not spoken; give TLSv1.2,TLSv1.3 or TLSv1.3",
                                               printable(version)));
        return;
      }
    }
    if (!v13) {
      draft_.wrong(flag.written,
                   "a newer version cannot be ruled out; give TLSv1.2,TLSv1.3 or TLSv1.3");
      return;
    }
    draft_.set("target.tls_minimum", v12 ? "1.2" : "1.3", flag.written);
  }

  [[nodiscard]] std::uint64_t clients() {
    return reading_.number("--threads", 4, 1, kMostCount) *
           reading_.number("--clients", 50, 1, kMostCount);
  }

  void requests() {
    const Given* count = reading_.given("--requests");
    const Given* time = reading_.given("--test-time");
    const Given* rate = reading_.given("--rate-limiting");
    const std::uint64_t per_s = reading_.number("--rate-limiting", 0, 1, kMostCount) * clients();
    if (rate != nullptr) draft_.set("load.rate", per_s, rate->written);
    if (time != nullptr) {
      draft_.set("timing.measure", time->value + "s", time->written);
      if (count != nullptr)
        draft_.wrong(count->written, "--test-time is given too; leave one of them out");
    } else {
      reading_.end_after(total_requests(count), per_s, reading_.written("--requests", "10000"));
    }
  }

  [[nodiscard]] std::uint64_t total_requests(const Given* count) {
    std::uint64_t each = 10'000;
    if (count != nullptr && count->value == "allkeys") {
      // What the other program does: the range is divided only where each client has a part of its
      // own.
      each = key_range();
      if (pattern() == "P:P") each = each / clients() + 1;
    } else {
      each = reading_.number("--requests", 10'000, 1, kMostRequests);
    }
    if (each > kMostRequests / clients()) {
      draft_.wrong(reading_.written("--requests", "10000"), "is too many for so many clients");
      return 1;
    }
    return std::max<std::uint64_t>(each * clients(), 1);
  }

  void values() {
    const Given* size = reading_.given("--data-size");
    const Given* range = reading_.given("--data-size-range");
    const Given* list = reading_.given("--data-size-list");
    if ((size != nullptr) + (range != nullptr) + (list != nullptr) > 1) {
      draft_.wrong(range != nullptr ? range->written : list->written,
                   "the size of values is given in another way, too; leave one of them out");
    } else if (range != nullptr) {
      if (const auto sizes = read_range(range->value)) {
        draft_.set("workload.value_size",
                   fmt::format("range({}B, {}B)", sizes->first, sizes->second), range->written);
      } else {
        draft_.wrong(range->written, "is no range of sizes; give MIN-MAX in bytes");
      }
    } else if (list != nullptr) {
      value_list(*list);
    } else {
      draft_.set("workload.value_size", (size != nullptr ? size->value : "32") + "B",
                 reading_.written("--data-size", "32"));
    }
    if (const Given* flag = reading_.given("--data-size-pattern");
        flag != nullptr && flag->value != "R") {
      draft_.wrong(flag->written,
                   "sizes are drawn, they do not grow along the key range; give R or leave it out");
    }
    expiry();
  }

  // Of what SET writes. A --command says its own.
  void expiry() {
    const Given* flag = reading_.given("--expiry-range");
    if (flag == nullptr) return;
    if (reading_.has("--command")) {
      draft_.wrong(flag->written,
                   "a --command has no expiry but its own; write EX __rand(MIN,MAX)__ into it");
      return;
    }
    const auto seconds = read_range(flag->value);
    if (!seconds || seconds->first == 0) {
      draft_.wrong(flag->written, "is no range of times; give MIN-MAX in seconds, MIN above 0");
      return;
    }
    const auto [low, high] = *seconds;
    draft_.set("workload.ttl",
               low == high ? fmt::format("{}s", low) : fmt::format("range({}s, {}s)", low, high),
               flag->written);
    set_command_ += fmt::format(" EX __rand({},{})__", low, high);
  }

  void value_list(const Given& flag) {
    std::string sizes;
    for (const std::string_view entry : split(flag.value, ',')) {
      const auto parts = split(entry, ':');
      if (parts.size() != 2 || !read_number(parts[0]) || !read_number(parts[1])) {
        draft_.wrong(flag.written, "is no list of sizes; give SIZE:WEIGHT,SIZE:WEIGHT in bytes");
        return;
      }
      sizes += fmt::format("{}{}B:{}", sizes.empty() ? "" : ", ", parts[0], parts[1]);
    }
    draft_.set("workload.value_size", fmt::format("list({})", sizes), flag.written);
  }

  [[nodiscard]] std::uint64_t key_range() {
    const std::uint64_t lowest = reading_.number("--key-minimum", 0, 0, kMostRequests);
    const std::uint64_t highest = reading_.number("--key-maximum", 10'000'000, 1, kMostRequests);
    if (lowest <= highest) return highest - lowest;
    draft_.wrong(reading_.written("--key-minimum", "0"), "is above --key-maximum");
    return 1;
  }
  [[nodiscard]] std::string pattern() const {
    const Given* flag = reading_.given("--key-pattern");
    return flag != nullptr ? flag->value : "R:R";
  }

  void keys() {
    draft_.set("workload.keys", key_range() + 1, reading_.written("--key-maximum", "10000000"));
    draft_.set("workload.key_space", "shared", "by default");
    if (reading_.has("--command")) {
      commands();
      return;
    }
    const std::string written = reading_.written("--key-pattern", "R:R");
    const auto letters = split(pattern(), ':');
    if (letters.size() != 2) {
      draft_.wrong(written, "is no pattern; give SET:GET such as R:R");
      return;
    }
    const auto set = distribution(letters[0], written);
    const auto get = distribution(letters[1], written);
    if (!set || !get) return;
    if (!reading_.has("--ratio")) draft_.set("workload.ratio", "1:10", "by default");
    if (*set == *get) {
      if (*set != "uniform") draft_.set("workload.key_distribution", *set, written);
      return;
    }
    const Given* ratio = reading_.given("--ratio");
    const auto weights = split(ratio != nullptr ? std::string_view(ratio->value) : "1:10", ':');
    if (weights.size() != 2) return;  // said of --ratio
    draft_.unset("workload.ratio");
    draft_.unset("workload.ttl");
    if (weights[0] != "0") draft_.add_command(set_command_, weights[0], *set, written);
    if (weights[1] != "0") draft_.add_command("GET __key__", weights[1], *get, written);
  }

  // The key distribution for one letter of a pattern.
  std::optional<std::string> distribution(std::string_view letter, const std::string& written) {
    const auto range = static_cast<double>(key_range());
    const auto lowest = static_cast<double>(reading_.number("--key-minimum", 0, 0, kMostRequests));
    if (letter == "R") return "uniform";
    if (letter == "P" || (letter == "S" && clients() == 1)) return "sequential";
    if (letter == "S") {
      draft_.wrong(written,
                   "S: every client would run through all keys by itself; the nearest is P, where "
                   "all together do");
      return std::nullopt;
    }
    if (letter == "Z") return fmt::format("zipf({})", decimal("--key-zipf-exp", 1.0));
    if (letter == "G") {
      const double median = decimal("--key-median", lowest + range / 2);
      const double deviation = decimal("--key-stddev", range / 6);
      return fmt::format("gaussian({:.4g}%, {:.4g}%)", (median - lowest) / range * 100,
                         deviation / range * 100);
    }
    draft_.wrong(written, fmt::format("{} is no pattern; give R, G, Z, S or P", printable(letter)));
    return std::nullopt;
  }

  double decimal(std::string_view name, double otherwise) {
    const Given* flag = reading_.given(name);
    if (flag == nullptr) return otherwise;
    if (const auto number = read_decimal(flag->value)) return *number;
    draft_.wrong(flag->written, "is no number");
    return otherwise;
  }

  // Each --command has its own --command-ratio and --command-key-pattern behind it.
  struct Command {
    const Given* text = nullptr;
    const Given* ratio = nullptr;
    const Given* pattern = nullptr;
  };
  void commands() {
    for (const std::string_view other : {"--ratio", "--key-pattern"}) {
      if (const Given* flag = reading_.given(other); flag != nullptr) {
        draft_.wrong(
            flag->written,
            fmt::format("--command is given too; give --command-{} behind it", other.substr(2)));
      }
    }
    std::vector<Command> found;
    for (const Given& flag : reading_.flags()) {
      if (flag.flag->name == "--command") found.push_back({&flag});
      const bool is_ratio = flag.flag->name == "--command-ratio";
      if (!is_ratio && flag.flag->name != "--command-key-pattern") continue;
      if (found.empty()) {
        draft_.wrong(flag.written, "stands before the --command that it is about");
      } else {
        (is_ratio ? found.back().ratio : found.back().pattern) = &flag;
      }
    }
    for (const Command& command : found) {
      const auto keys = command.pattern != nullptr
                            ? distribution(command.pattern->value, command.pattern->written)
                            : "uniform";
      if (command.text->value.find("__monitor_line") != std::string::npos) {
        draft_.wrong(command.text->written, "what MONITOR recorded is not replayed");
        continue;
      }
      if (!keys) continue;
      draft_.add_command(command.text->value, command.ratio != nullptr ? command.ratio->value : "1",
                         *keys, command.text->written);
    }
  }

  void reconnecting() {
    if (const Given* flag = reading_.given("--max-reconnect-attempts");
        flag != nullptr && flag->value != "0") {
      draft_.wrong(flag->written,
                   "connections are opened again for as long as the run lasts; give 0");
    }
    if (const Given* flag = reading_.given("--connection-timeout"); flag != nullptr) {
      if (flag->value == "0") {
        draft_.wrong(flag->written, "connecting always has a limit; give 1 or more");
      } else {
        draft_.set("load.connect_timeout", flag->value + "s", flag->written);
      }
    }
  }

  void output() {
    BenchOutput& output = reading_.plan.output;
    const std::pair<std::string_view, std::string*> files[] = {
        {"--out-file", &output.text_file},
        {"--json-out-file", &output.json_file},
        {"--hdr-file-prefix", &output.hdr_prefix}};
    for (const auto& [name, file] : files) {
      const Given* flag = reading_.given(name);
      if (flag == nullptr) continue;
      *file = flag->value;
      if (flag->value.empty()) draft_.wrong(flag->written, "is empty; give a file's name");
    }
    if (const Given* flag = reading_.given("--command-stats-breakdown");
        flag != nullptr && flag->value != "command") {
      draft_.wrong(flag->written, "numbers are kept by command; give command or leave it out");
    }
    const Given* percentiles = reading_.given("--print-percentiles");
    if (percentiles == nullptr) return;
    output.percentiles.clear();
    for (const std::string_view text : split(percentiles->value, ',')) {
      const auto number = read_decimal(text);
      if (!number || *number <= 0 || *number > 100) {
        draft_.wrong(
            percentiles->written,
            fmt::format("{} is no percentile; give numbers above 0, at most 100", printable(text)));
        return;
      }
      output.percentiles.push_back(*number);
    }
  }

  Reading& reading_;
  Draft& draft_;
  std::string set_command_ = "SET __key__ __data__";  // where SET and GET are commands
};

}  // namespace

void read_memtier(Reading& reading) { Memtier(reading).read(); }

}  // namespace headroom::interop
