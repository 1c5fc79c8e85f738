#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/show.h"

namespace headroom::cli {

void add_report_command(CLI::App& app, Invocation& invocation) {
  struct Flags {
    std::string file;
    bool json = false;
  };
  auto flags = std::make_shared<Flags>();
  CLI::App* const command =
      app.add_subcommand("report", "Show what a run file says: verdict, doubts, numbers.");
  command->add_option("FILE", flags->file, "A run file, sealed or not")->required();
  command->add_flag("--json", flags->json, "As JSON (docs/SUMMARY_JSON.md)");
  command->callback([flags, &invocation] {
    invocation.exit_code = show_run(flags->file, flags->json ? Format::kJson : Format::kTerminal);
  });
}

}  // namespace headroom::cli
