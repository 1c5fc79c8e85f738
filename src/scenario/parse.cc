#include "scenario/parse.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "scenario/contradictions.h"
#include "scenario/options.h"
#include "scenario/suggest.h"
#include "scenario/toml_document.h"

namespace headroom::scenario {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostErrors = 20;

// Whether a TOML value of this kind is how the type is written.
bool fits(const OptionType& type, const TomlEntry& entry) {
  if (std::holds_alternative<BooleanType>(type)) return entry.kind == TomlKind::kBoolean;
  const auto* decimal = std::get_if<DecimalType>(&type);
  if (decimal != nullptr && !decimal->percent)
    return entry.kind == TomlKind::kInteger || entry.kind == TomlKind::kReal;
  if (std::holds_alternative<FormsType>(type) && entry.kind == TomlKind::kInteger) return true;
  const auto* count = std::get_if<CountType>(&type);
  if (count == nullptr) return entry.kind == TomlKind::kText;
  if (entry.kind == TomlKind::kInteger) return true;
  return count->or_auto && entry.kind == TomlKind::kText && entry.text == print_value(type, Auto{});
}

// A text that is a relative path becomes absolute.
Result<std::string> resolve_path(const TextType& type, std::string given,
                                 const fs::path& directory) {
  const bool has_slash = given.find('/') != std::string::npos;
  const bool is_path =
      type.form == TextForm::kPath || (type.form == TextForm::kProgram && has_slash);
  if (!is_path) return given;

  std::error_code failed;
  const fs::path absolute = fs::absolute(directory / given, failed);
  if (failed) {
    return fail(ErrorKind::kUsage, "\"{}\" is relative, and the current directory has no path: {}",
                given, failed.message());
  }
  std::string resolved = absolute.lexically_normal().string();
  if (resolved.size() > type.longest_bytes) {
    return fail(ErrorKind::kUsage, "\"{}\" has {} bytes as an absolute path; give {}",
                printable(resolved), grouped(resolved.size()), wanted(type));
  }
  return resolved;
}

// The same wherever a value has a text in it.
Result<Value> resolve_paths(const OptionType& type, Value value, const fs::path& directory) {
  if (const auto* text = std::get_if<TextType>(&type)) {
    return resolve_path(*text, std::get<std::string>(std::move(value)), directory);
  }
  const auto* forms = std::get_if<FormsType>(&type);
  if (forms == nullptr) return value;
  auto& call = std::get<Call>(value);
  const Form& form = *std::ranges::find(forms->forms, call.form, &Form::name);
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    const Parameter& parameter = form.parameters[std::min(i, form.parameters.size() - 1)];
    for (std::size_t part = 0; part < parameter.parts.size(); ++part) {
      const auto* text = std::get_if<TextType>(&parameter.parts[part]);
      if (text == nullptr) continue;
      auto& scalar = std::get<std::string>(call.arguments[i][part]);
      auto resolved = resolve_path(*text, std::move(scalar), directory);
      if (!resolved) return fail(std::move(resolved.error()));
      scalar = std::move(*resolved);
    }
  }
  return value;
}

// Gathers the settings of one scenario and everything that is wrong with them.
class Parser {
 public:
  explicit Parser(const fs::path& file_name)
      : path_(file_name), file_(printable(file_name.string(), 4096)) {}

  void read_text(std::string_view text) {
    const auto entries = read_toml(text, file_);
    if (!entries) {
      errors_.push_back(entries.error().message);
      return;
    }
    for (const TomlEntry& entry : *entries) take(entry);
  }

  void read_override(std::string_view text) {
    const std::size_t equals = text.find('=');
    // A password may stand in a URI, whatever key it was given to.
    const bool is_uri = equals != std::string_view::npos && text.find("://") != text.npos;
    const std::string place =
        fmt::format("--set {}", printable(is_uri ? text.substr(0, equals) : text));
    if (equals == std::string_view::npos) {
      wrong(place, "has no value; write --set KEY=VALUE, such as --set load.workers=3");
      return;
    }
    const std::string_view key = text.substr(0, equals);
    const Option* option = find_option(key);
    if (option == nullptr) {
      const std::size_t dot = key.find('.');
      const bool top = dot == std::string_view::npos;
      wrong(place, fmt::format("{} is unknown; {}", printable(key, 80),
                               top ? suggest_key("", key)
                                   : suggest_key(key.substr(0, dot), key.substr(dot + 1))));
    } else if (!overridden_.insert(option).second) {
      wrong(place, fmt::format("{} is set twice; leave one of them out", key));
    } else {
      set(*option, place, text.substr(equals + 1), fs::path());
    }
  }

  Result<Scenario> finish() && {
    if (errors_.empty()) expand_shorthands();
    if (errors_.empty()) fill_in();
    if (errors_.empty()) {
      errors_ = find_contradictions(
          scenario_, [this](std::string_view key) { return place_of(*find_option(key)); });
    }
    if (errors_.empty()) return std::move(scenario_);
    const std::size_t shown = std::min(errors_.size(), kMostErrors);
    const std::size_t more = errors_.size() - shown + unexplained_;
    if (more > 0) {
      errors_.resize(shown);
      errors_.push_back(fmt::format("{}: {} more errors", file_, grouped(more)));
    }
    return fail(ErrorKind::kUsage, "{}", fmt::join(errors_, "\n"));
  }

 private:
  void wrong(std::string_view place, std::string_view what) {
    errors_.push_back(fmt::format("{}: {}", place, what));
  }

  // Where an option was given, or could be.
  [[nodiscard]] std::string place_of(const Option& option) const {
    const auto place = places_.find(&option);
    return place == places_.end() ? fmt::format("{}: {}", file_, option.key()) : place->second;
  }

  void take(const TomlEntry& entry) {
    const bool top = entry.section.empty();
    const std::string place =
        fmt::format("{}:{}: {}{}{}", file_, entry.line, printable(entry.section, 80),
                    top ? "" : ".", printable(entry.name, 80));
    if (top && is_section(entry.name)) {
      if (entry.kind != TomlKind::kSection) {
        wrong(place, fmt::format("is {}; write [{}] once and its keys below it",
                                 toml_kind_name(entry.kind), entry.name));
      }
      return;
    }
    if (!top && !is_section(entry.section)) return;  // said once, of the section
    const Option* option = find_option(entry.section, entry.name);
    if (option == nullptr && errors_.size() >= kMostErrors) {
      ++unexplained_;  // a hostile text may have thousands
    } else if (option == nullptr) {
      const bool section = top && entry.kind == TomlKind::kSection;
      wrong(place, section
                       ? fmt::format("unknown section; {}", suggest_section(entry.name))
                       : fmt::format("unknown key; {}", suggest_key(entry.section, entry.name)));
    } else if (!fits(option->type, entry)) {
      wrong(place, explain_kind(option->type, entry));
    } else {
      set(*option, place, entry.text, path_.parent_path());
    }
  }

  // `directory` is what a relative path is relative to; empty: the current one.
  void set(const Option& option, const std::string& place, std::string_view text,
           const fs::path& directory) {
    const auto value = read_value(option.type, text).and_then([&](Value read) {
      return resolve_paths(option.type, std::move(read), directory);
    });
    if (!value) {
      wrong(place, value.error().message);
      return;
    }
    places_[&option] = place;
    if (option.expand == nullptr) {
      option.access.set(scenario_, *value);
    } else {
      shorthands_.insert_or_assign(&option, *value);
    }
  }

  // Once all is read, so that an override may replace a shorthand as a whole.
  void expand_shorthands() {
    for (const auto& [shorthand, value] : shorthands_) {
      if (!shorthand->applies_to(scenario_)) continue;
      const std::string place = places_.at(shorthand);
      for (const Setting& setting : shorthand->expand(value)) {
        const Option* option = find_option(shorthand->section, setting.name);
        check(option != nullptr, "a shorthand stands for options that exist");
        if (places_.contains(option)) {
          wrong(place_of(*option),
                fmt::format("{} gives it too; leave one of them out", shorthand->key()));
          continue;
        }
        option->access.set(scenario_, setting.value);
        places_[option] = place;
      }
    }
  }

  // Defaults for what applies and was not given. The table has an option before those whose
  // meaning depends on it.
  void fill_in() {
    for (const Option& option : option_table()) {
      const bool given = places_.contains(&option);
      const bool applies = option.applies_to(scenario_);
      if (given && !applies) misplaced(option);
      if (given || !applies) continue;
      if (option.key() == "name") {
        name_after_file(option);
      } else if (const auto derived = option.derive ? option.derive(scenario_) : std::nullopt) {
        option.access.set(scenario_, *derived);
      } else if (!option.default_text.empty()) {
        option.access.set(scenario_, *read_value(option.type, option.default_text));
      }
    }
  }

  void misplaced(const Option& option) {
    const TargetKind kind = scenario_.target.kind;
    if (option.is_for(kind)) {
      const Option* needed = find_option(option.section, option.needs);
      const bool is_switch = std::holds_alternative<BooleanType>(needed->type);
      wrong(place_of(option), fmt::format("means nothing without {}{}; give both or neither",
                                          needed->key(), is_switch ? " = true" : ""));
      return;
    }
    wrong(place_of(option),
          fmt::format("is for target.kind = \"{}\", which is \"{}\" here; leave it out or change "
                      "the kind",
                      target_kind_name(option.kinds.front()), target_kind_name(kind)));
  }

  void name_after_file(const Option& option) {
    const std::string stem = path_.stem().string();
    const auto value = read_value(option.type, stem);
    if (!value) {
      wrong(place_of(option), fmt::format("not given, and the file's name cannot stand for it: {}",
                                          value.error().message));
      return;
    }
    option.access.set(scenario_, *value);
  }

  fs::path path_;
  std::string file_;  // fit for messages
  Scenario scenario_;
  std::map<const Option*, std::string> places_;  // of what was given
  std::map<const Option*, Value> shorthands_;    // of what was given
  std::set<const Option*> overridden_;
  std::vector<std::string> errors_;
  std::size_t unexplained_ = 0;  // errors beyond those
};

}  // namespace

Result<Scenario> parse_scenario(std::string_view text, const fs::path& file_name,
                                std::span<const std::string> overrides) {
  if (text.size() > kLongestScenarioBytes) {
    return fail(ErrorKind::kUsage, "{}: {} is too long for a scenario; at most {} are read",
                printable(file_name.string(), 4096), human_bytes(static_cast<double>(text.size())),
                print_bytes(kLongestScenarioBytes));
  }
  Parser parser(file_name);
  parser.read_text(text);
  for (const std::string& override_text : overrides) parser.read_override(override_text);
  return std::move(parser).finish();
}

Result<Scenario> load_scenario(const fs::path& path, std::span<const std::string> overrides) {
  const auto text = read_file(path, kLongestScenarioBytes);
  if (!text) return fail(ErrorKind::kUsage, "{}", text.error().message);
  return parse_scenario(*text, path, overrides);
}

}  // namespace headroom::scenario
