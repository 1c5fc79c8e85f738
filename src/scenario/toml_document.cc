#include "scenario/toml_document.h"

#include <toml++/toml.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "base/check.h"
#include "base/text.h"

namespace headroom::scenario {
namespace {

// Finds what would make the library recurse deeply. It follows the text as TOML does, but only as
// far as strings, comments, brackets and the dots of keys are concerned; what is malformed is left
// to the library.
class DepthGuard {
 public:
  explicit DepthGuard(std::string_view text) : text_(text) {}

  struct Fault {
    std::size_t line;
    std::string_view what;
  };
  [[nodiscard]] std::optional<Fault> find() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"' || c == '\'') {
        skip_string(c);
        continue;
      }
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
        continue;
      }
      ++at_;
      if (const std::string_view what = take(c); !what.empty()) return Fault{line_, what};
    }
    return std::nullopt;
  }

 private:
  static constexpr int kMostParts = 8;
  static constexpr int kMostNesting = 16;

  std::string_view take(char c) {
    if (c == '\n') ++line_;
    if (c == '[' || c == '{') ++nesting_;
    // A stray closing bracket must not buy depth for later.
    if (c == ']' || c == '}') nesting_ = std::max(nesting_ - 1, 0);
    if (c == '.') {
      ++dots_;
    } else if (std::string_view("\n=,[]{}").find(c) != std::string_view::npos) {
      dots_ = 0;
    }
    if (dots_ >= kMostParts) return "a key of more than 8 parts";
    if (nesting_ > kMostNesting) return "values nested more than 16 deep";
    return {};
  }

  // Past the string that begins here. One that is not closed ends with its line, or, if it may have
  // several, with the text.
  void skip_string(char quote) {
    const std::string triple(3, quote);
    const bool lines = text_.substr(at_, 3) == triple;
    at_ += lines ? 3 : 1;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        if (!lines) return;
        ++line_;
      }
      if (c == '\\' && quote == '"' && at_ + 1 < text_.size() && text_[at_ + 1] != '\n') {
        at_ += 2;
      } else if (c != quote) {
        ++at_;
      } else if (!lines) {
        ++at_;
        return;
      } else if (text_.substr(at_, 3) == triple) {
        at_ += 3;
        // Up to two more quotes belong to the string.
        for (int i = 0; i < 2 && at_ < text_.size() && text_[at_] == quote; ++i) ++at_;
        return;
      } else {
        ++at_;
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  int nesting_ = 0;
  int dots_ = 0;
};

bool are_texts(const toml::array& list) {
  return std::ranges::all_of(list, [](const toml::node& each) { return each.is_string(); });
}

TomlKind kind_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::string:
      return TomlKind::kText;
    case toml::node_type::integer:
      return TomlKind::kInteger;
    case toml::node_type::floating_point:
      return TomlKind::kReal;
    case toml::node_type::boolean:
      return TomlKind::kBoolean;
    case toml::node_type::array:
      return are_texts(*node.as_array()) ? TomlKind::kTexts : TomlKind::kList;
    case toml::node_type::table:
      return TomlKind::kSection;
    case toml::node_type::none:
    case toml::node_type::date:
    case toml::node_type::time:
    case toml::node_type::date_time:
      break;
  }
  return TomlKind::kTime;
}

template <class T>
std::string streamed(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

std::string text_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* integer = node.as_integer()) return fmt::format("{}", integer->get());
  if (const auto* real = node.as_floating_point()) return fmt::format("{}", real->get());
  if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
  if (const auto* date = node.as_date()) return streamed(date->get());
  if (const auto* time = node.as_time()) return streamed(time->get());
  if (const auto* moment = node.as_date_time()) return streamed(moment->get());
  if (const auto* array = node.as_array(); array != nullptr && are_texts(*array)) {
    std::string texts;
    for (const toml::node& each : *array)
      texts += (texts.empty() ? "" : ";") + each.as_string()->get();
    return texts;
  }
  return {};
}

// The keys of one table, and of the tables below it, two levels deep: `depth` is 0 at the top of
// the file.
void list(const toml::table& table, const std::string& section, std::size_t row, int depth,
          std::vector<TomlEntry>& entries) {
  for (const auto& [key, node] : table) {
    const std::string name(key.str());
    const std::string below = section.empty() ? name : section + "." + name;
    const toml::array* rows = node.as_array();
    if (depth <= 1 && rows != nullptr && rows->is_array_of_tables()) {
      for (std::size_t i = 0; i < rows->size(); ++i) {
        const toml::table& each = *(*rows)[i].as_table();
        entries.push_back({section, i, name, each.source().begin.line, TomlKind::kRow, {}});
        list(each, below, i, depth + 1, entries);
      }
      continue;
    }
    entries.push_back({section, row, name, key.source().begin.line, kind_of(node), text_of(node)});
    if (depth <= 1 && node.is_table()) list(*node.as_table(), below, row, depth + 1, entries);
  }
}

// The commonest slip is a value that needs quotes (measure = 60s). If the line looks like one, how
// to write it.
std::string quotes_hint(std::string_view line) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return {};
  const std::string_view key = trim(line.substr(0, equals));
  std::string_view value = line.substr(equals + 1);
  value = trim(value.substr(0, value.find('#')));
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (std::ranges::none_of(value, is_letter)) return {};
  if (value.find_first_of("\"'[]{},=\\") != std::string_view::npos) return {};
  return fmt::format("; values with units and words need quotes: {} = \"{}\"", printable(key, 80),
                     printable(value, 80));
}

// The library's words about an error, and a remedy where one is known.
std::string explain(const toml::parse_error& error, std::string_view text) {
  constexpr std::string_view kPrelude = "Error while parsing ";
  std::string_view what = error.description();
  if (what.starts_with(kPrelude)) what.remove_prefix(kPrelude.size());
  std::string message = printable(what);
  if (what.find("redefine") != std::string_view::npos)
    return message + "; every key and every section stands once";
  std::string_view line = text;
  for (std::size_t i = 1; i < error.source().begin.line; ++i)
    line.remove_prefix(std::min(line.find('\n'), line.size() - 1) + 1);
  return message + quotes_hint(line.substr(0, line.find('\n')));
}

}  // namespace

std::string_view toml_kind_name(TomlKind kind) {
  switch (kind) {
    case TomlKind::kText:
      return "a text";
    case TomlKind::kInteger:
      return "a whole number";
    case TomlKind::kReal:
      return "a fraction";
    case TomlKind::kBoolean:
      return "a truth value";
    case TomlKind::kTime:
      return "a date or time";
    case TomlKind::kList:
      return "a list";
    case TomlKind::kTexts:
      return "a list of texts";
    case TomlKind::kSection:
      return "a section";
    case TomlKind::kRow:
      return "a repeated table";
  }
  check(false, "every kind has a name");
  return {};
}

Result<std::vector<TomlEntry>> read_toml(std::string_view text, std::string_view file_name) {
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return fail(ErrorKind::kUsage, "{}:{}: not a text file: it has a zero byte", file_name,
                1 + std::ranges::count(text.substr(0, nul), '\n'));
  }
  if (const auto fault = DepthGuard(text).find()) {
    return fail(ErrorKind::kUsage, "{}:{}: {}, which no scenario has", file_name, fault->line,
                fault->what);
  }
  std::vector<TomlEntry> entries;
  try {
    const toml::table document = toml::parse(text);
    list(document, "", 0, 0, entries);
  } catch (const toml::parse_error& error) {
    const toml::source_position where = error.source().begin;
    return fail(ErrorKind::kUsage, "{}:{}:{}: not valid TOML: {}", file_name, where.line,
                where.column, explain(error, text));
  }
  std::ranges::stable_sort(entries, {}, &TomlEntry::line);
  return entries;
}

}  // namespace headroom::scenario
