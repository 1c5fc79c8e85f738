// What an option may hold, how people write it, and how it is printed. Pure; knows no option by
// name.
//
// A value has one text, the same in a scenario file (there with quotes where TOML needs them),
// after
// --set, in help and in documentation: read_value(type, print_value(type, v)) == v.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "scenario/expectation.h"

namespace headroom::scenario {

// The word "auto": decided when the run knows its target.
struct Auto {
  friend bool operator==(const Auto&, const Auto&) = default;
};

// SET:GET, as weights; never both zero.
struct Ratio {
  std::uint32_t set = 0;
  std::uint32_t get = 0;
  friend bool operator==(const Ratio&, const Ratio&) = default;
};

// A value inside a call: text, count or bytes, duration, decimal.
using Scalar = std::variant<std::string, std::uint64_t, Nanos, double>;

// One of the forms of a FormsType with its arguments: zipf(0.99), list(100B:7, 1KiB:3). Each
// argument has as many scalars as its parameter has parts.
struct Call {
  std::string form;  // empty: the form without a name, a bare scalar
  std::vector<std::vector<Scalar>> arguments;
  friend bool operator==(const Call&, const Call&) = default;
};

// The scalar in that place, which the form has made one of that type.
template <class Type>
[[nodiscard]] const Type& scalar(const Call& call, std::size_t argument, std::size_t part = 0) {
  return std::get<Type>(call.arguments.at(argument).at(part));
}

using Value = std::variant<std::string, bool, std::uint64_t, Nanos, double, Ratio, Auto, Call,
                           std::vector<Expectation>>;

enum class TextForm {
  kProse,     // UTF-8; of the control characters only newline and tab
  kName,      // fit for a file name: letters, digits, . _ -
  kWord,      // UTF-8 without white space
  kHost,      // host name, or IPv4 or IPv6 literal without brackets
  kPath,      // of a file; relative ones are resolved (parse.h)
  kProgram,   // a path, or a bare name that is searched on PATH
  kVariable,  // name of an environment variable
  kUri,       // of a cache (scenario/uri.h)
};

// Ranges are inclusive.
struct TextType {
  TextForm form = TextForm::kProse;
  std::size_t longest_bytes = 0;
};
struct ChoiceType {
  std::vector<std::string_view> choices;
  // The command that lists them, where they are too many for a sentence; empty: they are few.
  std::string_view listed_by{};
};
struct BooleanType {};
struct CountType {
  std::uint64_t lowest = 0;
  std::uint64_t highest = 0;
  bool or_auto = false;
};
struct BytesType {
  std::uint64_t lowest = 0;
  std::uint64_t highest = 0;
};
struct DurationType {
  Nanos lowest{0};
  Nanos highest{0};
};
struct RatioType {
  std::uint32_t highest_weight = 0;
};
struct DecimalType {
  double lowest = 0;
  double highest = 0;
  bool percent = false;  // written as "90%", kept as 90
};
using ScalarType = std::variant<TextType, CountType, BytesType, DurationType, DecimalType>;

// "100B:7" has two parts, a size and a count.
struct Parameter {
  std::string_view name{};  // in capitals: "EXPONENT"; of several parts "SIZE:WEIGHT"
  std::vector<ScalarType> parts{};
};
// A way to write a value: a word, a call, or (without a name) a bare scalar.
struct Form {
  std::string_view name{};
  std::vector<Parameter> parameters{};
  bool repeats = false;        // the last parameter may come any number of times, but once at least
  std::size_t optional = 0;    // how many parameters at the end may be left out
  std::string_view meaning{};  // "key i is asked for in proportion to 1/i^EXPONENT"
};
struct FormsType {
  static constexpr std::size_t kMostArguments = 1000;
  std::vector<Form> forms;
};

// Conditions on figures of the summary (scenario/expectation.h): in a file a list of texts, as one
// text with ";" between them.
struct ExpectationsType {};

using OptionType = std::variant<TextType, ChoiceType, BooleanType, CountType, BytesType,
                                DurationType, RatioType, DecimalType, FormsType, ExpectationsType>;

// "zipf(EXPONENT)", "list(SIZE:WEIGHT, ...)"
[[nodiscard]] std::string form_text(const Form& form);

// The type of what may stand without a word and parentheses: of a FormsType its form without a
// name, if it has one. Other types are it themselves.
[[nodiscard]] OptionType bare_type(const OptionType& type);

// What fits the type, as the object of "give": `a count from 1 to 512`.
[[nodiscard]] std::string wanted(const OptionType& type);

// From text without quotes. The error (kUsage) says what the text is, what is allowed and, where a
// choice was mistyped, which is near; the caller adds the key.
[[nodiscard]] Result<Value> read_value(const OptionType& type, std::string_view text);

// Canonical text without quotes: "60s" is "1m", "1024B" is "1KiB".
[[nodiscard]] std::string print_value(const OptionType& type, const Value& value);
// The same as TOML: quoted and escaped unless it is a count or a boolean.
[[nodiscard]] std::string print_toml(const OptionType& type, const Value& value);

// Words that can be offered when the value is typed: choices, true and false, auto.
[[nodiscard]] std::vector<std::string_view> known_words(const OptionType& type);

// Visits a variant with one lambda per alternative.
template <class... Lambdas>
struct Overloaded : Lambdas... {
  using Lambdas::operator()...;
};
template <class... Lambdas>
Overloaded(Lambdas...) -> Overloaded<Lambdas...>;

}  // namespace headroom::scenario
