// Scenario text in, a valid Scenario out, or everything that is wrong with the text.
//
// Errors are kUsage. The message has one line for each error, in the order of the file and then of
// the overrides, at most 20 of them; each line is complete in itself:
//
//   first-run.toml:12: load.workers: 0 is below the range; give a count from 1 to 512
//   first-run.toml:9:5: not valid TOML: ...
//   --set load.wrokers=3: load.wrokers is unknown; did you mean load.workers?
//
// Contradictions between options are looked for once every single value is good.
//
// Paths (target.password_file, target.socket, target.tls_ca_file, ...) that are relative are
// resolved here, lexically: in a file against the directory of the file, in an override against the
// current directory. A Scenario holds absolute paths, so its canonical print means the same
// everywhere. An engine_path without a slash is a program's name, searched on PATH when the engine
// is started.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "scenario/scenario.h"

namespace headroom::scenario {

// A longer text is refused unread.
inline constexpr std::size_t kLongestScenarioBytes = std::size_t{1} << 20U;

// `file_name` is only used in messages, for relative paths and for the default of `name`; nothing
// is read. Each override is "key=value" with the value's plain text ("timing.measure=10s"); it
// replaces what the text says. The text may be hostile.
[[nodiscard]] Result<Scenario> parse_scenario(std::string_view text,
                                              const std::filesystem::path& file_name,
                                              std::span<const std::string> overrides = {});

[[nodiscard]] Result<Scenario> load_scenario(const std::filesystem::path& path,
                                             std::span<const std::string> overrides = {});

}  // namespace headroom::scenario
