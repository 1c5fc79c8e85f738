#include "cli/file_hints.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text.h"

namespace headroom::cli {
namespace {

namespace fs = std::filesystem;

// A run file is an SQLite database (docs/RUN_FILE.md), which begins with this.
bool is_run_file(const fs::path& path) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  std::array<char, kMagic.size()> begin{};
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), begin.size());
  return file.gcount() == static_cast<std::streamsize>(begin.size()) &&
         std::string_view(begin.data(), begin.size()) == kMagic;
}

std::vector<fs::path> files_with(std::string_view extension, const fs::path& directory) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(directory.empty() ? "." : directory, error), end;
       !error && entry != end; entry.increment(error)) {
    if (entry->path().extension() == extension)
      files.push_back(directory / entry->path().filename());
  }
  std::ranges::sort(files);
  return files;
}

// The scenario whose path, name, or name without its extension is nearest to what was typed.
std::optional<fs::path> nearest_scenario(const fs::path& typed) {
  std::vector<std::string> names;
  std::vector<fs::path> files;
  for (const char* directory : {"", "scenarios"}) {
    for (const fs::path& file : files_with(".toml", directory)) {
      for (const fs::path& name : {file, file.filename(), file.stem()}) {
        names.push_back(name.string());
        files.push_back(file);
      }
    }
  }
  const auto near = nearest(typed.string(), names);
  if (!near) return std::nullopt;
  return files[static_cast<std::size_t>(std::ranges::find(names, *near) - names.begin())];
}

}  // namespace

Status check_scenario_file(const fs::path& path) {
  const std::string shown = printable(path.string());
  if (is_run_file(path)) {
    return fail(ErrorKind::kUsage, "{} is a run file, no scenario; headroom report {} shows it",
                shown, shown);
  }
  std::error_code error;
  if (!path.empty() && !fs::exists(path, error) && !error) {
    if (const auto near = nearest_scenario(path))
      return fail(ErrorKind::kUsage, "{}: there is no such file; did you mean {}?", shown,
                  printable(near->string()));
  }
  return {};
}

}  // namespace headroom::cli
