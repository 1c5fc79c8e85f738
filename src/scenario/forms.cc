#include "scenario/forms.h"

#include <algorithm>

#include "base/check.h"
#include "base/text.h"

namespace headroom::scenario {
namespace {

OptionType option_type(const ScalarType& type) {
  return std::visit([](const auto& each) { return OptionType(each); }, type);
}

const Form* find_form(const FormsType& type, std::string_view name) {
  const auto found = std::ranges::find(type.forms, name, &Form::name);
  return found == type.forms.end() ? nullptr : &*found;
}

// The text of a call, taken apart.
struct Written {
  std::string_view form;
  std::vector<std::string_view> arguments;
};

// A bare scalar never has a parenthesis; a lone word is a call without arguments if a form has that
// name.
std::optional<Written> take_apart(const FormsType& type, std::string_view text) {
  const std::size_t open = text.find('(');
  if (open == std::string_view::npos) {
    if (find_form(type, text) != nullptr && !text.empty()) return Written{text, {}};
    return Written{"", {text}};
  }
  if (text.back() != ')') return std::nullopt;
  Written written{trim(text.substr(0, open)), {}};
  const std::string_view inside = text.substr(open + 1, text.size() - open - 2);
  if (written.form.empty()) return std::nullopt;
  for (const std::string_view argument : split(inside, ',')) {
    written.arguments.push_back(trim(argument));
  }
  return written;
}

Result<std::vector<Scalar>> read_argument(const Parameter& parameter, std::string_view text) {
  // A lone part may hold a colon itself.
  const std::vector<std::string_view> parts =
      parameter.parts.size() == 1 ? std::vector<std::string_view>{text} : split(text, ':');
  if (parts.size() != parameter.parts.size()) {
    return fail(ErrorKind::kUsage, "\"{}\" is no {}", printable(text, 80), parameter.name);
  }
  std::vector<Scalar> scalars;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto value = read_value(option_type(parameter.parts[i]), trim(parts[i]));
    if (!value) return fail(value.error());
    const Overloaded keep{
        [&](const auto&) { check(false, "a scalar type gives a scalar"); },
        [&](const std::string& v) { scalars.emplace_back(v); },
        [&](std::uint64_t v) { scalars.emplace_back(v); },
        [&](Nanos v) { scalars.emplace_back(v); },
        [&](double v) { scalars.emplace_back(v); },
    };
    std::visit(keep, *value);
  }
  return scalars;
}

const Parameter& parameter_at(const Form& form, std::size_t index) {
  return form.parameters[std::min(index, form.parameters.size() - 1)];
}

std::string print_scalar(const ScalarType& type, const Scalar& scalar) {
  const Value value = std::visit([](const auto& each) { return Value(each); }, scalar);
  return print_value(option_type(type), value);
}

bool is_number(std::string_view text) {
  return !text.empty() && text.front() >= '0' && text.front() <= '9';
}

tl::unexpected<Error> unknown_form(const FormsType& type, const Written& written,
                                   std::string_view text) {
  std::vector<std::string> names;
  for (const Form& each : type.forms) {
    if (!each.name.empty()) names.emplace_back(each.name);
  }
  const auto near = nearest(written.form.empty() ? trim(text) : written.form, names);
  return fail(ErrorKind::kUsage, "\"{}\" is not a choice; give {}{}", printable(text, 80),
              wanted_forms(type), near ? fmt::format("; did you mean \"{}\"?", *near) : "");
}

}  // namespace

std::string form_text(const Form& form) {
  std::string parameters;
  for (std::size_t i = 0; i < form.parameters.size(); ++i) {
    const bool optional = i + form.optional >= form.parameters.size();
    parameters +=
        fmt::format("{}{}{}", optional ? "[" : "", i == 0 ? "" : ", ", form.parameters[i].name);
  }
  if (form.repeats) parameters += ", ...";
  parameters += std::string(form.optional, ']');
  if (form.name.empty()) return parameters;
  return form.parameters.empty() ? std::string(form.name)
                                 : fmt::format("{}({})", form.name, parameters);
}

OptionType bare_type(const OptionType& type) {
  const auto* forms = std::get_if<FormsType>(&type);
  const Form* bare = forms == nullptr ? nullptr : find_form(*forms, "");
  return bare == nullptr ? type : option_type(bare->parameters.front().parts.front());
}

std::string wanted_forms(const FormsType& type) {
  std::vector<std::string> texts;
  for (const Form& form : type.forms) {
    texts.push_back(form.name.empty() ? wanted(option_type(form.parameters.front().parts.front()))
                                      : fmt::format("\"{}\"", form_text(form)));
  }
  return fmt::format("{}", fmt::join(texts, " or "));
}

Result<Value> read_forms(const FormsType& type, std::string_view text) {
  const std::optional<Written> written = take_apart(type, trim(text));
  if (!written) {
    return fail(ErrorKind::kUsage,
                "\"{}\" has no \")\" at its end, or no word before \"(\"; give {}",
                printable(text, 80), wanted_forms(type));
  }
  const Form* form = find_form(type, written->form);
  if (form == nullptr) return unknown_form(type, *written, text);
  const std::size_t most = form->repeats ? FormsType::kMostArguments : form->parameters.size();
  const std::size_t given = written->arguments.size();
  if (given + form->optional < form->parameters.size() || given > most) {
    return fail(ErrorKind::kUsage, "\"{}\" has {} argument{}; write {}", printable(text, 80), given,
                given == 1 ? "" : "s", form_text(*form));
  }
  Call call{std::string(form->name), {}};
  for (std::size_t i = 0; i < given; ++i) {
    const Parameter& parameter = parameter_at(*form, i);
    auto argument = read_argument(parameter, written->arguments[i]);
    if (!argument && form->name.empty()) {
      return is_number(text) ? fail(argument.error()) : unknown_form(type, *written, text);
    }
    if (!argument) {
      return fail(ErrorKind::kUsage, "{} of {}: {}", parameter.name, form_text(*form),
                  argument.error().message);
    }
    call.arguments.push_back(std::move(*argument));
  }
  return Value(std::move(call));
}

std::string print_forms(const FormsType& type, const Call& call) {
  const Form* form = find_form(type, call.form);
  check(form != nullptr, "a call has one of the forms of its type");
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const Parameter& parameter = parameter_at(*form, i);
    std::vector<std::string> parts;
    for (std::size_t j = 0; j < parameter.parts.size(); ++j) {
      parts.push_back(print_scalar(parameter.parts[j], call.arguments[i][j]));
    }
    arguments.push_back(fmt::format("{}", fmt::join(parts, ":")));
  }
  const std::string inside = fmt::format("{}", fmt::join(arguments, ", "));
  if (form->name.empty()) return inside;
  return arguments.empty() ? call.form : fmt::format("{}({})", call.form, inside);
}

}  // namespace headroom::scenario
