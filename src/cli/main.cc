#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <exception>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/terminal.h"
#include "cli/version.h"

namespace headroom::cli {
namespace {

std::vector<std::string> subcommand_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(sub->get_name());
  return names;
}

std::vector<std::string> flag_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& known) {
  const auto near = nearest(word, known);
  return near && *near != word ? fmt::format("; did you mean {}?", *near) : std::string();
}

// One line for a command line that cannot be understood: where, what, what may have been meant.
ExitCode usage_error(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  if (argc < 2) {
    print_message(app.help() + "\nheadroom: a subcommand is required\n");
    return kUsage;
  }
  std::string message = printable(error.what());
  while (!message.empty() && (message.back() == '\n' || message.back() == '.')) message.pop_back();
  const std::vector<std::string> subcommands = subcommand_names(app);
  const std::string_view first = argv[1];
  const bool known = std::ranges::find(subcommands, first) != subcommands.end();
  if (!known && !first.starts_with('-')) {
    message =
        fmt::format("{} is no subcommand{}", printable(first), did_you_mean(first, subcommands));
  } else if (!known) {
    message = fmt::format("{} does not stand before a subcommand{}", printable(first),
                          did_you_mean(first, flag_names(app)));
  } else {
    const CLI::App* command = app.get_subcommand(std::string(first));
    std::string name(first);
    int next = 2;
    if (const auto below = subcommand_names(*command); !below.empty() && argc > next) {
      const std::string_view second = argv[next];
      const bool is_one = std::ranges::find(below, second) != below.end();
      if (is_one) {
        command = command->get_subcommand(std::string(second));
        name += fmt::format(" {}", second);
        ++next;
      } else if (!second.starts_with('-')) {
        message = fmt::format("{} is none of {}{}", printable(second), fmt::join(below, ", "),
                              did_you_mean(second, below));
      }
    }
    const std::vector<std::string> flags = flag_names(*command);
    for (int i = next; i < argc; ++i) {
      const std::string_view word =
          std::string_view(argv[i]).substr(0, std::string_view(argv[i]).find('='));
      if (word.starts_with("--") && std::ranges::find(flags, word) == flags.end())
        message += did_you_mean(word, flags);
    }
    message = fmt::format("{}: {}", name, message);
  }
  print_message(fmt::format("headroom: {} (see headroom {}--help)\n", message,
                            known ? fmt::format("{} ", first) : ""));
  return kUsage;
}

int run_main(int argc, char** argv) {
  CLI::App app{"A performance lab for Valkey- and Redis-compatible caches.", "headroom"};
  app.set_version_flag("--version", fmt::format("headroom {}", kVersion));
  app.require_subcommand(1);
  app.footer(
      "Try: headroom run scenarios/first-run.toml\n"
      "Exit codes: 0 done; 2 usage or scenario; 3 target unreachable or refused; 4 run\n"
      "incomplete, or output not written; 5 expectation not met, worse than the baseline, run "
      "file\n"
      "changed since it was sealed, or machine not to be trusted; 6 teardown not verified;\n"
      "7 comparison invalid; 70 a bug of ours; 141 the reader of our output went away.");
  Invocation invocation;
  const std::vector<std::string> words(argv, argv + argc);
  invocation.command_line = quoted_words(words);
  add_run_command(app, invocation);
  add_bench_command(app, invocation);
  add_report_command(app, invocation);
  add_serve_command(app, invocation);
  add_verify_command(app, invocation);
  add_compare_command(app, invocation);
  add_import_command(app, invocation);
  add_export_command(app, invocation);
  add_check_command(app, invocation);
  add_node_command(app, invocation);
  add_completion_command(app, invocation);
  add_help_command(app, invocation);
  // What follows is in the language of other programs.
  if (argc > 1 && words[1] == kBenchName) return bench(std::span(words).subspan(2));
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help, --version
    std::ostringstream text;
    app.exit(wanted, text, text);
    return print_output(text.str());
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error, argc, argv);
  }
  return invocation.exit_code;
}

}  // namespace
}  // namespace headroom::cli

int main(int argc, char** argv) {
  // A write that fails says so by its result: no reader, or more than the file may hold.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  headroom::cli::open_standard_descriptors();
  try {
    return headroom::cli::run_main(argc, argv);
  } catch (const std::exception& error) {
    headroom::cli::print_message(
        fmt::format("headroom: internal error: {}. Please report it.\n", error.what()));
    return headroom::cli::kInternal;
  }
}
