#include "scenario/value.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/check.h"
#include "base/text.h"
#include "base/units.h"
#include "scenario/forms.h"
#include "scenario/uri.h"

namespace headroom::scenario {
namespace {

constexpr std::string_view kAutoWord = "auto";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter_or_digit(char c) { return is_letter(c) || is_digit(c); }

// Valid UTF-8 without control characters.
bool is_clean(std::string_view text) { return printable(text, text.size() * 4) == text; }

// What may be wrong with a text of the form, or empty if nothing is.
std::string_view fault_of_prose(std::string_view text) {
  std::string line(text);
  std::ranges::replace_if(line, [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return is_clean(line) ? "" : "has control characters or is not UTF-8";
}

std::string_view fault_of_name(std::string_view text) {
  const auto fits = [](char c) {
    return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-';
  };
  return is_letter_or_digit(text.front()) && std::ranges::all_of(text, fits) ? ""
                                                                             : "is no such name";
}

std::string_view fault_of_word(std::string_view text) {
  if (!is_clean(text)) return "has control characters or is not UTF-8";
  return text.find(' ') == std::string_view::npos ? "" : "has a space";
}

std::string_view fault_of_host(std::string_view text) {
  const auto fits = [](char c) {
    return is_letter_or_digit(c) || c == '.' || c == '_' || c == '-' || c == ':' || c == '%';
  };
  if (text.find("://") != std::string_view::npos) return "is a URI, which belongs in target.uri";
  if (text.front() == '[') return "has brackets, leave them out";
  if (std::ranges::count(text, ':') == 1) return "has a port, which belongs in target.port";
  return std::ranges::all_of(text, fits) ? "" : "has characters that no host has";
}

std::string_view fault_of_path(std::string_view text) {
  if (!is_clean(text)) return "has control characters or is not UTF-8";
  return text.front() == '~' ? "begins with ~, which is not expanded: write the directory" : "";
}

std::string_view fault_of_variable(std::string_view text) {
  const auto fits = [](char c) { return is_letter_or_digit(c) || c == '_'; };
  return !is_digit(text.front()) && std::ranges::all_of(text, fits) ? "" : "is no such name";
}

std::string_view fault_of(TextForm form, std::string_view text) {
  switch (form) {
    case TextForm::kProse:
      return fault_of_prose(text);
    case TextForm::kName:
      return fault_of_name(text);
    case TextForm::kWord:
      return fault_of_word(text);
    case TextForm::kHost:
      return fault_of_host(text);
    case TextForm::kPath:
    case TextForm::kProgram:
      return fault_of_path(text);
    case TextForm::kVariable:
      return fault_of_variable(text);
    case TextForm::kUri:
      return "";  // read_text() asks parse_uri(), which says more
  }
  check(false, "every text form is known");
  return {};
}

std::string_view form_name(TextForm form) {
  switch (form) {
    case TextForm::kProse:
      return "a text";
    case TextForm::kName:
      return "a name of letters, digits, \".\", \"_\" and \"-\", beginning with a letter or digit,";
    case TextForm::kWord:
      return "a text without spaces";
    case TextForm::kHost:
      return "a host name or IP address";
    case TextForm::kPath:
      return "a path";
    case TextForm::kProgram:
      return "a path or a program's name";
    case TextForm::kVariable:
      return "an environment variable's name (letters, digits, \"_\")";
    case TextForm::kUri:
      return "a URI such as \"valkey://user@host:6379/0\", \"rediss://host\" or "
             "\"unix:///run/valkey.sock\",";
  }
  check(false, "every text form is known");
  return {};
}

// Fits any value into a message of one line.
std::string shown(std::string_view text) { return fmt::format("\"{}\"", printable(text, 80)); }

// A number that read well but is outside its range.
template <class Number>
Result<Value> in_range(Number value, Number lowest, Number highest, std::string_view text,
                       const OptionType& type) {
  if (value >= lowest && value <= highest) return Value(value);
  return fail(ErrorKind::kUsage, "{} is {} the range; give {}", printable(text, 80),
              value < lowest ? "below" : "above", wanted(type));
}

// What a parser of base made of the text; its message is kept, followed by what is wanted here.
template <class Number>
Result<Value> quantity(Result<Number> (*parse)(std::string_view), std::string_view text,
                       Number lowest, Number highest, const OptionType& type) {
  if (!is_clean(text) || text.size() > 80)
    return fail(ErrorKind::kUsage, "{} is not a value; give {}", shown(text), wanted(type));
  const bool has_unit = !std::holds_alternative<CountType>(type);
  if (const auto count = parse_count(text); has_unit && text != "0" && count) {
    const char* unit = std::holds_alternative<DurationType>(type) ? "s" : "B";
    return fail(ErrorKind::kUsage, "{} has no unit; write {}{}", text, *count, unit);
  }
  const Result<Number> value = parse(text);
  if (!value) return fail(ErrorKind::kUsage, "{}; give {}", value.error().message, wanted(type));
  return in_range(*value, lowest, highest, text, type);
}

Result<Value> read_text(const TextType& type, std::string_view text) {
  if (text.empty())
    return fail(ErrorKind::kUsage, "is empty; give {}, or leave the option out", wanted(type));
  if (text.size() > type.longest_bytes) {
    return fail(ErrorKind::kUsage, "is {} bytes long; give {}", grouped(text.size()), wanted(type));
  }
  if (type.form == TextForm::kUri) {
    // Never shown: it may hold a password.
    if (const auto uri = parse_uri(text); !uri) return fail(uri.error());
    return Value(std::string(text));
  }
  const std::string_view fault = fault_of(type.form, text);
  if (!fault.empty())
    return fail(ErrorKind::kUsage, "{} {}; give {}", shown(text), fault, wanted(type));
  return Value(std::string(text));
}

Result<Value> read_word(const std::vector<std::string_view>& words, std::string_view text,
                        const OptionType& type) {
  const auto found = std::ranges::find(words, text);
  if (found != words.end()) return Value(std::string(text));
  const std::vector<std::string> candidates(words.begin(), words.end());
  const std::optional<std::string> near = nearest(text, candidates);
  return fail(ErrorKind::kUsage, "{} is not a choice; give {}{}", shown(text), wanted(type),
              near ? fmt::format("; did you mean \"{}\"?", *near) : "");
}

Result<Value> read_ratio(const RatioType& type, std::string_view text) {
  const std::vector<std::string_view> parts = split(text, ':');
  const auto malformed = [&] {
    return fail(ErrorKind::kUsage, "{} is no ratio; give {}", shown(text), wanted(type));
  };
  if (parts.size() != 2) return malformed();
  std::array<std::uint32_t, 2> weights{};
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::string_view part = trim(parts[i]);
    const char* const end = part.data() + part.size();
    const auto [stop, error] = std::from_chars(part.data(), end, weights[i]);
    if (error == std::errc::invalid_argument || stop != end) return malformed();
    if (error != std::errc{} || weights[i] > type.highest_weight) {
      return fail(ErrorKind::kUsage, "{} is above the range; give {}", shown(part), wanted(type));
    }
  }
  if (weights[0] == 0 && weights[1] == 0)
    return fail(ErrorKind::kUsage, "\"0:0\" asks for no requests; give {}", wanted(type));
  return Value(Ratio{weights[0], weights[1]});
}

Result<Value> read_decimal(const DecimalType& type, std::string_view text) {
  std::string_view number = text;
  if (type.percent && number.ends_with('%')) number.remove_suffix(1);
  double value = 0;
  const char* const end = number.data() + number.size();
  const auto [stop, error] = std::from_chars(number.data(), end, value, std::chars_format::fixed);
  if (error == std::errc::invalid_argument || stop != end || (type.percent && number == text)) {
    return fail(ErrorKind::kUsage, "{} is no {}; give {}", shown(text),
                type.percent ? "percentage" : "number", wanted(type));
  }
  // Infinite and not-a-number read well, too.
  if (error != std::errc{} || !(value >= type.lowest && value <= type.highest)) {
    return fail(ErrorKind::kUsage, "{} is outside the range; give {}", printable(text, 80),
                wanted(type));
  }
  return Value(value);
}

Result<Value> read_conditions(std::string_view text, const OptionType& type) {
  std::vector<Expectation> expectations;
  if (trim(text).empty()) return Value(std::move(expectations));
  const std::vector<std::string_view> conditions = split(text, ';');
  if (conditions.size() > kMostExpectations) {
    return fail(ErrorKind::kUsage, "has {} conditions; give {}", conditions.size(), wanted(type));
  }
  for (const std::string_view condition : conditions) {
    Result<Expectation> one = parse_expectation(condition);
    if (!one) return fail(std::move(one.error()));
    expectations.push_back(std::move(*one));
  }
  return Value(std::move(expectations));
}

// A TOML basic string.
std::string quote(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      result += fmt::format("\\u{:04x}", byte);
    } else {
      result += c;
    }
  }
  return result + '"';
}

// A count that is one of several forms, and needs no name.
bool is_lone_count(const OptionType& type, const Value& value) {
  const auto* forms = std::get_if<FormsType>(&type);
  const auto* call = std::get_if<Call>(&value);
  if (forms == nullptr || call == nullptr || !call->form.empty()) return false;
  const auto form = std::ranges::find(forms->forms, std::string_view(), &Form::name);
  return std::holds_alternative<CountType>(form->parameters.front().parts.front());
}

}  // namespace

std::string wanted(const OptionType& type) {
  const Overloaded describe{
      [](const TextType& t) {
        return fmt::format("{} of at most {} bytes", form_name(t.form), grouped(t.longest_bytes));
      },
      [](const ChoiceType& t) {
        if (!t.listed_by.empty())
          return fmt::format("one of the {} names that `{}` lists", t.choices.size(), t.listed_by);
        return fmt::format("one of \"{}\"", fmt::join(t.choices, "\", \""));
      },
      [](const BooleanType&) { return std::string("true or false"); },
      [](const CountType& t) {
        return fmt::format("{}a count from {} to {}", t.or_auto ? "\"auto\" or " : "",
                           grouped(t.lowest), grouped(t.highest));
      },
      [](const BytesType& t) {
        return fmt::format("a size from \"{}\" to \"{}\"", print_bytes(t.lowest),
                           print_bytes(t.highest));
      },
      [](const DurationType& t) {
        return fmt::format("a duration from \"{}\" to \"{}\"", print_duration(t.lowest),
                           print_duration(t.highest));
      },
      [](const RatioType& t) {
        return fmt::format("\"SET:GET\" such as \"1:10\", weights from 0 to {}, not both 0",
                           grouped(t.highest_weight));
      },
      [](const DecimalType& t) {
        const char* const sign = t.percent ? "%" : "";
        return fmt::format("a {0} from {2}{1} to {3}{1}", t.percent ? "percentage" : "number", sign,
                           t.lowest, t.highest);
      },
      [](const FormsType& t) { return wanted_forms(t); },
      [](const ExpectationsType&) {
        return fmt::format("a list of at most {} conditions such as [\"latency.p99 < 1ms\"]",
                           kMostExpectations);
      },
  };
  return std::visit(describe, type);
}

Result<Value> read_value(const OptionType& type, std::string_view text) {
  const Overloaded read{
      [&](const TextType& t) { return read_text(t, text); },
      [&](const ChoiceType& t) { return read_word(t.choices, text, type); },
      [&](const BooleanType&) {
        return read_word({"true", "false"}, text, type).map([](const Value& word) {
          return Value(std::get<std::string>(word) == "true");
        });
      },
      [&](const CountType& t) {
        if (t.or_auto && text == kAutoWord) return Result<Value>(Value(Auto{}));
        return quantity(&parse_count, text, t.lowest, t.highest, type);
      },
      [&](const BytesType& t) { return quantity(&parse_bytes, text, t.lowest, t.highest, type); },
      [&](const DurationType& t) {
        return quantity(&parse_duration, text, t.lowest, t.highest, type);
      },
      [&](const RatioType& t) { return read_ratio(t, text); },
      [&](const DecimalType& t) { return read_decimal(t, text); },
      [&](const FormsType& t) { return read_forms(t, text); },
      [&](const ExpectationsType&) { return read_conditions(text, type); },
  };
  return std::visit(read, type);
}

std::string print_value(const OptionType& type, const Value& value) {
  const Overloaded print{
      [](const std::string& text) { return text; },
      [](bool truth) { return std::string(truth ? "true" : "false"); },
      [&](std::uint64_t number) {
        return std::holds_alternative<BytesType>(type) ? print_bytes(number)
                                                       : fmt::format("{}", number);
      },
      [](Nanos duration) { return print_duration(duration); },
      [](Ratio ratio) { return fmt::format("{}:{}", ratio.set, ratio.get); },
      [](Auto) { return std::string(kAutoWord); },
      [&](double number) {
        const auto* decimal = std::get_if<DecimalType>(&type);
        return fmt::format("{}{}", number, decimal != nullptr && decimal->percent ? "%" : "");
      },
      [&](const Call& call) { return print_forms(std::get<FormsType>(type), call); },
      [](const std::vector<Expectation>& expectations) {
        std::vector<std::string> texts;
        for (const Expectation& one : expectations) texts.push_back(one.text());
        return fmt::format("{}", fmt::join(texts, "; "));
      },
  };
  return std::visit(print, value);
}

std::string print_toml(const OptionType& type, const Value& value) {
  if (const auto* expectations = std::get_if<std::vector<Expectation>>(&value)) {
    std::string list;
    for (const Expectation& one : *expectations) list += fmt::format("  {},\n", quote(one.text()));
    return expectations->empty() ? "[]" : fmt::format("[\n{}]", list);
  }
  const bool bare =
      is_lone_count(type, value) || std::holds_alternative<bool>(value) ||
      (std::holds_alternative<double>(value) && !std::get<DecimalType>(type).percent) ||
      (std::holds_alternative<std::uint64_t>(value) && std::holds_alternative<CountType>(type));
  std::string text = print_value(type, value);
  return bare ? text : quote(text);
}

std::vector<std::string_view> known_words(const OptionType& type) {
  if (const auto* choice = std::get_if<ChoiceType>(&type)) return choice->choices;
  if (std::holds_alternative<BooleanType>(type)) return {"true", "false"};
  const auto* count = std::get_if<CountType>(&type);
  if (count != nullptr && count->or_auto) return {kAutoWord};
  std::vector<std::string_view> words;
  if (const auto* forms = std::get_if<FormsType>(&type)) {
    for (const Form& form : forms->forms)
      if (form.parameters.size() == form.optional && !form.name.empty()) words.push_back(form.name);
  }
  return words;
}

}  // namespace headroom::scenario
