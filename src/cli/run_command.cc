#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/commands.h"
#include "cli/conducted.h"
#include "cli/file_hints.h"
#include "cli/progress_view.h"
#include "cli/show.h"
#include "cli/terminal.h"
#include "cli/version.h"
#include "lab/interrupts.h"
#include "lab/plan.h"
#include "lab/run.h"
#include "load/fleet.h"
#include "scenario/help.h"
#include "scenario/parse.h"
#include "scenario/print.h"
#include "target/target.h"

namespace headroom::cli {
namespace {

struct RunFlags {
  std::string scenario_file;
  std::vector<std::string> overrides;
  std::string output;
  bool dry_run = false;
  bool json = false;
  bool quiet = false;
};

int run(const RunFlags& flags, const std::string& command_line) {
  if (const Status plausible = check_scenario_file(flags.scenario_file); !plausible)
    return print_error(plausible.error());
  auto scenario = scenario::load_scenario(flags.scenario_file, flags.overrides);
  if (!scenario) return print_error(scenario.error());
  if (flags.dry_run) {
    // A run would not begin either.
    if (const Status fit = target::preflight(scenario->target); !fit)
      return print_error(fit.error());
    const auto trace = load::look_through_trace(*scenario);
    if (!trace) return print_error(trace.error());
    return print_output(
        fmt::format("{}\n# What this will do:\n{}", scenario::print_scenario(*scenario),
                    commented(lab::describe_plan(*scenario, *trace, flags.output))));
  }

  lab::block_interrupts();
  lab::RunRequest request;
  request.scenario = std::move(*scenario);
  request.output = flags.output;
  request.command_line = command_line;
  request.tool_version = kVersion;
  Result<lab::RunResult> result = [&] {
    ProgressView view(progress_style(flags.quiet), real_clock());
    return lab::conduct_run(request, view);
  }();
  if (!result) return print_error(result.error());

  const ExitCode shown = show_run(result->file, flags.json ? Format::kJson : Format::kTerminal);
  const ExitCode code = result_exit_code(*result);
  return code == kDone ? shown : code;
}

}  // namespace

void add_run_command(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<RunFlags>();
  CLI::App* const command =
      app.add_subcommand("run", "Run a scenario: provision, load, measure, tear down, seal.");
  command->add_option("SCENARIO", flags->scenario_file, "The scenario, a TOML file")->required();
  command
      ->add_option(
          "--set", flags->overrides,
          "Override one option of the scenario, e.g. --set load.workers=9; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  CLI::Option* const output =
      command
          ->add_option(
              "-o,--output", flags->output,
              "The run file to write, with the folders that it is in; never overwrites. Default: "
              "runs/<scenario>-<UTC time>.run")
          ->type_name("FILE");
  refuse_empty(*output);
  CLI::Option* const dry_run = command->add_flag(
      "--dry-run", flags->dry_run,
      "Print the fully resolved scenario and what would be done; contact nothing");
  command
      ->add_flag("--json", flags->json, "Print the closing summary as JSON (docs/SUMMARY_JSON.md)")
      ->excludes(dry_run);
  command->add_flag("--quiet", flags->quiet, "Draw no progress");
  command->footer(std::function<std::string()>(scenario::options_help));
  command->callback(
      [flags, &invocation] { invocation.exit_code = run(*flags, invocation.command_line); });
}

}  // namespace headroom::cli
