#include "scenario/help.h"

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "scenario/options.h"

namespace headroom::scenario {
namespace {

constexpr std::size_t kColumns = 80;

// Fills lines with words up to the last column, each line after the first indented. `text` begins
// at column `at`.
std::string wrap(std::string_view text, std::size_t at, std::size_t indent) {
  std::string result;
  bool line_has_word = false;
  for (const std::string_view word : split(text, ' ')) {
    const std::size_t needed = word.size() + (line_has_word ? 1 : 0);
    if (line_has_word && at + needed > kColumns) {
      result += '\n' + std::string(indent, ' ');
      at = indent;
      line_has_word = false;
    }
    if (line_has_word) result += ' ';
    result += word;
    at += word.size() + (line_has_word ? 1 : 0);
    line_has_word = true;
  }
  return result;
}

std::string capitalised(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

std::string default_of(const Option& option) {
  return std::string(option.default_text.empty() ? option.when_absent : option.default_text);
}

// `endpoint only`, or empty.
std::string restriction(const Option& option) {
  std::string kinds;
  for (const TargetKind kind : option.kinds)
    kinds += fmt::format("{}{}", kinds.empty() ? "" : ", ", target_kind_name(kind));
  return kinds.empty() ? kinds : kinds + " only";
}

std::string help_entry(const Option& option, std::size_t indent) {
  std::string facts = capitalised(wanted(option.type));
  if (!option.unit.empty()) facts += fmt::format(", {}", option.unit);
  facts += fmt::format("; default: {}", default_of(option));
  if (const std::string only = restriction(option); !only.empty())
    facts += fmt::format(" ({})", only);
  std::string text =
      fmt::format("  {:<{}}{}\n", option.name, indent - 2, wrap(option.help, indent, indent));
  if (const auto* forms = std::get_if<FormsType>(&option.type)) {
    for (const Form& form : forms->forms) {
      text += fmt::format(
          "{}{}\n", std::string(indent, ' '),
          wrap(fmt::format("{}: {}", form_text(form), form.meaning), indent, indent + 2));
    }
  }
  return text + fmt::format("{}{}\n", std::string(indent, ' '), wrap(facts, indent, indent));
}

// Text for a cell of a Markdown table.
std::string cell(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    // Two in a row would be emphasis.
    const bool doubled =
        c == '_' && (text.substr(i + 1).starts_with('_') || (i > 0 && text[i - 1] == '_'));
    if (c == '|' || c == '*' || c == '<' || doubled) result += '\\';
    result += c;
  }
  return result;
}

// A default as it stands in a file: quoted if TOML wants it so.
std::string default_cell(const Option& option) {
  if (option.default_text.empty()) return cell(option.when_absent);
  const auto value = read_value(option.type, option.default_text);
  return fmt::format("`{}`", print_toml(option.type, *value));
}

std::string markdown_row(const Option& option) {
  std::string type = cell(wanted(option.type));
  if (!option.unit.empty()) type += fmt::format(", {}", cell(option.unit));
  const std::string only = restriction(option);
  std::string meaning = cell(option.help);
  if (const auto* forms = std::get_if<FormsType>(&option.type)) {
    for (const Form& form : forms->forms)
      meaning += fmt::format(" `{}`: {}.", form_text(form), cell(form.meaning));
  }
  return fmt::format("| `{}` | {} | {} | {}{} |\n", option.name, type, default_cell(option),
                     only.empty() ? "" : fmt::format("*{}.* ", capitalised(only)), meaning);
}

std::string markdown_section(const Section& section) {
  std::string text =
      fmt::format("### {}\n\n{}\n\n",
                  section.name.empty() ? "Top of the file" : fmt::format("`{}`", section.header()),
                  section.help);
  text += "| key | value | default | meaning |\n|---|---|---|---|\n";
  for (const Option& option : option_table())
    if (option.section == section.name && option.inherits.empty()) text += markdown_row(option);
  return text + "\n";
}

constexpr std::string_view kIntroduction = R"md(# Scenarios

<!-- Made from the option table in src/scenario/options.cc. To change it, change the table and run
     HEADROOM_UPDATE_GOLDEN=1 scenario_test -->

A scenario says what to run: which cache, what is asked of it, by how many clients, for how long. It
is a [TOML](https://toml.io) file:

```toml
description = "Nine workers against a small node"

[target]
kind = "local"
maxmemory = "384MiB"

[workload]
value_size = "1KiB"
ratio = "1:10"

[load]
workers = 9
connections = 2

[timing]
measure = "10m"
```

```
headroom run nine.toml
headroom run nine.toml --set load.workers=3 --set timing.measure=30s
headroom run nine.toml --dry-run
```

`--dry-run` prints the scenario with every default filled in, as it would be stored in the run file,
and what the run would do. Ready-made scenarios stand in [`scenarios/`](../scenarios).

## Values

- **Durations** are texts with a unit, `ns us ms s m h d`: `"60s"`, `"1.5h"`, `"350us"`.
- **Sizes** are texts with a unit, `B`, `kB MB GB TB` (powers of 1,000) or `KiB MiB GiB TiB` (powers
  of 1,024): `"384MiB"`, `"1024B"`.
- **Counts** are whole numbers without quotes; digits may be grouped: `2_000_000`.
- **Relative paths** start at the directory of the scenario file; in `--set`, at the current
  directory. An `engine_path` without a slash is searched on `PATH`.
- **Choices with arguments** are texts: `"zipf(0.99)"`, `"range(100B, 1KiB)"`, `"list(100B:7, 1KiB:3)"`.
- **Repeated tables** stand once for each row, `[[workload.command]]`. Rows are counted from 0.
- **Tenants** inherit: `[[tenant]]` takes every key of `[workload]` and `[load]` (but `requests`) beside its own, and what
  it does not say is as there.
- `--set KEY=VALUE` replaces what the file says. The value is written without quotes, and each key may
  be set once. A row's key has its number, `--set workload.command.0.weight=3`; rows are not added so.

A value that does not fit is never replaced by another one: whatever is wrong is reported, all of it
at once, a line each, with the exit code 2, before anything is started.

```
nine.toml:12: load.worker: unknown key; did you mean load.workers?
nine.toml:16: timing.measure: 600 has no unit; write "600s"
```

A file may have 1 MiB at most.

## Options

)md";

constexpr std::string_view kClosing = R"md(## How commands are written

```toml
[[workload.command]]
command = "HSET session:__key__ user __rand(1,100000)__ cart __data__"
weight = 3
keys = "zipf(0.99)"

[[workload.command]]
name = "count"
command = "MULTI; INCR __key1__; EXPIRE __key1__ 60; EXEC"
```

Words are separated by spaces and quoted as in the engine's command line: `"..."` with the escapes
`\n \r \t \b \a \\ \" \xHH`, `'...'` with `\'` alone. Placeholders stand anywhere outside `'...'`, also in
the middle of a word. `__key__` is drawn anew each time it stands; `__key1__` is the same key wherever
it stands in the request. A `__data__` has the size of the value of the key before it. Commands that do
not answer each request once (SUBSCRIBE, MONITOR), that change the connection (SELECT, CLIENT) or end or
empty the engine (SHUTDOWN, FLUSHALL) are refused. Which replies are hits and misses stands in
[MEASUREMENT.md](MEASUREMENT.md#load).

## How `keys = "auto"` sizes the key space

    keys per worker = floor(floor(node memory × 0.85 / (mean value bytes + 70)) / workers)
    keys            = keys per worker × workers

Node memory is that of the whole node. A local node has `memory` × `scale` where that is given or
follows from its `shape`, else `maxmemory` ÷ 0.75, because ElastiCache reserves a quarter of a node's
memory by default and gives the engine the rest. 70 bytes stand for the
key and the engine's overhead. With values of 1,024 bytes, 64 MiB of `maxmemory` give 69,521 keys for
one worker, and a `cache.t3.small` (1.37 GiB) gives 1,142,934 for three.

The true cost of an entry is higher (about 1,371.5 bytes in Valkey 9.1 with values of 1,024 bytes), so
the whole key space does not fit: a run that writes all of it reaches the memory cliff. To stay below
it, give a number.
)md";

}  // namespace

std::string options_help() {
  std::size_t widest = 0;
  for (const Option& option : option_table()) widest = std::max(widest, option.name.size());
  const std::size_t indent = 2 + widest + 2;
  std::string text = "Scenario options, in the file or as --set SECTION.KEY=VALUE:\n";
  for (const Section& section : section_table()) {
    text += section.name.empty()
                ? "\nAt the top of the file:\n"
                : "\n" + wrap(fmt::format("{} {}", section.header(), section.help), 0, 0) + "\n";
    for (const Option& option : option_table())
      if (option.section == section.name && option.inherits.empty())
        text += help_entry(option, indent);
  }
  return text;
}

std::string options_markdown() {
  std::string text(kIntroduction);
  for (const Section& section : section_table()) text += markdown_section(section);
  return text + std::string(kClosing);
}

}  // namespace headroom::scenario
