#include <unistd.h>

#include <memory>
#include <string>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "interop/run_summaries.h"
#include "report/arms_terminal.h"

namespace headroom::cli {
namespace {

int import_summary(const std::string& file) {
  const auto text = read_file(file);
  if (!text) return print_error(text.error());
  const auto arms = interop::read_run_summaries(*text, file);
  if (!arms) return print_error(arms.error());
  return print_output(report::render_arms_terminal(*arms, {wants_colour(STDOUT_FILENO)}));
}

}  // namespace

void add_import_command(CLI::App& app, Invocation& invocation) {
  struct Flags {
    std::string kind;
    std::string file;
  };
  auto flags = std::make_shared<Flags>();
  CLI::App* const command = app.add_subcommand(
      "import", "Check a table of other tools' results and show what is known of it.");
  CLI::Option* const kind = command->add_option("KIND", flags->kind, "summary")->required();
  accept_words(*kind, {"summary"}, invocation);
  command->add_option("FILE", flags->file, "A table of run summaries (docs/RUN_SUMMARIES.md)")
      ->required();
  command->footer("headroom compare takes such a table as it is, alone or beside run files.");
  command->callback([flags, &invocation] { invocation.exit_code = import_summary(flags->file); });
}

}  // namespace headroom::cli
