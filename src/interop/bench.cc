#include "interop/bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "interop/memtier.h"
#include "interop/reading.h"
#include "interop/valkey.h"

namespace headroom::interop {
namespace {

struct ProgramName {
  std::string_view word;
  Dialect dialect;
};
constexpr std::array kProgramNames = {ProgramName{"memtier", Dialect::kMemtier},
                                      ProgramName{"memtier_benchmark", Dialect::kMemtier},
                                      ProgramName{"valkey-benchmark", Dialect::kValkey},
                                      ProgramName{"redis-benchmark", Dialect::kValkey}};

struct Detected {
  Dialect dialect;
  std::string because;
};

// Which of the two knows a flag, or takes such a value for one that both know.
std::optional<Dialect> sign_of(std::span<const std::string> words, std::size_t i) {
  const std::string& word = words[i];
  if (word.size() < 2 || word.front() != '-') return std::nullopt;
  const bool memtier = knows(memtier_program(), word);
  const bool valkey = knows(valkey_program(), word);
  if (memtier != valkey) return memtier ? Dialect::kMemtier : Dialect::kValkey;
  if (!memtier || i + 1 == words.size()) return std::nullopt;
  // -t counts threads or lists tests; -P names a protocol or counts requests.
  const char first = words[i + 1].empty() ? '\0' : words[i + 1].front();
  const bool is_number = first >= '0' && first <= '9';
  if (word == "-t") return is_number ? Dialect::kMemtier : Dialect::kValkey;
  if (word == "-P") return is_number ? Dialect::kValkey : Dialect::kMemtier;
  if (word == "-s" && first == '/') return Dialect::kValkey;
  return std::nullopt;
}

Result<Detected> detect(std::span<const std::string> words) {
  const std::string* signs[2] = {nullptr, nullptr};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--") break;
    const auto sign = sign_of(words, i);
    if (sign && signs[static_cast<std::size_t>(*sign)] == nullptr)
      signs[static_cast<std::size_t>(*sign)] = &words[i];
  }
  constexpr std::string_view kRemedy =
      "begin with the program's name: headroom bench memtier ... or headroom bench "
      "valkey-benchmark "
      "...";
  const std::string* memtier = signs[static_cast<std::size_t>(Dialect::kMemtier)];
  const std::string* valkey = signs[static_cast<std::size_t>(Dialect::kValkey)];
  if (memtier != nullptr && valkey != nullptr) {
    return fail(
        ErrorKind::kUsage,
        "{} is memtier_benchmark's and {} is valkey-benchmark's; leave one of them out, or {}",
        printable(*memtier), printable(*valkey), kRemedy);
  }
  if (memtier != nullptr) return Detected{Dialect::kMemtier, fmt::format("by {}", *memtier)};
  if (valkey != nullptr) return Detected{Dialect::kValkey, fmt::format("by {}", *valkey)};
  // No flag tells; perhaps only one of them can read it all, such as a command behind the flags.
  const bool fits_memtier = read_words(memtier_program(), words).has_value();
  const bool fits_valkey = read_words(valkey_program(), words).has_value();
  if (fits_valkey && !fits_memtier)
    return Detected{Dialect::kValkey, "by the command behind the flags"};
  return fail(ErrorKind::kUsage,
              "memtier_benchmark and valkey-benchmark both have these flags and mean different "
              "things by them (-c per thread or in all, -n per client or in all); {}",
              kRemedy);
}

}  // namespace

const Program& program_of(Dialect dialect) {
  return dialect == Dialect::kMemtier ? memtier_program() : valkey_program();
}

Result<BenchPlan> read_bench(std::span<const std::string> words, std::uint64_t fresh_seed) {
  std::span<const std::string> rest = words;
  std::optional<Detected> detected;
  if (!words.empty()) {
    const std::string_view first = std::string_view(words[0]).substr(words[0].rfind('/') + 1);
    const auto* named = std::ranges::find(kProgramNames, first, &ProgramName::word);
    if (named != kProgramNames.end()) {
      detected = {named->dialect, "by its name"};
      rest = words.subspan(1);
    }
  }
  if (!detected) {
    auto found = detect(rest);
    if (!found) return fail(std::move(found.error()));
    detected = std::move(*found);
  }
  const Program& program = program_of(detected->dialect);
  auto taken_apart = read_words(program, rest);
  if (!taken_apart) return fail(std::move(taken_apart.error()));

  Reading reading(std::move(*taken_apart), fresh_seed);
  reading.plan.dialect = detected->dialect;
  reading.plan.reading = fmt::format("{} ({})", program.name, detected->because);
  if (detected->dialect == Dialect::kMemtier) {
    read_memtier(reading);
  } else {
    read_valkey(reading);
  }
  auto plan = std::move(reading).finish(rest);
  if (plan && rest.size() != words.size())
    plan->shown_words.insert(plan->shown_words.begin(), words[0]);
  return plan;
}

}  // namespace headroom::interop
