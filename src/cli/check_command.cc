#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "analysis/instrument.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "lab/instrument.h"
#include "lab/interrupts.h"
#include "report/instrument.h"

namespace headroom::cli {
namespace {

constexpr std::uint64_t kMostWorkers = 64;

struct CheckFlags {
  bool quick = false;
  bool json = false;
  std::string workers = "1";
};

// One line on stderr that is drawn anew on a terminal, a line for each step elsewhere.
class StepView final : public lab::CheckObserver {
 public:
  ~StepView() override {
    if (live_) print_message("\r\x1b[K");
  }
  void step_began(std::size_t step, std::size_t steps, const std::string& name) override {
    print_message(live_ ? fmt::format("\r\x1b[Kcheck  {:>2} of {}  {}", step, steps, name)
                        : fmt::format("check  {:>2} of {}  {}\n", step, steps, name));
  }

 private:
  const bool live_ = is_terminal(STDERR_FILENO);
};

int run_check(const CheckFlags& flags) {
  lab::CheckRequest request;
  request.quick = flags.quick;
  request.workers = static_cast<std::uint32_t>(parse_count(flags.workers).value());
  lab::block_interrupts();
  const Result<analysis::InstrumentCheck> check = [&] {
    StepView view;
    lab::StopSwitch stop;
    lab::Interrupts interrupts([&stop](const std::string&) { stop.stop(); },
                               "ending the check; once more leaves at once");
    return lab::conduct_check(request, view, stop);
  }();
  if (!check) {
    return print_error({ErrorKind::kIncomplete,
                        fmt::format("the check could not be made: {}", check.error().message)});
  }
  const analysis::InstrumentVerdict verdict = analysis::judge_instrument(*check);
  const ExitCode printed = print_output(
      flags.json ? report::render_check_json(*check, verdict)
                 : report::render_check_terminal(*check, verdict, {wants_colour(STDOUT_FILENO)}));
  if (printed != kDone) return printed;
  return verdict.trust == analysis::Trust::kUntrustworthy ? kExpectation : kDone;
}

}  // namespace

void add_check_command(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<CheckFlags>();
  CLI::App* const command = app.add_subcommand(
      "check",
      "Test the instrument on this machine: is what it measures true, and up to which load?");
  command->add_flag("--quick", flags->quick, "At most some 8 s instead of some 30 s");
  command->add_flag("--json", flags->json, "Print the result as JSON (docs/CHECK.md)");
  command
      ->add_option("--workers", flags->workers,
                   "Workers at once for the timers and the ceilings, 1 to 64; default 1")
      ->type_name("N")
      ->check(CLI::Validator(
          [](const std::string& word) {
            const auto count = parse_count(word);
            if (count && *count >= 1 && *count <= kMostWorkers) return std::string();
            return fmt::format("{} is no number of workers; give 1 to {}", printable(word),
                               kMostWorkers);
          },
          ""));
  command->footer(
      "Exit codes: 0 results from this machine can be trusted, cautions included; 5 they cannot;\n"
      "4 the check was interrupted or could not be made.");
  command->callback([flags, &invocation] { invocation.exit_code = run_check(*flags); });
}

}  // namespace headroom::cli
