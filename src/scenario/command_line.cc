#include "scenario/command_line.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "base/units.h"

namespace headroom::scenario {
namespace {

using Kind = WordPart::Kind;

constexpr std::string_view kPlaceholders =
    "there are __key__, __key1__ to __key9__, __data__ and __rand(A,B)__; in '...' it is text";

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
char upper(char c) { return is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c; }

std::optional<unsigned> hex_digit(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a') + 10;
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A') + 10;
  return std::nullopt;
}

struct Refusal {
  std::string_view verb;
  std::string_view why;
};
constexpr std::string_view kNoSingleReply = "has not one reply to each request";
constexpr std::string_view kConnectionState = "changes the connection, which is Headroom's own";
constexpr std::array kRefused = {
    Refusal{"SUBSCRIBE", kNoSingleReply},
    Refusal{"UNSUBSCRIBE", kNoSingleReply},
    Refusal{"PSUBSCRIBE", kNoSingleReply},
    Refusal{"PUNSUBSCRIBE", kNoSingleReply},
    Refusal{"SSUBSCRIBE", kNoSingleReply},
    Refusal{"SUNSUBSCRIBE", kNoSingleReply},
    Refusal{"MONITOR", kNoSingleReply},
    Refusal{"SYNC", kNoSingleReply},
    Refusal{"PSYNC", kNoSingleReply},
    Refusal{"CLIENT", kConnectionState},
    Refusal{"AUTH", kConnectionState},
    Refusal{"HELLO", kConnectionState},
    Refusal{"SELECT", kConnectionState},
    Refusal{"RESET", kConnectionState},
    Refusal{"QUIT", kConnectionState},
    Refusal{"READONLY", kConnectionState},
    Refusal{"READWRITE", kConnectionState},
    Refusal{"ASKING", kConnectionState},
    Refusal{"WATCH", "belongs to a transaction that several requests share"},
    Refusal{"UNWATCH", "belongs to a transaction that several requests share"},
    Refusal{"DISCARD", "ends a transaction without a result"},
    Refusal{"SHUTDOWN", "ends the engine"},
    Refusal{"FAILOVER", "ends the engine's service"},
    Refusal{"DEBUG", "may end the engine"},
    Refusal{"FLUSHALL", "removes what Headroom did not write"},
    Refusal{"FLUSHDB", "removes what Headroom did not write"},
};

// Reads one text from its begin to its end.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Result<CommandLine> read() && {
    numbered_.fill(kUnused);
    line_.commands.emplace_back();
    for (;;) {
      while (at_ < text_.size() && is_space(text_[at_])) ++at_;
      if (at_ == text_.size()) break;
      if (text_[at_] == ';') {
        ++at_;
        line_.commands.emplace_back();
        continue;
      }
      if (Status word = read_word(); !word) return fail(std::move(word.error()));
      if (parts_ > CommandLine::kMostParts) {
        return fail(ErrorKind::kUsage, "has more than {} words and placeholders",
                    CommandLine::kMostParts);
      }
    }
    // "EXEC;" is no other command behind it.
    if (line_.commands.size() > 1 && line_.commands.back().empty()) line_.commands.pop_back();
    return std::move(line_);
  }

 private:
  static constexpr std::size_t kUnused = ~std::size_t{0};

  Status read_word() {
    word_.clear();
    while (at_ < text_.size() && !is_space(text_[at_]) && text_[at_] != ';') {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        ++at_;
        if (Status quoted = c == '"' ? read_double_quoted() : read_single_quoted(); !quoted)
          return quoted;
        if (at_ < text_.size() && !is_space(text_[at_]) && text_[at_] != ';') {
          return fail(ErrorKind::kUsage,
                      "a closing quote is followed by \"{}\"; put a space between",
                      printable(text_.substr(at_), 20));
        }
        break;
      }
      if (Status taken = take_plain(); !taken) return taken;
    }
    parts_ += std::max<std::size_t>(word_.size(), 1);
    line_.commands.back().push_back(std::move(word_));
    return {};
  }

  Status read_double_quoted() {
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        add_text(read_escape());
      } else if (Status taken = take_plain(); !taken) {
        return taken;
      }
    }
    return close_quote('"');
  }

  Status read_single_quoted() {
    while (at_ < text_.size() && text_[at_] != '\'') {
      if (text_.substr(at_, 2) == "\\'") ++at_;
      add_text(text_[at_++]);
    }
    return close_quote('\'');
  }

  Status close_quote(char quote) {
    if (at_ == text_.size()) return fail(ErrorKind::kUsage, "a {} is not closed", quote);
    ++at_;
    return {};
  }

  // The byte that the escape at the present place means.
  char read_escape() {
    const char c = text_[at_ + 1];
    if (c == 'x' && at_ + 3 < text_.size()) {
      const auto high = hex_digit(text_[at_ + 2]);
      const auto low = hex_digit(text_[at_ + 3]);
      if (high && low) {
        at_ += 4;
        return static_cast<char>(*high * 16 + *low);
      }
    }
    at_ += 2;
    constexpr std::string_view kLetters = "nrtba";
    constexpr std::string_view kBytes = "\n\r\t\b\a";
    const std::size_t known = kLetters.find(c);
    return known == std::string_view::npos ? c : kBytes[known];
  }

  // A character, or the placeholder that begins here.
  Status take_plain() {
    if (!text_.substr(at_).starts_with("__")) {
      add_text(text_[at_++]);
      return {};
    }
    const std::size_t begin = at_ + 2;
    std::size_t end = begin;
    while (end < text_.size() && is_lower(text_[end])) ++end;
    const std::string_view word = text_.substr(begin, end - begin);
    if (word == "rand" && end < text_.size() && text_[end] == '(') return take_random(end + 1);
    while (end < text_.size() && (is_digit(text_[end]) || is_lower(text_[end]) ||
                                  (text_[end] == '_' && text_.substr(end, 2) != "__")))
      ++end;
    const std::string_view name = text_.substr(begin, end - begin);
    if (name.empty() || text_.substr(end, 2) != "__") {
      add_text(text_[at_++]);
      return {};
    }
    at_ = end + 2;
    return take_placeholder(name);
  }

  Status take_placeholder(std::string_view name) {
    WordPart part;
    if (name == "data") {
      part.kind = Kind::kData;
      part.key = owner_;
    } else if (name == "key" || (name.size() == 4 && name.starts_with("key") && name[3] != '0' &&
                                 is_digit(name[3]))) {
      part.kind = Kind::kKey;
      std::size_t unnumbered = kUnused;
      std::size_t& slot =
          name == "key" ? unnumbered : numbered_[static_cast<std::size_t>(name[3] - '0')];
      if (slot == kUnused) slot = line_.keys++;
      if (line_.keys > CommandLine::kMostKeys)
        return fail(ErrorKind::kUsage, "has more than {} keys", CommandLine::kMostKeys);
      part.key = owner_ = slot;
    } else {
      return fail(ErrorKind::kUsage, "__{}__ is no placeholder; {}", name, kPlaceholders);
    }
    word_.push_back(std::move(part));
    return {};
  }

  Status take_random(std::size_t begin) {
    const std::size_t end = text_.find(")__", begin);
    const auto malformed = [&] {
      return fail(ErrorKind::kUsage,
                  "\"{}\" is no random number; write __rand(A,B)__ with whole numbers, A at most B",
                  printable(text_.substr(at_, 40)));
    };
    if (end == std::string_view::npos) return malformed();
    const auto bounds = split(text_.substr(begin, end - begin), ',');
    if (bounds.size() != 2) return malformed();
    const auto lowest = parse_count(trim(bounds[0]));
    const auto highest = parse_count(trim(bounds[1]));
    if (!lowest || !highest || *lowest > *highest) return malformed();
    WordPart part;
    part.kind = Kind::kRandom;
    part.lowest = *lowest;
    part.highest = *highest;
    word_.push_back(std::move(part));
    at_ = end + 3;
    return {};
  }

  void add_text(char c) {
    if (word_.empty() || word_.back().kind != Kind::kText) word_.emplace_back();
    word_.back().text += c;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  CommandLine line_;
  Word word_;                               // the present one
  std::array<std::size_t, 10> numbered_{};  // which key __keyN__ is
  std::size_t owner_ = 0;                   // whose value the next __data__ is
  std::size_t parts_ = 0;
};

Status check_verb(const CommandWords& command) {
  if (command.empty()) return fail(ErrorKind::kUsage, "a command is empty");
  const Word& first = command.front();
  if (first.size() != 1 || first.front().kind != Kind::kText) {
    return fail(ErrorKind::kUsage, "a command begins with its name, not with a placeholder");
  }
  const std::string verb = verb_of(command);
  const auto refused = std::ranges::find(kRefused, verb, &Refusal::verb);
  if (refused == kRefused.end()) return {};
  return fail(ErrorKind::kUsage, "{} cannot be a part of the load: it {}", refused->verb,
              refused->why);
}

}  // namespace

std::string verb_of(const CommandWords& command) {
  check(!command.empty() && command.front().size() == 1, "a command begins with its name");
  std::string verb = command.front().front().text;
  std::ranges::transform(verb, verb.begin(), upper);
  return verb;
}

Result<CommandLine> read_command_line(std::string_view text) {
  auto line = Reader(text).read();
  if (!line) return line;
  for (const CommandWords& command : line->commands) {
    if (Status good = check_verb(command); !good) return fail(std::move(good.error()));
  }
  const bool begins = verb_of(line->commands.front()) == "MULTI";
  const bool ends = verb_of(line->commands.back()) == "EXEC";
  const auto inner = [](const CommandWords& command) {
    return verb_of(command) == "MULTI" || verb_of(command) == "EXEC";
  };
  const bool nested = line->commands.size() > 2 &&
                      std::any_of(line->commands.begin() + 1, line->commands.end() - 1, inner);
  const bool transaction = line->commands.size() > 2 && begins && ends && !nested;
  const bool single = line->commands.size() == 1 && !begins && !ends;
  if (!transaction && !single) {
    return fail(ErrorKind::kUsage,
                "is neither one command nor a transaction; write \"MULTI; ...; EXEC\", or a table "
                "for each command");
  }
  return line;
}

}  // namespace headroom::scenario
