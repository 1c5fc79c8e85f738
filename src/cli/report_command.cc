#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/show.h"
#include "cli/terminal.h"
#include "report/figure_list.h"

namespace headroom::cli {

namespace {

struct ReportFlags {
  std::string file;
  std::string html;
  std::vector<std::string> expect;
  bool list_figures = false;
  bool json = false;
  bool open = false;
};

int report(const ReportFlags& flags) {
  if (flags.list_figures && flags.file.empty()) return print_output(report::render_figure_list());
  if (flags.list_figures) return show_figures(flags.file);
  if (flags.file.empty()) {
    print_message("headroom: report: FILE is required (see headroom report --help)\n");
    return kUsage;
  }
  if (flags.html.empty() && !flags.open)
    return show_run(flags.file, flags.json ? Format::kJson : Format::kTerminal, flags.expect);
  const std::filesystem::path page =
      flags.html.empty() ? std::filesystem::path(flags.file).replace_extension(".html")
                         : std::filesystem::path(flags.html);
  return show_page(flags.file, page, flags.open, flags.expect);
}

}  // namespace

void add_report_command(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<ReportFlags>();
  CLI::App* const command =
      app.add_subcommand("report", "Show what a run file says: verdict, doubts, numbers.");
  command->add_option("FILE", flags->file, "A run file, sealed or not");
  CLI::Option* const json =
      command->add_flag("--json", flags->json, "As JSON (docs/SUMMARY_JSON.md)");
  CLI::Option* const html =
      command
          ->add_option("--html", flags->html,
                       "Write a page with charts there instead, one file that needs no network; "
                       "overwrites nothing but an older page")
          ->type_name("PAGE")
          ->excludes(json);
  refuse_empty(*html);
  command
      ->add_flag("--open", flags->open,
                 "Show that page in the browser; without --html it is written beside the run file")
      ->excludes(json);
  add_expect_flag(*command, flags->expect);
  command->add_flag("--list-figures", flags->list_figures,
                    "List what --expect may be about; with FILE, with the values that the run has");
  command->footer(
      "Exit code 5: what was expected, by --expect or by the run's own scenario, is not met.");
  command->callback([flags, &invocation] { invocation.exit_code = report(*flags); });
}

}  // namespace headroom::cli
