// TOML text as a flat list of entries. The only place that knows the TOML library; it knows nothing
// of options.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace headroom::scenario {

enum class TomlKind { kText, kInteger, kReal, kBoolean, kTime, kList, kTexts, kSection, kRow };
// "a text", "a whole number", ...
[[nodiscard]] std::string_view toml_kind_name(TomlKind kind);

struct TomlEntry {
  std::string section;  // empty at the top of the file; of a repeated table "workload.command"
  std::size_t row = 0;  // of a repeated table, from 0
  std::string name;
  std::size_t line = 0;  // from 1
  TomlKind kind = TomlKind::kText;
  // The content of a text, of a list of texts those with ";" between them, else the literal; empty
  // for other lists and sections.
  std::string text;
};

// Every key of the top level, of the sections and repeated tables below it, and of the repeated
// tables in sections, by line. A section is an entry itself (at the top, kind kSection) and is
// followed by its keys, as is each row of a repeated table (in its section, kind kRow). What is
// nested deeper is not listed.
//
// The text may be hostile. Errors (kUsage) are "FILE:LINE:COLUMN: ..."; beyond what TOML forbids,
// keys of more than 8 parts and values nested deeper than 16 are refused, so that no text can
// exhaust the stack.
[[nodiscard]] Result<std::vector<TomlEntry>> read_toml(std::string_view text,
                                                       std::string_view file_name);

}  // namespace headroom::scenario
