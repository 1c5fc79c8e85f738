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
#include "scenario/loads.h"
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
  if (std::holds_alternative<ExpectationsType>(type))
    return entry.kind == TomlKind::kTexts || entry.kind == TomlKind::kText;
  const auto* decimal = std::get_if<DecimalType>(&type);
  if (decimal != nullptr && !decimal->percent)
    return entry.kind == TomlKind::kInteger || entry.kind == TomlKind::kReal;
  if (std::holds_alternative<FormsType>(type) && entry.kind == TomlKind::kInteger) {
    const OptionType bare = bare_type(type);
    return std::holds_alternative<CountType>(bare) || std::holds_alternative<DecimalType>(bare);
  }
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
    const Key parts = split_key(key);
    const Option* option = find_option(parts.section, parts.name);
    const Section* section = find_section(parts.section);
    if (option == nullptr) {
      wrong(place, fmt::format("{} is unknown; {}", printable(key, 80),
                               suggest_key(parts.section, parts.name)));
    } else if (section->repeats() && !parts.row) {
      wrong(place, fmt::format("says not which {}; write {}", section->header(), option->key()));
    } else if (section->repeats() && *parts.row >= section->rows(scenario_)) {
      wrong(place, fmt::format("there is no such {}: the file has {}, counted from 0",
                               section->header(), section->rows(scenario_)));
    } else if (!overridden_.insert({option, parts.row.value_or(0)}).second) {
      wrong(place, fmt::format("{} is set twice; leave one of them out", key));
    } else {
      set({option, parts.row.value_or(0)}, place, text.substr(equals + 1), fs::path());
    }
  }

  Result<Scenario> finish() && {
    if (errors_.empty()) expand_shorthands();
    if (errors_.empty()) fill_in();
    if (errors_.empty()) share_out_commands(scenario_);
    if (errors_.empty()) {
      errors_ = find_contradictions(scenario_, [this](std::string_view key) {
        return place_of({find_option(key), split_key(key).row.value_or(0)});
      });
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

  // An option and, of a repeated table, the row.
  struct OptionRow {
    const Option* option = nullptr;
    std::size_t row = 0;
    friend auto operator<=>(const OptionRow&, const OptionRow&) = default;
  };

  // Where it was given, or could be.
  [[nodiscard]] std::string place_of(const OptionRow& setting) const {
    const auto place = places_.find(setting);
    return place == places_.end() ? fmt::format("{}: {}", file_, setting.option->key(setting.row))
                                  : place->second;
  }

  void take(const TomlEntry& entry) {
    const bool top = entry.section.empty();
    const Section* section = find_section(entry.section);
    const bool in_row = section != nullptr && section->repeats();
    const std::string place = fmt::format(
        "{}:{}: {}{}{}{}", file_, entry.line, printable(entry.section, 80),
        in_row ? fmt::format(".{}", entry.row) : "", top ? "" : ".", printable(entry.name, 80));
    if (section == nullptr) return;                               // said once, of the section
    if (in_row && entry.row >= section->rows(scenario_)) return;  // said once, of the table
    const std::string below = top ? entry.name : fmt::format("{}.{}", entry.section, entry.name);
    if (const Section* inner = find_section(below); inner != nullptr && !entry.name.empty()) {
      take_section(*inner, entry, place);
      return;
    }
    const Option* option = find_option(entry.section, entry.name);
    if (option == nullptr && errors_.size() >= kMostErrors) {
      ++unexplained_;  // a hostile text may have thousands
    } else if (option == nullptr) {
      const bool unknown_section = top && entry.kind == TomlKind::kSection;
      wrong(place, unknown_section
                       ? fmt::format("unknown section; {}", suggest_section(entry.name))
                       : fmt::format("unknown key; {}", suggest_key(entry.section, entry.name)));
    } else if (!fits(option->type, entry)) {
      wrong(place, explain_kind(option->type, entry));
    } else {
      set({option, entry.row}, place, entry.text, path_.parent_path());
    }
  }

  // The head of a section, or of one row of a repeated table.
  void take_section(const Section& section, const TomlEntry& entry, const std::string& place) {
    const TomlKind wanted = section.repeats() ? TomlKind::kRow : TomlKind::kSection;
    if (entry.kind != wanted) {
      wrong(place,
            fmt::format("is {}; write {} {} and its keys below it", toml_kind_name(entry.kind),
                        section.header(), section.repeats() ? "for each" : "once"));
    } else if (section.repeats() && entry.row == section.most_rows) {
      wrong(place, fmt::format("is one too many; at most {} are possible", section.most_rows));
    } else if (section.repeats() && entry.row < section.most_rows) {
      section.resize(scenario_, entry.row + 1);
    }
  }

  // `directory` is what a relative path is relative to; empty: the current one.
  void set(const OptionRow& setting, const std::string& place, std::string_view text,
           const fs::path& directory) {
    const Option& option = *setting.option;
    const auto value = read_value(option.type, text).and_then([&](Value read) {
      return resolve_paths(option.type, std::move(read), directory);
    });
    if (!value) {
      wrong(place, value.error().message);
      return;
    }
    places_[setting] = place;
    if (option.expand == nullptr) {
      option.access.set(scenario_, *value, setting.row);
    } else {
      shorthands_.insert_or_assign(&option, *value);
    }
  }

  // Once all is read, so that an override may replace a shorthand as a whole.
  void expand_shorthands() {
    for (const auto& [shorthand, value] : shorthands_) {
      if (!shorthand->applies_to(scenario_)) continue;
      const std::string place = places_.at({shorthand});
      for (const Setting& setting : shorthand->expand(value)) {
        const Option* option = find_option(shorthand->section, setting.name);
        check(option != nullptr, "a shorthand stands for options that exist");
        if (places_.contains({option})) {
          wrong(place_of({option}),
                fmt::format("{} gives it too; leave one of them out", shorthand->key()));
          continue;
        }
        option->access.set(scenario_, setting.value);
        places_[{option}] = place;
      }
    }
  }

  // Defaults for what applies and was not given. The table has an option before those whose
  // meaning depends on it.
  void fill_in() {
    for (const Option& option : option_table()) {
      const std::size_t rows = find_section(option.section)->rows(scenario_);
      for (std::size_t row = 0; row < rows; ++row) fill_in({&option, row});
    }
  }

  void fill_in(const OptionRow& setting) {
    const Option& option = *setting.option;
    const bool given = places_.contains(setting);
    const bool applies = option.applies_to(scenario_, setting.row);
    if (given && !applies) misplaced(setting);
    if (given || !applies) return;
    if (!option.inherits.empty()) {
      inherit(setting);
    } else if (option.key() == "name") {
      name_after_file(option);
    } else if (const auto derived = option.derive ? option.derive(scenario_) : std::nullopt) {
      option.access.set(scenario_, *derived, setting.row);
    } else if (!option.default_text.empty()) {
      option.access.set(scenario_, *read_value(option.type, option.default_text), setting.row);
    }
  }

  void inherit(const OptionRow& setting) {
    const Option* common = find_option(setting.option->inherits, setting.option->name);
    if (!common->applies_to(scenario_)) return;
    const auto value = common->access.get(scenario_);
    if (value) setting.option->access.set(scenario_, *value, setting.row);
  }

  void misplaced(const OptionRow& setting) {
    const Option& option = *setting.option;
    const TargetKind kind = scenario_.target.kind;
    if (!option.is_for(kind)) {
      wrong(place_of(setting),
            fmt::format("is for target.kind = \"{}\", which is \"{}\" here; leave it out or "
                        "change the kind",
                        target_kind_name(option.kinds.front()), target_kind_name(kind)));
      return;
    }
    if (!option.excluded_by.empty() && find_option(option.excluded_by)->access.get(scenario_)) {
      wrong(place_of(setting),
            fmt::format("means nothing beside {}; give one of them", option.excluded_by));
      return;
    }
    const Section* unless = find_section(option.unless);
    if (!option.unless.empty() && unless->rows(scenario_) > 0) {
      wrong(place_of(setting),
            fmt::format("means nothing beside {}; give one of them", unless->header()));
      return;
    }
    const Option* needed = find_option(option.section, option.needs);
    const bool is_switch = std::holds_alternative<BooleanType>(needed->type);
    wrong(place_of(setting), fmt::format("means nothing without {}{}; give both or neither",
                                         needed->key(), is_switch ? " = true" : ""));
  }

  void name_after_file(const Option& option) {
    const std::string stem = path_.stem().string();
    const auto value = read_value(option.type, stem);
    if (!value) {
      wrong(place_of({&option}),
            fmt::format("not given, and the file's name cannot stand for it: {}",
                        value.error().message));
      return;
    }
    option.access.set(scenario_, *value);
  }

  fs::path path_;
  std::string file_;  // fit for messages
  Scenario scenario_;
  std::map<OptionRow, std::string> places_;    // of what was given
  std::map<const Option*, Value> shorthands_;  // of what was given
  std::set<OptionRow> overridden_;
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
