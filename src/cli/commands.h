// The subcommands. Each add_...() hangs one below `app` and stores the exit code of its work in
// `exit_code` when it is the one that was asked for.
#pragma once

#include <CLI/CLI.hpp>

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scenario/completion.h"

namespace headroom::cli {

struct Invocation {
  std::string command_line;  // as typed, quoted for a shell
  int exit_code = 0;
  // Of the subcommands that read flags in a way of their own: these flags, for completion.
  std::map<const CLI::App*, std::vector<scenario::CommandFlag>> foreign_flags;
  // Of the options that take one of a few words: which.
  std::map<const CLI::Option*, std::vector<std::string>> words;
};

// Makes `option` refuse all but these words, and shell completion offer them.
void accept_words(CLI::Option& option, std::vector<std::string> words, Invocation& invocation);

// Makes `option` refuse an empty word, which is a variable that a script forgot to set.
void refuse_empty(CLI::Option& option);

// --expect CONDITION, which may be repeated.
void add_expect_flag(CLI::App& command, std::vector<std::string>& conditions);

// Quoted where a shell would need it, so that the line can be typed again.
[[nodiscard]] std::string quoted_words(std::span<const std::string> words);

void add_run_command(CLI::App& app, Invocation& invocation);
// For help and completion; what follows `headroom bench` is read by bench().
void add_bench_command(CLI::App& app, Invocation& invocation);
inline constexpr std::string_view kBenchName = "bench";
// Carries out `headroom bench WORDS...`; returns the exit code.
[[nodiscard]] int bench(std::span<const std::string> words);

void add_report_command(CLI::App& app, Invocation& invocation);
void add_serve_command(CLI::App& app, Invocation& invocation);
void add_verify_command(CLI::App& app, Invocation& invocation);
void add_compare_command(CLI::App& app, Invocation& invocation);
void add_import_command(CLI::App& app, Invocation& invocation);
void add_check_command(CLI::App& app, Invocation& invocation);
void add_export_command(CLI::App& app, Invocation& invocation);
void add_node_command(CLI::App& app, Invocation& invocation);
void add_completion_command(CLI::App& app, Invocation& invocation);
// Parts of the node command.
void add_node_list(CLI::App& node, Invocation& invocation);
void add_node_up(CLI::App& node, Invocation& invocation);
// After all others, whose names it takes.
void add_help_command(CLI::App& app, Invocation& invocation);

}  // namespace headroom::cli
