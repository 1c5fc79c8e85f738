#include <csignal>
#include <cstdio>
#include <exception>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_code.h"
#include "cli/version.h"

namespace headroom::cli {
namespace {

// Quoted where a shell would need it, so that the line in the run file can be typed again.
std::string quoted_command_line(int argc, char** argv) {
  std::string line;
  for (int i = 0; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (i > 0) line += ' ';
    constexpr std::string_view kPlain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%";
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

// The subcommands and long flags that could have been meant.
std::vector<std::string> known_words(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    words.push_back(sub->get_name());
    for (const CLI::Option* option : sub->get_options()) {
      for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
    }
  }
  return words;
}

// One line for a command line that cannot be understood.
int usage_error(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  std::string message(error.what());
  std::string hint;
  const std::vector<std::string> words = known_words(app);
  for (int i = 1; i < argc; ++i) {
    const std::string_view word(argv[i]);
    const std::string name(word.substr(0, word.find('=')));
    if (message.find(name) == std::string::npos) continue;
    if (const auto near = nearest(name, words); near && *near != name)
      hint = fmt::format("; did you mean {}?", *near);
  }
  while (!message.empty() && (message.back() == '\n' || message.back() == '.')) message.pop_back();
  fmt::print(stderr, "headroom: {}{} (see headroom --help)\n", printable(message), hint);
  return kUsage;
}

int run_main(int argc, char** argv) {
  CLI::App app{"A performance lab for Valkey- and Redis-compatible caches.", "headroom"};
  app.set_version_flag("--version", fmt::format("headroom {}", kVersion));
  app.require_subcommand(1);
  app.footer(
      "Try: headroom run scenarios/first-run.toml\n"
      "Exit codes: 0 done; 2 usage or scenario; 3 target unreachable or refused; 4 run incomplete;\n"
      "5 an expectation failed; 6 teardown not verified; 70 a bug of ours.");
  Invocation invocation;
  invocation.command_line = quoted_command_line(argc, argv);
  add_run_command(app, invocation);
  add_report_command(app, invocation);
  add_verify_command(app, invocation);
  add_export_command(app, invocation);
  add_completion_command(app, invocation);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help, --version
    return app.exit(wanted);
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error, argc, argv);
  }
  return invocation.exit_code;
}

}  // namespace
}  // namespace headroom::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a write that fails says so by its result
  try {
    return headroom::cli::run_main(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "headroom: internal error: {}. Please report it.\n", error.what());
    return headroom::cli::kInternal;
  }
}
