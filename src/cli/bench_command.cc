#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/conducted.h"
#include "cli/progress_view.h"
#include "cli/show.h"
#include "cli/terminal.h"
#include "cli/version.h"
#include "interop/bench.h"
#include "interop/bench_help.h"
#include "interop/benchmark_lines.h"
#include "interop/hdr_histogram.h"
#include "interop/measured.h"
#include "interop/memtier_json.h"
#include "lab/interrupts.h"
#include "lab/run.h"
#include "scenario/print.h"
#include "store/run_reader.h"

namespace headroom::cli {
namespace {

namespace fs = std::filesystem;
using interop::BenchPlan;

std::uint64_t fresh_seed() {
  std::random_device device;
  return std::uint64_t{device()} << 32U | device();
}

std::string explanation(const BenchPlan& plan) {
  std::string text = fmt::format("# Read as the command line of {}.\n", plan.reading);
  for (const std::string& note : plan.notes) text += fmt::format("# {}.\n", note);
  if (!plan.password.empty()) {
    text += fmt::format("# The password was left out: {} has to hold it.\n",
                        interop::kPasswordVariable);
  }
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    if (plan.runs.size() > 1)
      text += fmt::format("\n# Run {} of {}, a scenario of its own.", i + 1, plan.runs.size());
    text += "\n" + scenario::print_scenario(plan.runs[i].scenario);
  }
  return text;
}

// The file of run `index`, counted from 0: "x.run", "x-2.run". Empty: the default place.
fs::path run_file(const std::string& name, std::size_t index) {
  if (name.empty() || index == 0) return name;
  const fs::path path(name);
  return path.parent_path() /
         fmt::format("{}-{}{}", path.stem().string(), index + 1, path.extension().string());
}

// What one command line's runs leave.
class Bench {
 public:
  Bench(BenchPlan plan, std::string command_line)
      : plan_(std::move(plan)), command_line_(std::move(command_line)) {}

  ExitCode conduct() {
    if (!plan_.password.empty()) {
      // Of our own environment alone: it is neither inherited from the shell nor shown by the
      // process list.
      ::setenv(std::string(interop::kPasswordVariable).c_str(), plan_.password.c_str(), 1);
    }
    lab::block_interrupts();
    ExitCode code = print_csv_header();
    for (std::size_t i = 0; i < plan_.runs.size() && code == kDone; ++i) code = conduct(i);
    const ExitCode written = write_files();
    return code == kDone ? written : code;
  }

 private:
  ExitCode print_csv_header() const {
    return plan_.output.csv ? print_output(interop::benchmark_csv_header()) : kDone;
  }

  ExitCode conduct(std::size_t index) {
    lab::RunRequest request;
    request.scenario = plan_.runs[index].scenario;
    request.output = run_file(plan_.output.run_file, index);
    request.command_line = command_line_;
    request.tool_version = kVersion;
    Result<lab::RunResult> result = [&] {
      ProgressView view(progress_style(plan_.output.quiet), real_clock());
      return lab::conduct_run(request, view);
    }();
    if (!result) return print_error(result.error());
    const ExitCode shown = show(plan_.runs[index].test, result->file);
    const ExitCode code = result_exit_code(*result);
    return code == kDone ? shown : code;
  }

  // What the user asked to see of a run, and what files of other programs' shapes need.
  ExitCode show(const std::string& test, const fs::path& file) {
    const interop::BenchOutput& output = plan_.output;
    auto run = store::read_run(file);
    if (!run) return print_error(run.error());
    runs_.push_back(std::move(*run));
    if (output.csv)
      return print_output(interop::benchmark_csv_row(test, runs_.back(), output.precision));
    if (output.one_line)
      return print_output(interop::benchmark_line(test, runs_.back(), output.precision));
    const Format format = output.json_summary ? Format::kJson : Format::kTerminal;
    if (output.text_file.empty()) return show_run(file, format);
    auto text = render_run(file, format, false);
    if (!text) return print_error(text.error());
    pages_ += text->text;
    return tell_unmet(text->unmet);
  }

  ExitCode write_files() const {
    const interop::BenchOutput& output = plan_.output;
    if (runs_.empty()) return kDone;
    Status written;
    if (!output.text_file.empty()) written = write_file(output.text_file, pages_);
    if (written && !output.json_file.empty()) {
      written =
          write_file(output.json_file, interop::render_memtier_json(runs_, output.percentiles));
    }
    for (std::size_t i = 0; written && !output.hdr_prefix.empty() && i < runs_.size(); ++i)
      written = write_histograms(runs_[i], i + 1);
    return written ? kDone : print_error(written.error());
  }

  // PREFIX_SET_command_run_1.txt and .hgrm, PREFIX_FULL_RUN_1.txt and .hgrm; none of a command that
  // never completed.
  [[nodiscard]] Status write_histograms(const record::Run& run, std::size_t number) const {
    const interop::Measured measured = interop::measured(run);
    const auto write = [&](const std::string& name, const std::string& what,
                           const stats::Histogram& histogram) -> Status {
      if (histogram.empty()) return {};
      const std::string stem = fmt::format("{}_{}_{}", plan_.output.hdr_prefix, name, number);
      const std::string title = fmt::format("{} HDR latency histogram results", what);
      if (Status text = write_file(stem + ".txt", interop::hdr_percentiles(histogram)); !text)
        return text;
      return write_file(stem + ".hgrm",
                        interop::hdr_log(histogram, title, measured.begin, measured.end));
    };
    for (std::size_t i = 0; i < measured.names.size(); ++i) {
      const std::string& name = measured.names[i];
      if (Status done = write(name + "_command_run", name + " command",
                              measured.whole.operations[i].completed);
          !done) {
        return done;
      }
    }
    return write("FULL_RUN", "Full Run command", measured.whole.all.completed);
  }

  const BenchPlan plan_;
  const std::string command_line_;
  std::vector<record::Run> runs_;
  std::string pages_;
};

scenario::CommandFlag completed_flag(const interop::Flag& flag) {
  scenario::CommandFlag result;
  result.names.emplace_back(flag.name);
  if (!flag.short_name.empty()) result.names.emplace_back(flag.short_name);
  using Argument = scenario::CommandFlag::Argument;
  const bool is_file = flag.argument == "FILE" || flag.argument == "SOCKET";
  result.argument = flag.argument.empty()          ? Argument::kNone
                    : flag.argument == "KEY=VALUE" ? Argument::kSetting
                    : is_file                      ? Argument::kFile
                                                   : Argument::kText;
  return result;
}

// Of both programs, each name once; what is refused is not offered.
std::vector<scenario::CommandFlag> completed_flags() {
  std::vector<scenario::CommandFlag> flags;
  for (const interop::Flag& flag : interop::own_flags()) {
    flags.push_back(completed_flag(flag));
    flags.back().help = flag.does;
  }
  for (const interop::Dialect dialect : {interop::Dialect::kMemtier, interop::Dialect::kValkey}) {
    const interop::Program& program = interop::program_of(dialect);
    for (const interop::Flag& flag : program.flags) {
      const bool is_long = flag.name.starts_with("--");
      const bool is_known = std::ranges::any_of(
          flags, [&](const auto& known) { return known.names.front() == flag.name; });
      if (!is_long || is_known || flag.handling == interop::Handling::kRefused) continue;
      flags.push_back(completed_flag(flag));
      flags.back().names.resize(1);  // short ones mean different things to the two
      flags.back().help = fmt::format("as of {}", program.name);
    }
  }
  return flags;
}

}  // namespace

int bench(std::span<const std::string> words) {
  if (std::ranges::find(words, "--help") != words.end()) return print_output(interop::bench_help());
  if (words.empty()) {
    print_message(
        "headroom: bench: give the flags of memtier_benchmark or of valkey-benchmark, such as "
        "headroom bench -s 127.0.0.1 --test-time=10 (see headroom bench --help)\n");
    return kUsage;
  }
  auto plan = interop::read_bench(words, fresh_seed());
  if (!plan) return print_error(plan.error());
  if (plan->output.explain) return print_output(explanation(*plan));
  if (!plan->output.quiet) {
    std::string text = fmt::format("reading   {}\n", plan->reading);
    for (const std::string& note : plan->notes) text += fmt::format("note      {}\n", note);
    print_message(text);
  }
  std::vector<std::string> shown = {"headroom", std::string(kBenchName)};
  shown.insert(shown.end(), plan->shown_words.begin(), plan->shown_words.end());
  const std::string command_line = quoted_words(shown);
  return Bench(std::move(*plan), command_line).conduct();
}

void add_bench_command(CLI::App& app, Invocation& invocation) {
  CLI::App* const command = app.add_subcommand(
      std::string(kBenchName), "Run what a memtier_benchmark or valkey-benchmark line asks for.");
  command->formatter_fn([](const CLI::App* /*app*/, const std::string& /*name*/,
                           CLI::AppFormatMode /*mode*/) { return interop::bench_help(); });
  invocation.foreign_flags[command] = completed_flags();
}

}  // namespace headroom::cli
