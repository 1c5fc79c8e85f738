#include <fmt/format.h>

#include <memory>
#include <string>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "report/csv.h"
#include "report/json.h"
#include "store/run_reader.h"

namespace headroom::cli {
namespace {

struct ExportFlags {
  std::string file;
  std::string format = "csv";
  std::string output;
};

int export_series(const ExportFlags& flags) {
  const auto run = store::read_run(flags.file);
  if (!run) return print_error(run.error());
  const std::string text =
      flags.format == "csv" ? report::render_csv(*run) : report::render_series_json(*run);
  const Status written = flags.output.empty() ? print_output(text) : write_file(flags.output, text);
  return written ? kDone : print_error(written.error());
}

}  // namespace

void add_export_command(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<ExportFlags>();
  CLI::App* const command =
      app.add_subcommand("export", "Write a run's series, a row a second, as CSV or JSON.");
  command->add_option("FILE", flags->file, "A run file, sealed or not")->required();
  command->add_option("--format", flags->format, "csv or json")
      ->type_name("FORMAT")
      ->check(CLI::IsMember({"csv", "json"}))
      ->capture_default_str();
  command->add_option("-o,--output", flags->output, "Write there instead of standard output")
      ->type_name("FILE");
  command->callback([flags, &invocation] { invocation.exit_code = export_series(*flags); });
}

}  // namespace headroom::cli
