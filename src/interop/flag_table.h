// The flags of another program as a table: what each is called, whether it takes an argument, and
// what Headroom makes of it. The reading of command lines, the help and docs/BENCH.md are all made
// from such tables. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace headroom::interop {

enum class Handling {
  kOption,    // its argument is the value of one scenario option
  kHonoured,  // understood, in a way of its own
  kAlways,    // asks for what Headroom does anyway, or for less than it shows
  kRefused,   // cannot be honoured: an error
};

struct Flag {
  std::string_view name{};        // "--threads", "-P"
  std::string_view short_name{};  // "-t"; empty: none
  std::string_view argument{};    // "NUMBER"; empty: it takes none
  Handling handling = Handling::kHonoured;
  std::string_view option{};  // of kOption: "load.pipeline"
  // For docs/BENCH.md and help: what Headroom does with it. Of kRefused: why not, and what comes
  // nearest, as the end of an error message.
  std::string_view does{};
};

// How a program reads its command line.
enum class Grammar {
  kGetoptLong,  // --name=value, unambiguous beginnings of names, -n5, -DR; no other words
  kPlain,       // name and value are two words; the first other word begins a command
};

struct Program {
  std::string_view name{};  // "memtier_benchmark"
  Grammar grammar = Grammar::kPlain;
  std::span<const Flag> flags{};
};

// A flag as it was given.
struct Given {
  const Flag* flag = nullptr;
  std::string value;      // empty if the flag takes no argument
  std::string written;    // for messages: "--threads=4", "-t 4"
  std::size_t first = 0;  // the words that it consists of
  std::size_t last = 0;   // inclusive
};

struct Words {
  std::vector<Given> flags;          // in the order of the line
  std::vector<std::string> command;  // what follows the flags of a kPlain program
};

// Headroom's own flags, which `headroom bench` understands beside those of every program.
[[nodiscard]] std::span<const Flag> own_flags();

// Reads a whole command line, without the program's name. Fails (kUsage), a line per mistake, on
// words that are no flags, with what may have been meant, and on arguments that are missing.
[[nodiscard]] Result<Words> read_words(const Program& program, std::span<const std::string> words);

// Does the program know a flag that this word could be? The word may have its value attached.
[[nodiscard]] bool knows(const Program& program, std::string_view word);

// "-t, --threads=NUMBER", "-P <numreq>"
[[nodiscard]] std::string flag_heading(const Program& program, const Flag& flag);

}  // namespace headroom::interop
