#include "scenario/operations.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "base/check.h"
#include "scenario/option_access.h"

namespace headroom::scenario {
namespace {

using Kind = WordPart::Kind;

Word text_word(std::string text) { return {{.kind = Kind::kText, .text = std::move(text)}}; }

std::uint64_t millis(Nanos duration) {
  return static_cast<std::uint64_t>(duration / std::chrono::milliseconds{1});
}

// SET __key__ __data__ [PX ...]
CommandLine set_line(const std::optional<Ttl>& ttl) {
  CommandWords words = {text_word("SET"), {{.kind = Kind::kKey}}, {{.kind = Kind::kData}}};
  if (ttl) {
    const TtlRange range = ttl_range(*ttl);
    words.push_back(text_word("PX"));
    if (range.lowest == range.highest) {
      words.push_back(text_word(fmt::format("{}", millis(range.lowest))));
    } else {
      words.push_back({{.kind = Kind::kRandom,
                        .lowest = millis(range.lowest),
                        .highest = millis(range.highest)}});
    }
  }
  return {{std::move(words)}, 1};
}

CommandLine get_line() { return {{{text_word("GET"), {{.kind = Kind::kKey}}}}, 1}; }

// GET __key__, and no other way to say it.
bool is_plain_get(const CommandLine& line) {
  if (line.is_transaction() || line.commands.size() != 1) return false;
  const CommandWords& words = line.commands.front();
  return verb_of(words) == "GET" && words.size() == 2 && words[1].size() == 1 &&
         words[1].front().kind == Kind::kKey;
}

class Names {
 public:
  explicit Names(const std::vector<WeightedCommand>& commands) {
    for (const WeightedCommand& command : commands)
      if (!command.name.empty()) taken_.insert(command.name);
  }
  // `name`, or with a number behind it that nobody has.
  std::string unique(const std::string& name) {
    std::string candidate = name;
    for (int i = 2; !taken_.insert(candidate).second; ++i)
      candidate = fmt::format("{}-{}", name, i);
    return candidate;
  }

 private:
  std::set<std::string> taken_;
};

// The plain GETs, those too that only a stage draws, and behind all the SET that follows when one
// misses.
void add_cache_aside(std::vector<Operation>& operations, std::string name,
                     const Workload& workload) {
  for (Operation& operation : operations) operation.reads_through = is_plain_get(operation.line);
  operations.push_back(
      {std::move(name), 0, set_line(workload.ttl), workload.key_distribution, workload.value_size});
  operations.back().fills = true;
}

std::string text_of(const std::string_view option, const Value& value) {
  return print_value(find_option("workload", option)->type, value);
}

}  // namespace

std::string default_name(const CommandLine& line, std::size_t row) {
  std::string verb = verb_of(line.commands.front());
  const OptionType& type = find_option("workload.command", "name")->type;
  return read_value(type, verb) ? verb : fmt::format("command-{}", row + 1);
}

std::vector<Operation> operations_of(const Workload& workload) {
  std::vector<Operation> operations;
  if (workload.replays()) return operations;
  const auto add = [&](std::string name, std::uint32_t weight, CommandLine line) {
    operations.push_back(
        {std::move(name), weight, std::move(line), workload.key_distribution, workload.value_size});
  };
  if (workload.commands.empty()) {
    if (workload.set_weight > 0 || workload.prefill)
      add("SET", workload.set_weight, set_line(workload.ttl));
    if (workload.get_weight > 0) add("GET", workload.get_weight, get_line());
    if (workload.backend_time) add_cache_aside(operations, "fill", workload);
    return operations;
  }
  Names names(workload.commands);
  if (workload.prefill) add(names.unique("prefill"), 0, set_line(workload.ttl));
  for (std::size_t row = 0; row < workload.commands.size(); ++row) {
    const WeightedCommand& command = workload.commands[row];
    auto line = read_command_line(command.text);
    check(line.has_value(), "a parsed scenario has only commands that can be read");
    std::string name = command.name.empty() ? names.unique(default_name(*line, row)) : command.name;
    operations.push_back({std::move(name), command.weight, std::move(*line),
                          command.keys.value_or(workload.key_distribution),
                          command.value_size.value_or(workload.value_size)});
  }
  if (workload.backend_time) add_cache_aside(operations, names.unique("fill"), workload);
  return operations;
}

std::string describe_mix(const Workload& workload) {
  if (workload.replays()) {
    return fmt::format("the trace {}",
                       std::filesystem::path(workload.trace.file).filename().string());
  }
  if (workload.commands.empty())
    return fmt::format("SET:GET {}:{}", workload.set_weight, workload.get_weight);
  constexpr std::size_t kShown = 4;
  std::string text;
  std::size_t drawn = 0;
  for (const Operation& operation : operations_of(workload)) {
    if (operation.weight == 0 || ++drawn > kShown) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", operation.name, operation.weight);
  }
  return drawn > kShown ? fmt::format("{} and {} more", text, drawn - kShown) : text;
}

std::string describe_keys(const Workload& workload) {
  std::string text = text_of("key_distribution", *to_value(workload.key_distribution));
  if (std::ranges::any_of(workload.commands,
                          [](const WeightedCommand& c) { return c.keys.has_value(); }))
    text += " or as the command says";
  return text;
}

std::string describe_size(const ValueSize& size) { return text_of("value_size", *to_value(size)); }

}  // namespace headroom::scenario
