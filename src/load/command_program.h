// Requests of any shape as bytes: several keys, values whose sizes differ, random numbers,
// transactions. What is the same in each is prepared; the rest is written word by word.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "load/command.h"
#include "load/values.h"
#include "scenario/command_line.h"

namespace headroom::load {

// Constant after construction.
class CommandProgram {
 public:
  // `sizes` and `block` outlive the program. With `stamped`, values begin with the stamp of their
  // owner (load/verifier.h).
  CommandProgram(const scenario::CommandLine& line, std::string prefix, const ValueSizes& sizes,
                 const ValueBlock& block, std::optional<std::uint64_t> stamped = std::nullopt);

  // What changes from one request to the next.
  struct Inputs {
    std::span<const std::uint64_t> keys;  // indexes; as many as the line has, or one
    Random& numbers;
    std::uint64_t version = 0;  // of stamped values
  };
  // Appends a request. The batch is not full; it grows if it must.
  void encode(const Inputs& inputs, Batch& batch) const;

 private:
  using Parts = std::vector<scenario::WordPart>;

  // Bytes that are always the same, and then a word that is not (of the last step, perhaps none).
  struct Step {
    std::string before;
    Parts word;
  };
  void encode_word(const Parts& word, bool last, const Inputs& inputs, Batch& batch) const;
  void append_stamp(std::uint64_t key, std::uint64_t version, std::uint64_t size,
                    Batch& batch) const;

  std::string prefix_;
  const ValueSizes& sizes_;
  const ValueBlock& block_;
  const std::optional<std::uint64_t> stamped_;
  std::vector<Step> steps_;
};

// The bytes of a request around the only thing in it that changes, one key.
struct AroundKey {
  std::string before;
  std::string after;
};
// nullopt: more than that changes. `sizes` are those of the request's values.
[[nodiscard]] std::optional<AroundKey> around_key(const scenario::CommandLine& line,
                                                  const ValueSizes& sizes, const ValueBlock& block);

}  // namespace headroom::load
