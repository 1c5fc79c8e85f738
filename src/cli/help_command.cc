#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/terminal.h"

namespace headroom::cli {

void add_help_command(CLI::App& app, Invocation& invocation) {
  auto about = std::make_shared<std::string>();
  CLI::App* const command =
      app.add_subcommand("help", "Show the help of a subcommand, or this page.");
  CLI::Option* const name = command->add_option("SUBCOMMAND", *about, "Which; without one: all");
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  accept_words(*name, std::move(names), invocation);
  command->callback([about, &app, &invocation] {
    // app.help() would show the subcommand that was asked for, which is this one.
    const std::string text = about->empty() ? app.get_formatter()->make_help(
                                                  &app, app.get_name(), CLI::AppFormatMode::Normal)
                                            : app.get_subcommand(*about)->help(app.get_name());
    invocation.exit_code = print_output(text);
  });
}

}  // namespace headroom::cli
