// Small helpers for texts that people read.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headroom {

// The candidate nearest to `word` by Damerau-Levenshtein distance (optimal string alignment), if it
// is near enough to be a slip (at most a third of the longer word's length, though one edit is
// always allowed unless it leaves nothing of the word). ASCII case does not count; of equals, the
// first.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 std::span<const std::string> candidates);

// The parts between separators, empty ones included: always one more than there are separators.
// They point into `text`.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);
// Without ASCII white space at both ends.
[[nodiscard]] std::string_view trim(std::string_view text);
// Of ASCII letters; other bytes stay as they are.
[[nodiscard]] std::string upper(std::string_view text);
[[nodiscard]] std::string lower(std::string_view text);

// Makes foreign text safe for a terminal or a one-line message: control characters (those of
// Unicode that break lines or turn the writing direction, too) and invalid UTF-8 are shown as \xNN,
// and what would be longer than `limit` bytes is cut between characters, with "..." after it.
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = 200);

}  // namespace headroom
