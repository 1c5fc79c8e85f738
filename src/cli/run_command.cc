#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cli/baseline.h"
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
#include "scenario/expectation.h"
#include "scenario/help.h"
#include "scenario/parse.h"
#include "scenario/print.h"
#include "serve/http_server.h"
#include "serve/live_run.h"
#include "store/run_reader.h"
#include "target/target.h"

namespace headroom::cli {
namespace {

struct RunFlags {
  std::string scenario_file;
  std::vector<std::string> overrides;
  std::vector<std::string> expect;
  std::vector<std::string> baseline;
  std::string margin;
  std::string output;
  bool dry_run = false;
  bool json = false;
  bool quiet = false;
  std::string serve;  // where to; empty: nowhere
};

// The page of a run that goes, if it was asked for. Ends when every viewer has the last of it.
class LivePage {
 public:
  Status start(const std::string& where) {
    const auto address = serve::parse_listen_address(where);
    if (!address)
      return fail(address.error().kind, "--serve {} (behind the scenario, or as --serve={})",
                  address.error().message, serve::kDefaultListen);
    live_ = std::make_unique<serve::LiveRun>();
    auto server = serve::HttpServer::start(
        *address,
        [live = live_.get()](const serve::HttpRequest& request) { return live->answer(request); });
    if (!server) return fail(server.error());
    server_ = std::move(*server);
    const serve::ListenAddress& listening = server_->address();
    print_message(fmt::format("page      {}\n", listening.url()));
    if (!listening.is_loopback())
      print_message("headroom: others can reach this address, and there is no password\n");
    return {};
  }
  ~LivePage() {
    if (live_) live_->close(kFarewell);
  }
  [[nodiscard]] record::Follower* follower() const { return live_.get(); }

 private:
  // How long viewers may take to fetch the last of it.
  static constexpr Nanos kFarewell = std::chrono::seconds{3};

  std::unique_ptr<serve::LiveRun> live_;
  std::unique_ptr<serve::HttpServer> server_;  // ends before what it shows
};

int run(const RunFlags& flags, const std::string& command_line) {
  if (const Status plausible = check_scenario_file(flags.scenario_file); !plausible)
    return print_error(plausible.error());
  auto scenario = scenario::load_scenario(flags.scenario_file, flags.overrides);
  if (!scenario) return print_error(scenario.error());
  if (const Status fit = scenario::add_expectations(*scenario, "--expect", flags.expect); !fit)
    return print_error(fit.error());
  std::optional<double> margin;
  if (!flags.margin.empty()) {
    const auto read = read_percent("--margin", flags.margin);
    if (!read) return print_error(read.error());
    margin = *read;
  }
  for (const std::string& file : flags.baseline) {
    if (const auto readable = store::verify_run(file); !readable)
      return print_error(readable.error());
  }
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
  LivePage page;
  if (!flags.serve.empty()) {
    if (const Status started = page.start(flags.serve); !started)
      return print_error(started.error());
  }
  request.follower = page.follower();
  Result<lab::RunResult> result = [&] {
    ProgressView view(progress_style(flags.quiet), real_clock());
    return lab::conduct_run(request, view);
  }();
  if (!result) return print_error(result.error());

  const ExitCode shown = show_run(result->file, flags.json ? Format::kJson : Format::kTerminal);
  const ExitCode code = result_exit_code(*result);
  if (code != kDone || flags.baseline.empty()) return code == kDone ? shown : code;
  const ExitCode held = hold_against_baseline(result->file.string(), flags.baseline, margin);
  return shown == kDone ? held : shown;
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
  add_expect_flag(*command, flags->expect);
  CLI::Option* const baseline =
      command
          ->add_option("--baseline", flags->baseline,
                       "Older runs that this one is held against: exit code 5 if a figure got "
                       "worse, by more than --margin")
          ->type_name("FILE");
  command
      ->add_option("--margin", flags->margin,
                   "By how much a figure may be worse than the baseline's, such as 5%")
      ->type_name("PERCENT")
      ->needs(baseline);
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
  CLI::Option* const serve =
      command
          ->add_option("--serve", flags->serve,
                       "Show the run as a page that grows while it goes, with /metrics for "
                       "Prometheus; only this machine can reach it unless told otherwise")
          ->type_name("[ADDR:PORT]")
          ->expected(0, 1)
          ->default_str(std::string(serve::kDefaultListen))
          ->excludes(dry_run);
  refuse_empty(*serve);
  command->footer(std::function<std::string()>(scenario::options_help));
  command->callback(
      [flags, &invocation] { invocation.exit_code = run(*flags, invocation.command_line); });
}

}  // namespace headroom::cli
