#include "interop/flag_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.h"

namespace headroom::interop {
namespace {

constexpr std::array kOwnFlags = {
    Flag{.name = "--explain",
         .does = "Prints the scenario that the command line comes to, and runs nothing. It is a "
                 "start for a scenario file of one's own."},
    Flag{.name = "--run-file",
         .argument = "FILE",
         .does = "The run file to write. Of several runs, the second and later ones get a number "
                 "before the ending. Default: runs/<name>-<UTC time>.run"},
    Flag{.name = "--set",
         .argument = "KEY=VALUE",
         .does = "Sets one option of the scenario that no flag has; may be repeated."},
    Flag{.name = "--json", .does = "Prints the closing summary as JSON (docs/SUMMARY_JSON.md)."},
    Flag{.name = "--quiet", .does = "Draws no progress."},
    Flag{.name = "--help", .does = "Prints this page."},
};

// The beginning of a long word, up to its '='.
std::string_view name_part(std::string_view word) { return word.substr(0, word.find('=')); }

const Flag* find(std::span<const Flag> flags, std::string_view name) {
  const auto found = std::ranges::find_if(
      flags, [&](const Flag& flag) { return flag.name == name || flag.short_name == name; });
  return found == flags.end() ? nullptr : &*found;
}

// Reads one command line, gathering what is wrong with it.
class Reader {
 public:
  Reader(const Program& program, std::span<const std::string> words)
      : program_(program), words_(words) {}

  Result<Words> read() && {
    const bool plain = program_.grammar == Grammar::kPlain;
    while (at_ < words_.size()) {
      const std::string& word = words_[at_];
      const bool is_flag = word.size() > 1 && word.front() == '-' && word != "--";
      if (is_flag) {
        take_flag(word);
      } else if (plain) {
        if (word == "--") ++at_;
        result_.command.assign(words_.begin() + static_cast<std::ptrdiff_t>(at_), words_.end());
        break;
      } else {
        wrong("{}: {} takes flags only", printable(word), program_.name);
        ++at_;
      }
    }
    if (!errors_.empty()) return fail(ErrorKind::kUsage, "{}", fmt::join(errors_, "\n"));
    return std::move(result_);
  }

 private:
  template <class... Args>
  void wrong(fmt::format_string<Args...> format, Args&&... args) {
    errors_.push_back(fmt::format(format, std::forward<Args>(args)...));
  }

  void take_flag(const std::string& word) {
    if (const Flag* own = find(own_flags(), name_part(word)); own != nullptr) {
      take_long(*own, word);
    } else if (program_.grammar == Grammar::kPlain) {
      take_plain(word);
    } else if (word.starts_with("--")) {
      take_getopt_long(word);
    } else {
      take_getopt_short(word);
    }
  }

  void take_plain(const std::string& word) {
    const Flag* flag = find(program_.flags, word);
    if (flag == nullptr) {
      unknown(word);
      return;
    }
    take_long(*flag, word);
  }

  void take_getopt_long(const std::string& word) {
    const std::string_view name = name_part(word);
    const Flag* flag = find(program_.flags, name);
    if (flag == nullptr) {
      std::vector<std::string_view> candidates;
      for (const Flag& candidate : program_.flags) {
        if (!candidate.name.starts_with(name)) continue;
        candidates.push_back(candidate.name);
        flag = &candidate;
      }
      if (candidates.size() > 1) {
        wrong("{}: may be any of {}; write it out", printable(name), fmt::join(candidates, ", "));
        ++at_;
        return;
      }
    }
    if (flag == nullptr) {
      unknown(word);
      return;
    }
    take_long(*flag, word);
  }

  // -t4, -t 4, -DR
  void take_getopt_short(const std::string& word) {
    const std::size_t first = at_;
    for (std::size_t i = 1; i < word.size(); ++i) {
      const Flag* flag = find(program_.flags, std::string{'-', word[i]});
      if (flag == nullptr) {
        unknown(word);
        return;
      }
      if (flag->argument.empty()) {
        result_.flags.push_back({flag, "", std::string{'-', word[i]}, first, first});
        continue;
      }
      if (i + 1 < word.size()) {
        result_.flags.push_back({flag, word.substr(i + 1), printable(word), first, first});
      } else if (at_ + 1 < words_.size()) {
        const std::string& value = words_[++at_];
        result_.flags.push_back(
            {flag, value, fmt::format("-{} {}", word[i], printable(value)), first, at_});
      } else {
        wrong("-{}: needs an argument, {}", word[i], flag->argument);
      }
      break;
    }
    ++at_;
  }

  // `word` names the flag and may have its value behind '='.
  void take_long(const Flag& flag, const std::string& word) {
    const std::size_t first = at_++;
    const std::size_t equals = word.find('=');
    if (flag.argument.empty()) {
      if (equals != std::string::npos) {
        wrong("{}: {} takes no argument", printable(word), flag.name);
        return;
      }
      result_.flags.push_back({&flag, "", printable(word), first, first});
    } else if (equals != std::string::npos) {
      result_.flags.push_back({&flag, word.substr(equals + 1), printable(word), first, first});
    } else if (at_ < words_.size()) {
      const std::string& value = words_[at_++];
      result_.flags.push_back(
          {&flag, value, fmt::format("{} {}", word, printable(value)), first, first + 1});
    } else {
      wrong("{}: needs an argument, {}", word, flag.argument);
    }
  }

  void unknown(const std::string& word) {
    std::vector<std::string> names;
    for (const Flag& flag : program_.flags) names.emplace_back(flag.name);
    for (const Flag& flag : own_flags()) names.emplace_back(flag.name);
    const auto near = word.starts_with("--") ? nearest(name_part(word), names) : std::nullopt;
    wrong("{}: {} has no such flag{}", printable(word), program_.name,
          near ? fmt::format("; did you mean {}?", *near) : "");
    ++at_;
  }

  const Program& program_;
  std::span<const std::string> words_;
  std::size_t at_ = 0;
  Words result_;
  std::vector<std::string> errors_;
};

}  // namespace

std::span<const Flag> own_flags() { return kOwnFlags; }

Result<Words> read_words(const Program& program, std::span<const std::string> words) {
  return Reader(program, words).read();
}

bool knows(const Program& program, std::string_view word) {
  if (program.grammar == Grammar::kPlain) return find(program.flags, word) != nullptr;
  if (word.starts_with("--")) return find(program.flags, name_part(word)) != nullptr;
  return find(program.flags, word.substr(0, 2)) != nullptr;
}

std::string flag_heading(const Program& program, const Flag& flag) {
  std::string text;
  if (!flag.short_name.empty()) text = fmt::format("{}, ", flag.short_name);
  text += flag.name;
  if (flag.argument.empty()) return text;
  const bool equals = program.grammar == Grammar::kGetoptLong && flag.name.starts_with("--");
  return text + (equals ? "=" : " ") + std::string(flag.argument);
}

}  // namespace headroom::interop
