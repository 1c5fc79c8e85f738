// The subcommands. Each add_...() hangs one below `app` and stores the exit code of its work in
// `exit_code` when it is the one that was asked for.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace headroom::cli {

struct Invocation {
  std::string command_line;  // as typed, quoted for a shell
  int exit_code = 0;
};

void add_run_command(CLI::App& app, Invocation& invocation);
void add_report_command(CLI::App& app, Invocation& invocation);
void add_verify_command(CLI::App& app, Invocation& invocation);
void add_export_command(CLI::App& app, Invocation& invocation);
void add_completion_command(CLI::App& app, Invocation& invocation);

}  // namespace headroom::cli
