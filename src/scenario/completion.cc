#include "scenario/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "scenario/options.h"

namespace headroom::scenario {
namespace {

using Argument = CommandFlag::Argument;

constexpr std::array kShells = {std::pair{std::string_view("bash"), Shell::kBash},
                                std::pair{std::string_view("zsh"), Shell::kZsh},
                                std::pair{std::string_view("fish"), Shell::kFish}};

std::string spaced(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

// A word in single quotes, for any of the three shells.
std::string shell_quoted(std::string_view text, std::string_view apostrophe = R"('\'')") {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'') {
      result += apostrophe;
    } else {
      result += c;
    }
  }
  return result + "'";
}

// The first sentence of a help text, for a menu.
std::string_view first_sentence(std::string_view text) {
  const std::size_t end = text.find(". ");
  text = text.substr(0, end);
  if (text.ends_with('.')) text.remove_suffix(1);
  return text;
}

// ---- bash

std::string bash_flag_cases(const Command& command) {
  std::string text;
  for (const CommandFlag& flag : command.flags) {
    std::string action;
    if (flag.argument == Argument::kText) action = ":";
    if (flag.argument == Argument::kFile) action = "compopt -o filenames; offer -f";
    if (flag.argument == Argument::kSetting) action = "offer_settings";
    if (flag.argument == Argument::kWord)
      action = fmt::format("offer -W {}", shell_quoted(spaced(flag.words)));
    if (action.empty()) continue;
    text += fmt::format("        {}) {}; return ;;\n", fmt::join(flag.names, "|"), action);
  }
  return text;
}

std::string bash_command(const Command& command) {
  std::vector<std::string> flags;
  for (const CommandFlag& flag : command.flags)
    flags.insert(flags.end(), flag.names.begin(), flag.names.end());
  std::string text = fmt::format("    {})\n", command.name);
  if (const std::string cases = bash_flag_cases(command); !cases.empty())
    text += fmt::format("      case $previous in\n{}      esac\n", cases);
  text += fmt::format("      if [[ $current == -* ]]; then offer -W {}; return; fi\n",
                      shell_quoted(spaced(flags)));
  if (!command.file_ending.empty()) {
    text += fmt::format("      compopt -o filenames; offer -f -X '!*.{}'; offer_more -d\n",
                        command.file_ending);
  }
  if (!command.words.empty())
    text += fmt::format("      offer -W {}\n", shell_quoted(spaced(command.words)));
  return text + "      ;;\n";
}

std::string bash_script(std::string_view program, std::span<const Command> commands) {
  std::vector<std::string> keys;
  std::string values;
  for (const Option& option : option_table()) {
    keys.push_back(option.key() + "=");
    const auto words = known_words(option.type);
    if (words.empty()) continue;
    values += fmt::format("      {}) offer -W {} ;;\n", option.key(),
                          shell_quoted(fmt::format("{}", fmt::join(words, " "))));
  }
  std::vector<std::string> names;
  std::string cases;
  for (const Command& command : commands) {
    names.push_back(command.name);
    cases += bash_command(command);
  }
  // bash splits words at "=": KEY=VALUE arrives as three words.
  return fmt::format(R"(# bash completion for {0}
_{0}() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} key=
  COMPREPLY=()
  offer_more() {{ mapfile -t -O "${{#COMPREPLY[@]}}" COMPREPLY < <(compgen "$@" -- "$current"); }}
  offer() {{ COMPREPLY=(); offer_more "$@"; }}
  offer_settings() {{ compopt -o nospace; offer -W {1}; }}
  if [[ $current == = ]]; then
    key=$previous current=
  elif [[ $previous == = ]]; then
    key=${{COMP_WORDS[COMP_CWORD - 2]}}
  fi
  if [[ -n $key && $key != -* ]]; then
    case $key in
{2}    esac
    return
  fi
  [[ -n $key ]] && previous=$key
  if ((COMP_CWORD == 1)); then offer -W {3}; return; fi
  case ${{COMP_WORDS[1]}} in
{4}  esac
}}
complete -F _{0} {0}
)",
                     program, shell_quoted(spaced(keys)), values, shell_quoted(spaced(names)),
                     cases);
}

// ---- zsh

// Escapes what the specifications of _arguments and _describe give a meaning.
std::string zsh_text(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == ':' || c == '[' || c == ']' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_flag(std::string_view program, const CommandFlag& flag) {
  std::string action;
  if (flag.argument == Argument::kText) action = ":value: ";
  if (flag.argument == Argument::kFile) action = ":file:_files";
  if (flag.argument == Argument::kSetting) action = fmt::format(":setting:_{}_settings", program);
  if (flag.argument == Argument::kWord) action = fmt::format(":word:({})", spaced(flag.words));
  std::string text;
  for (const std::string& name : flag.names) {
    // --long=VALUE works as well as --long VALUE; -s only as two words.
    const bool equals = !action.empty() && name.starts_with("--");
    text += fmt::format(" \\\n        {}",
                        shell_quoted(fmt::format("*{}{}[{}]{}", name, equals ? "=" : "",
                                                 zsh_text(flag.help), action)));
  }
  return text;
}

std::string zsh_script(std::string_view program, std::span<const Command> commands) {
  std::string keys;
  std::string values;
  for (const Option& option : option_table()) {
    keys += fmt::format(
        "      {}\n",
        shell_quoted(fmt::format("{}:{}", option.key(), zsh_text(first_sentence(option.help)))));
    const auto words = known_words(option.type);
    if (words.empty()) continue;
    values += fmt::format("      {}) compadd -- {} ;;\n", option.key(), fmt::join(words, " "));
  }
  std::string names;
  std::string cases;
  for (const Command& command : commands) {
    names += fmt::format("      {}\n",
                         shell_quoted(fmt::format("{}:{}", command.name, zsh_text(command.help))));
    cases += fmt::format("    {})\n      _arguments", command.name);
    for (const CommandFlag& flag : command.flags) cases += zsh_flag(program, flag);
    if (!command.file_ending.empty()) {
      cases +=
          fmt::format(" \\\n        {}",
                      shell_quoted(fmt::format("*:file:_files -g \"*.{}\"", command.file_ending)));
    }
    if (!command.words.empty())
      cases += fmt::format(" \\\n        '1:word:({})'", spaced(command.words));
    cases += "\n      ;;\n";
  }
  return fmt::format(R"(#compdef {0}
_{0}_settings() {{
  if compset -P '*='; then
    case ${{${{IPREFIX%=}}##*=}} in
{2}    esac
  else
    local -a settings=(
{1}    )
    _describe -t settings 'scenario option' settings -S =
  fi
}}
_{0}() {{
  if ((CURRENT == 2)); then
    local -a commands=(
{3}    )
    _describe -t commands command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
{4}  esac
}}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _{0} "$@"; else compdef _{0} {0}; fi
)",
                     program, keys, values, names, cases);
}

// ---- fish

std::string fish_quoted(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\') escaped += '\\';
    escaped += c;
  }
  return shell_quoted(escaped, R"(\')");
}

std::string fish_flag(std::string_view program, const Command& command, const CommandFlag& flag) {
  std::string text =
      fmt::format("complete -c {} -n '__fish_seen_subcommand_from {}'", program, command.name);
  for (const std::string& name : flag.names) {
    text += name.starts_with("--") ? fmt::format(" -l {}", name.substr(2))
                                   : fmt::format(" -s {}", name.substr(1));
  }
  switch (flag.argument) {
    case Argument::kNone:
      break;
    case Argument::kText:
      text += " -x";
      break;
    case Argument::kFile:
      text += " -rF";
      break;
    case Argument::kSetting:
      text += fmt::format(" -x -a '(__{}_settings)'", program);
      break;
    case Argument::kWord:
      text += fmt::format(" -x -a '{}'", spaced(flag.words));
      break;
  }
  return fmt::format("{} -d {}\n", text, fish_quoted(flag.help));
}

std::string fish_script(std::string_view program, std::span<const Command> commands) {
  std::string text = fmt::format("# fish completion for {0}\nfunction __{0}_settings\n", program);
  for (const Option& option : option_table()) {
    text += fmt::format("  printf '%s\\t%s\\n' {}= {}\n", option.key(),
                        fish_quoted(first_sentence(option.help)));
    for (const std::string_view word : known_words(option.type))
      text += fmt::format("  printf '%s\\n' {}={}\n", option.key(), word);
  }
  text += fmt::format("end\ncomplete -c {} -f\n", program);
  for (const Command& command : commands) {
    text += fmt::format("complete -c {} -n __fish_use_subcommand -a {} -d {}\n", program,
                        command.name, fish_quoted(command.help));
    for (const CommandFlag& flag : command.flags) text += fish_flag(program, command, flag);
    if (!command.file_ending.empty()) {
      text += fmt::format(
          "complete -c {} -n '__fish_seen_subcommand_from {}' -k -a '(__fish_complete_suffix "
          ".{})'\n",
          program, command.name, command.file_ending);
    }
    if (!command.words.empty()) {
      text += fmt::format("complete -c {} -n '__fish_seen_subcommand_from {}' -a '{}'\n", program,
                          command.name, spaced(command.words));
    }
  }
  return text;
}

}  // namespace

std::vector<std::string> shell_names() {
  std::vector<std::string> names;
  for (const auto& [name, shell] : kShells) names.emplace_back(name);
  return names;
}

std::optional<Shell> shell_by_name(std::string_view name) {
  for (const auto& [shell_name, shell] : kShells)
    if (shell_name == name) return shell;
  return std::nullopt;
}

std::string completion_script(Shell shell, std::string_view program,
                              std::span<const Command> commands) {
  switch (shell) {
    case Shell::kBash:
      return bash_script(program, commands);
    case Shell::kZsh:
      return zsh_script(program, commands);
    case Shell::kFish:
      break;
  }
  return fish_script(program, commands);
}

}  // namespace headroom::scenario
