#include "load/command_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/check.h"
#include "load/verifier.h"

namespace headroom::load {
namespace {

using scenario::CommandLine;
using scenario::WordPart;
using Kind = scenario::WordPart::Kind;

constexpr std::string_view kLineEnd = "\r\n";
// "$", the digits of a length, a line end before the bytes and one behind.
constexpr std::size_t kFrameBytes = 1 + kMaxDigits + 2 + 2;

void append_bulk(std::string& out, std::string_view bytes) {
  out += fmt::format("${}\r\n", bytes.size());
  out += bytes;
  out += kLineEnd;
}

bool is_text(const scenario::Word& word) {
  return word.empty() || (word.size() == 1 && word.front().kind == Kind::kText);
}
std::string_view text_of(const scenario::Word& word) {
  return word.empty() ? std::string_view() : std::string_view(word.front().text);
}

}  // namespace

CommandProgram::CommandProgram(const CommandLine& line, std::string prefix, const ValueSizes& sizes,
                               const ValueBlock& block, std::optional<std::uint64_t> stamped)
    : prefix_(std::move(prefix)), sizes_(sizes), block_(block), stamped_(stamped) {
  steps_.emplace_back();
  for (const scenario::CommandWords& command : line.commands) {
    steps_.back().before += fmt::format("*{}\r\n", command.size());
    for (const scenario::Word& word : command) {
      if (is_text(word)) {
        append_bulk(steps_.back().before, text_of(word));
      } else {
        steps_.back().word = word;
        steps_.emplace_back();
      }
    }
  }
  if (steps_.back().before.empty()) steps_.pop_back();
}

void CommandProgram::encode(const Inputs& inputs, Batch& batch) const {
  for (const Step& step : steps_) {
    batch.make_room(step.before.size());
    batch.append(step.before);
    if (!step.word.empty()) encode_word(step.word, &step == &steps_.back(), inputs, batch);
  }
}

void CommandProgram::append_stamp(std::uint64_t key, std::uint64_t version, std::uint64_t size,
                                  Batch& batch) const {
  char stamp[kStampBytes];
  write_stamp(stamp, *stamped_, key, version, size);
  batch.append({stamp, kStampBytes});
}

void CommandProgram::encode_word(const Parts& word, bool last, const Inputs& inputs,
                                 Batch& batch) const {
  // The length of a word stands before it, so its numbers are drawn first.
  std::array<std::uint64_t, CommandLine::kMostParts> values;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const WordPart& part = word[i];
    switch (part.kind) {
      case Kind::kText:
        bytes += part.text.size();
        break;
      case Kind::kKey:
        values[i] = inputs.keys[part.key];
        bytes += prefix_.size() + decimal_digits(values[i]);
        break;
      case Kind::kData:
        values[i] = sizes_.of(inputs.keys[part.key]);
        bytes += values[i];
        break;
      case Kind::kRandom: {
        const std::uint64_t span = part.highest - part.lowest;
        values[i] = span == ~std::uint64_t{0} ? inputs.numbers()
                                              : part.lowest + inputs.numbers.below(span + 1);
        bytes += decimal_digits(values[i]);
        break;
      }
    }
  }
  const bool as_tail =
      last && word.size() == 1 && word.front().kind == Kind::kData && bytes > Batch::kCopiedBytes;
  batch.make_room(kFrameBytes + (as_tail ? kStampBytes : bytes));
  batch.append("$");
  batch.append_decimal(bytes, decimal_digits(bytes));
  batch.append(kLineEnd);
  const std::size_t stamp_bytes = stamped_ ? kStampBytes : 0;
  if (as_tail) {
    if (stamped_) append_stamp(inputs.keys[word.front().key], inputs.version, bytes, batch);
    batch.set_tail(block_.value_and_line_end(bytes - stamp_bytes));
    return;
  }
  for (std::size_t i = 0; i < word.size(); ++i) {
    const WordPart& part = word[i];
    if (part.kind == Kind::kText) batch.append(part.text);
    if (part.kind == Kind::kKey) batch.append(prefix_);
    if (part.kind == Kind::kData) {
      if (stamped_) append_stamp(inputs.keys[part.key], inputs.version, values[i], batch);
      batch.append(block_.value(values[i] - stamp_bytes));
    } else if (part.kind != Kind::kText) {
      batch.append_decimal(values[i], decimal_digits(values[i]));
    }
  }
  batch.append(kLineEnd);
}

std::optional<AroundKey> around_key(const CommandLine& line, const ValueSizes& sizes,
                                    const ValueBlock& block) {
  AroundKey around;
  bool behind = false;  // the key
  for (const scenario::CommandWords& command : line.commands) {
    (behind ? around.after : around.before) += fmt::format("*{}\r\n", command.size());
    for (const scenario::Word& word : command) {
      std::string& out = behind ? around.after : around.before;
      if (is_text(word)) {
        append_bulk(out, text_of(word));
        continue;
      }
      if (word.size() != 1) return std::nullopt;
      const WordPart& part = word.front();
      if (part.kind == Kind::kData && sizes.fixed()) {
        append_bulk(out, block.value(sizes.of(0)));
      } else if (part.kind == Kind::kKey && !behind) {
        behind = true;
        around.after = kLineEnd;
      } else {
        return std::nullopt;
      }
    }
  }
  return behind ? std::optional(std::move(around)) : std::nullopt;
}

}  // namespace headroom::load
