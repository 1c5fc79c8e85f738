#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "scenario/completion.h"

namespace headroom::cli {
namespace {

using scenario::CommandFlag;

// Which words the flag's argument can be completed with, by the type name that its help shows.
CommandFlag::Argument argument_of(const CLI::Option& option) {
  if (option.get_type_size() == 0) return CommandFlag::Argument::kNone;
  const std::string type = option.get_type_name();
  if (type == "FILE") return CommandFlag::Argument::kFile;
  if (type == "KEY=VALUE") return CommandFlag::Argument::kSetting;
  if (type == "FORMAT") return CommandFlag::Argument::kWord;
  return CommandFlag::Argument::kText;
}

scenario::Command describe(const CLI::App& app) {
  scenario::Command command{app.get_name(), app.get_description(), {}, {}};
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      const std::string name = option->get_name(true);
      if (name == "SCENARIO") command.file_ending = "toml";
      if (name == "FILE") command.file_ending = "run";
      continue;
    }
    CommandFlag flag;
    for (const std::string& name : option->get_lnames()) flag.names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) flag.names.push_back("-" + name);
    flag.help = option->get_description();
    flag.argument = argument_of(*option);
    if (flag.argument == CommandFlag::Argument::kWord) flag.words = {"csv", "json"};
    command.flags.push_back(std::move(flag));
  }
  return command;
}

int completion(const CLI::App& app, const std::string& shell_name) {
  const auto shell = scenario::shell_by_name(shell_name);
  if (!shell) {
    return print_error({ErrorKind::kUsage, fmt::format("completion: {} is no shell we know: bash, "
                                                       "zsh or fish",
                                                       printable(shell_name))});
  }
  std::vector<scenario::Command> commands;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    commands.push_back(describe(*sub));
  const Status printed =
      print_output(scenario::completion_script(*shell, app.get_name(), commands));
  return printed ? kDone : print_error(printed.error());
}

}  // namespace

void add_completion_command(CLI::App& app, Invocation& invocation) {
  auto shell = std::make_shared<std::string>();
  CLI::App* const command = app.add_subcommand(
      "completion", "Print the completion script for a shell: bash, zsh or fish.");
  command->add_option("SHELL", *shell, "bash, zsh or fish")->required();
  command->footer(
      "bash: source <(headroom completion bash)\n"
      "zsh:  headroom completion zsh > ~/.zfunc/_headroom  (with ~/.zfunc in fpath)\n"
      "fish: headroom completion fish > ~/.config/fish/completions/headroom.fish");
  command->callback([shell, &app, &invocation] { invocation.exit_code = completion(app, *shell); });
}

}  // namespace headroom::cli
