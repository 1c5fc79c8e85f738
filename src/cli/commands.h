// The subcommands. Each add_...() hangs one below `app` and stores the exit code of its work in
// `exit_code` when it is the one that was asked for.
#pragma once

#include <CLI/CLI.hpp>

#include <map>
#include <string>
#include <vector>

namespace headroom::cli {

struct Invocation {
  std::string command_line;  // as typed, quoted for a shell
  int exit_code = 0;
  // Of the options that take one of a few words: which.
  std::map<const CLI::Option*, std::vector<std::string>> words;
};

// Makes `option` refuse all but these words, and shell completion offer them.
void accept_words(CLI::Option& option, std::vector<std::string> words, Invocation& invocation);

// Makes `option` refuse an empty word, which is a variable that a script forgot to set.
void refuse_empty(CLI::Option& option);

void add_run_command(CLI::App& app, Invocation& invocation);
void add_report_command(CLI::App& app, Invocation& invocation);
void add_verify_command(CLI::App& app, Invocation& invocation);
void add_check_command(CLI::App& app, Invocation& invocation);
void add_export_command(CLI::App& app, Invocation& invocation);
void add_completion_command(CLI::App& app, Invocation& invocation);
// After all others, whose names it takes.
void add_help_command(CLI::App& app, Invocation& invocation);

}  // namespace headroom::cli
