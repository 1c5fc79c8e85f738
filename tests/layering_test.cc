// The rules of the house that a compiler does not know: which folder may include which, and
// tidiness.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "tests/support/source_folder.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;
using testing::source_folder;
using Table = std::map<std::string, std::set<std::string>>;  // folder -> what it may include

constexpr std::size_t kMostLines = 500;

std::string content_of(const fs::path& path) {
  const Result<std::string> content = read_file(path);
  EXPECT_TRUE(content) << (content ? "" : content.error().message);
  return content.value_or("");
}

struct SourceLine {
  std::string where;  // "src/net/socket.cc:12"
  std::string_view text;
};

class SourceFile {
 public:
  explicit SourceFile(const fs::path& path)
      : name_(fs::relative(path, source_folder()).string()), content_(content_of(path)) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& content() const { return content_; }
  // "net" for src/net/socket.cc
  [[nodiscard]] std::string folder() const { return std::next(fs::path(name_).begin())->string(); }
  [[nodiscard]] std::vector<SourceLine> lines() const {
    std::vector<SourceLine> lines;
    for (const std::string_view text : split(content_, '\n')) {
      lines.push_back({name_ + ":" + std::to_string(lines.size() + 1), text});
    }
    return lines;
  }

 private:
  std::string name_;
  std::string content_;
};

std::vector<SourceFile> sources_under(std::initializer_list<std::string_view> folders) {
  std::vector<SourceFile> files;
  for (const std::string_view folder : folders) {
    if (!fs::exists(source_folder() / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(source_folder() / folder)) {
      const std::string extension = entry.path().extension();
      if (extension == ".cc" || extension == ".h") files.emplace_back(entry.path());
    }
  }
  return files;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t begin = text.find_first_not_of(" \t\n");
    if (begin == std::string_view::npos) return words;
    const std::size_t end = std::min(text.find_first_of(" \t\n", begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    text.remove_prefix(end);
  }
}

// From the lines `headroom_folder(name DEPENDS folder... LINK library...)` of src/CMakeLists.txt.
Table table_of_the_build() {
  Table table;
  const std::string content = content_of(source_folder() / "src" / "CMakeLists.txt");
  constexpr std::string_view kCall = "\nheadroom_folder(";
  for (std::size_t at = content.find(kCall); at != std::string::npos;
       at = content.find(kCall, at + 1)) {
    const std::size_t begin = at + kCall.size();
    const std::string_view arguments =
        std::string_view(content).substr(begin, content.find(')', begin) - begin);
    std::string folder;
    bool in_depends = false;
    for (const std::string_view word : words_of(arguments)) {
      if (folder.empty()) {
        folder = word;
        table[folder];
      } else if (word == "DEPENDS" || word == "LINK") {
        in_depends = word == "DEPENDS";
      } else if (in_depends) {
        table[folder].emplace(word);
      }
    }
  }
  return table;
}

// The header named by an #include line, with its quotes or brackets; empty for any other line.
std::string_view included_by(std::string_view line) {
  line = trim(line);
  if (!line.starts_with('#')) return {};
  line = trim(line.substr(1));
  if (!line.starts_with("include")) return {};
  return trim(line.substr(std::string_view("include").size()));
}

// "net" for "\"net/socket.h\""; empty for a header of another kind.
std::string folder_of(std::string_view header) {
  const std::size_t slash = header.find('/');
  if (!header.starts_with('"') || slash == std::string_view::npos) return {};
  return std::string(header.substr(1, slash - 1));
}

bool may_include(const Table& table, const SourceFile& file, const std::string& folder) {
  const bool is_test = file.name().ends_with("_test.cc");
  if (folder == "tests") return is_test;
  if (folder == "scripted" && is_test) return true;  // the server that every client is held against
  const auto allowed = table.find(file.folder());
  return folder == file.folder() || (allowed != table.end() && allowed->second.contains(folder));
}

TEST(Layering, EveryFolderOfTheSourceIsInTheTable) {
  const Table table = table_of_the_build();
  std::vector<std::string> unknown;
  for (const auto& entry : fs::directory_iterator(source_folder() / "src")) {
    const std::string folder = entry.path().filename();
    if (entry.is_directory() && !table.contains(folder)) unknown.push_back(folder);
  }
  EXPECT_THAT(unknown, IsEmpty()) << "folders under src/ that src/CMakeLists.txt does not build";
}

TEST(Layering, TheTableHasNoCycle) {
  // Folders stand in the order in which data flows, so each names only earlier ones: peel off,
  // again and again, the folders all of whose dependencies are gone.
  Table table = table_of_the_build();
  ASSERT_GE(table.size(), 10U) << "src/CMakeLists.txt was not understood";
  std::set<std::string> settled;
  while (!table.empty()) {
    const auto next = std::ranges::find_if(
        table, [&](const auto& entry) { return std::ranges::includes(settled, entry.second); });
    ASSERT_NE(next, table.end()) << table.begin()->first << " depends on itself, or on no folder";
    settled.insert(next->first);
    table.erase(next);
  }
}

TEST(Layering, AFolderIncludesOnlyWhatTheTableAllows) {
  const Table table = table_of_the_build();
  std::vector<std::string> violations;
  for (const SourceFile& file : sources_under({"src"})) {
    for (const SourceLine& line : file.lines()) {
      const std::string_view header = included_by(line.text);
      if (header.empty() || header.starts_with('<')) continue;
      const std::string folder = folder_of(header);
      if (folder.empty()) {
        violations.push_back(line.where + ": name the folder, \"" + file.folder() + "/...\"");
      } else if (!may_include(table, file, folder)) {
        violations.push_back(line.where + ": src/" + file.folder() + " may not include src/" +
                             folder);
      }
    }
  }
  EXPECT_THAT(violations, IsEmpty());
}

TEST(Layering, OnlyTheStoreSeesSqlite) {
  std::vector<std::string> violations;
  for (const SourceFile& file : sources_under({"src", "bench"})) {
    if (file.folder() == "store") continue;
    for (const SourceLine& line : file.lines()) {
      if (included_by(line.text).find("sqlite3") != std::string_view::npos) {
        violations.push_back(line.where);
      }
    }
  }
  EXPECT_THAT(violations, IsEmpty());
}

// What docs/ARCHITECTURE.md says in the cell "may include": names, or "all above [but NAME]", or
// "all".
std::set<std::string> allowed_in_words(std::string_view cell, const std::set<std::string>& above) {
  cell = trim(cell);
  std::set<std::string> allowed;
  if (cell.starts_with("all")) {
    allowed = above;
    const std::size_t but = cell.find(" but ");
    if (but != std::string_view::npos) allowed.erase(std::string(cell.substr(but + 5)));
    return allowed;
  }
  for (const std::string_view name : split(cell, ',')) allowed.emplace(trim(name));
  allowed.erase("");
  allowed.erase("none of ours");
  return allowed;
}

// The page shows the table to people: | `net` | base | addresses, sockets, epoll |
TEST(Layering, TheArchitecturePageShowsTheTableOfTheBuild) {
  const Table table = table_of_the_build();
  const std::string content = content_of(source_folder() / "docs" / "ARCHITECTURE.md");
  std::set<std::string> shown;
  for (const std::string_view line : split(content, '\n')) {
    const std::vector<std::string_view> cells = split(line, '|');
    const std::string_view quoted = cells.size() < 4 ? std::string_view() : trim(cells[1]);
    if (quoted.size() < 3 || !quoted.starts_with('`') || !quoted.ends_with('`')) continue;
    const std::string folder = fs::path(quoted.substr(1, quoted.size() - 2)).filename();
    const auto built = table.find(folder);
    if (built == table.end()) continue;
    EXPECT_EQ(allowed_in_words(cells[2], shown), built->second)
        << "docs/ARCHITECTURE.md against src/CMakeLists.txt, folder " << folder;
    shown.insert(folder);
  }
  for (const auto& [folder, allowed] : table) {
    EXPECT_TRUE(shown.contains(folder)) << "docs/ARCHITECTURE.md does not have " << folder;
  }
}

TEST(Tidy, FilesAreSmallEnoughToRead) {
  std::vector<std::string> violations;
  for (const SourceFile& file : sources_under({"src", "tests", "bench"})) {
    const auto lines = static_cast<std::size_t>(std::ranges::count(file.content(), '\n'));
    if (lines > kMostLines) violations.push_back(file.name() + ": " + std::to_string(lines));
  }
  EXPECT_THAT(violations, IsEmpty()) << "files of more than " << kMostLines << " lines";
}

TEST(Tidy, HeadersAreIncludedOnce) {
  std::vector<std::string> violations;
  for (const SourceFile& file : sources_under({"src", "tests", "bench"})) {
    if (file.name().ends_with(".h") && file.content().find("#pragma once\n") == std::string::npos) {
      violations.push_back(file.name());
    }
  }
  EXPECT_THAT(violations, IsEmpty()) << "headers without #pragma once";
}

TEST(Tidy, LinesHaveNoTabsAndNoTrailingBlanks) {
  std::vector<std::string> violations;
  for (const SourceFile& file : sources_under({"src", "tests", "bench"})) {
    for (const SourceLine& line : file.lines()) {
      if (line.text.find('\t') != std::string_view::npos || line.text.ends_with(' ') ||
          line.text.ends_with('\r')) {
        violations.push_back(line.where);
      }
    }
    if (!file.content().ends_with('\n')) violations.push_back(file.name() + ": no last newline");
  }
  EXPECT_THAT(violations, IsEmpty());
}

}  // namespace
}  // namespace headroom
