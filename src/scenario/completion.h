// Shell completion scripts: subcommands and flags as the caller names them, scenario options and
// their values from the option table. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::scenario {

enum class Shell { kBash, kZsh, kFish };
// "bash", "zsh", "fish"
[[nodiscard]] std::vector<std::string> shell_names();
[[nodiscard]] std::optional<Shell> shell_by_name(std::string_view name);

struct CommandFlag {
  enum class Argument {
    kNone,
    kText,     // nothing can be offered
    kFile,     // any file
    kSetting,  // section.key=value of a scenario
    kWord,     // one of `words`
  };
  std::vector<std::string> names;  // "--output", "-o"
  std::string help;
  Argument argument = Argument::kNone;
  std::vector<std::string> words{};
};

struct Command {
  std::string name;  // "run"
  std::string help;
  std::vector<CommandFlag> flags;
  std::string file_ending{};  // of its positional arguments: "toml", "run"; empty: takes no files
  std::vector<std::string> words{};  // of which its positional argument is one; empty: any
};

// The script defines the completion of `program` (an identifier such as "headroom").
[[nodiscard]] std::string completion_script(Shell shell, std::string_view program,
                                            std::span<const Command> commands);

}  // namespace headroom::scenario
