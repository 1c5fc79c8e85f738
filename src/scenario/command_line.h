// The text of a command as users write it, taken apart. Pure; the text may be hostile.
//
//   HSET __key__ field __data__
//   SET "a key with spaces" 'and __no__ placeholder'
//   MULTI; INCR __key1__; EXPIRE __key1__ __rand(60,120)__; EXEC
//
// Words are separated by white space and quoted as in the engine's command line: in "..." the
// escapes \n \r \t \b \a \\ \" \xHH mean bytes, in '...' only \' does; a closing quote ends its
// word. Placeholders mean what they say outside quotes and in "..."; in '...' they are text.
//
// A text is one command, or a transaction: commands separated by ";" of which the first is MULTI
// and the last EXEC.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace headroom::scenario {

struct WordPart {
  enum class Kind : std::uint8_t {
    kText,
    kKey,     // __key__ and __key1__ to __key9__
    kData,    // __data__
    kRandom,  // __rand(A,B)__
  };
  Kind kind = Kind::kText;
  std::string text{};        // kText: any bytes
  std::size_t key = 0;       // kKey: which of the request's keys, from 0; kData: whose value it is
  std::uint64_t lowest = 0;  // kRandom, inclusive
  std::uint64_t highest = 0;
  friend bool operator==(const WordPart&, const WordPart&) = default;
};
// Parts back to back; two texts never follow one another. Empty: an empty word.
using Word = std::vector<WordPart>;
using CommandWords = std::vector<Word>;  // the first one is text alone

struct CommandLine {
  static constexpr std::size_t kMostKeys = 16;
  static constexpr std::size_t kMostParts = 256;  // of all words together

  std::vector<CommandWords> commands;  // one, or MULTI ... EXEC
  std::size_t keys = 0;                // how many are drawn: WordPart::key is below

  [[nodiscard]] bool is_transaction() const { return commands.size() > 1; }
  friend bool operator==(const CommandLine&, const CommandLine&) = default;
};

// The first word of a command in capitals: "HSET".
[[nodiscard]] std::string verb_of(const CommandWords& command);

// Refuses (kUsage) what cannot be a request with one reply (SUBSCRIBE, MONITOR, MULTI alone), what
// changes the connection's or the engine's state under the run (SELECT, FLUSHALL, SHUTDOWN), and
// placeholders that do not exist. The message has no key: the caller adds it.
[[nodiscard]] Result<CommandLine> read_command_line(std::string_view text);

}  // namespace headroom::scenario
