#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/terminal.h"
#include "scenario/completion.h"

namespace headroom::cli {
namespace {

using scenario::CommandFlag;

// What the flag's argument can be completed with, by the type name that its help shows.
CommandFlag::Argument argument_of(const CLI::Option& option) {
  if (option.get_expected_max() == 0) return CommandFlag::Argument::kNone;
  const std::string type = option.get_type_name();
  if (type == "FILE") return CommandFlag::Argument::kFile;
  if (type == "KEY=VALUE") return CommandFlag::Argument::kSetting;
  return CommandFlag::Argument::kText;
}

scenario::Command describe(const CLI::App& app, const Invocation& invocation) {
  scenario::Command command{app.get_name(), app.get_description(), {}, {}, {}};
  // What stands below a subcommand (node ls) is offered as a word of it, with all their flags.
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    command.words.push_back(sub->get_name());
    for (CommandFlag& flag : describe(*sub, invocation).flags) {
      const auto same = [&](const CommandFlag& other) { return other.names == flag.names; };
      if (std::ranges::none_of(command.flags, same)) command.flags.push_back(std::move(flag));
    }
  }
  for (const CLI::Option* option : app.get_options()) {
    const auto words = invocation.words.find(option);
    const bool has_words = words != invocation.words.end();
    if (option->get_positional()) {
      const std::string name = option->get_name(true);
      if (name == "SCENARIO") command.file_ending = "toml";
      if (name == "FILE") command.file_ending = "run";
      if (has_words) command.words = words->second;
      continue;
    }
    CommandFlag flag;
    for (const std::string& name : option->get_lnames()) flag.names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) flag.names.push_back("-" + name);
    flag.help = option->get_description();
    flag.argument = has_words ? CommandFlag::Argument::kWord : argument_of(*option);
    if (has_words) flag.words = words->second;
    const auto same = [&](const CommandFlag& other) { return other.names == flag.names; };
    if (std::ranges::none_of(command.flags, same)) command.flags.push_back(std::move(flag));
  }
  if (const auto foreign = invocation.foreign_flags.find(&app);
      foreign != invocation.foreign_flags.end()) {
    command.flags = foreign->second;
  }
  return command;
}

ExitCode completion(const CLI::App& app, const Invocation& invocation, scenario::Shell shell) {
  std::vector<scenario::Command> commands;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    commands.push_back(describe(*sub, invocation));
  return print_output(scenario::completion_script(shell, app.get_name(), commands));
}

}  // namespace

void add_completion_command(CLI::App& app, Invocation& invocation) {
  auto shell = std::make_shared<std::string>();
  CLI::App* const command = app.add_subcommand(
      "completion", "Print the completion script for a shell: bash, zsh or fish.");
  CLI::Option* const option = command->add_option("SHELL", *shell, "bash, zsh or fish")->required();
  accept_words(*option, scenario::shell_names(), invocation);
  command->footer(
      "bash: source <(headroom completion bash)\n"
      "zsh:  headroom completion zsh > ~/.zfunc/_headroom  (with ~/.zfunc in fpath)\n"
      "fish: headroom completion fish > ~/.config/fish/completions/headroom.fish");
  command->callback([shell, &app, &invocation] {
    invocation.exit_code = completion(app, invocation, scenario::shell_by_name(*shell).value());
  });
}

}  // namespace headroom::cli
