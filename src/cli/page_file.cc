#include "cli/page_file.h"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <string>
#include <system_error>

#include "base/file.h"
#include "base/text.h"
#include "report/html.h"

namespace headroom::cli {
namespace {

// Only its first bytes: what is in the way may be large.
bool is_page_of_ours(const std::filesystem::path& path) {
  std::array<char, 256> begin{};
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), begin.size());
  return report::is_html_report({begin.data(), static_cast<std::size_t>(file.gcount())});
}

}  // namespace

Status write_page(const std::filesystem::path& path, std::string_view html) {
  std::error_code error;
  if (std::filesystem::is_regular_file(path, error) &&
      std::filesystem::file_size(path, error) > 0 && !is_page_of_ours(path)) {
    return fail(
        ErrorKind::kUsage,
        "{}: is there and is no report page, so it is not overwritten; give another name to "
        "--html, or remove it first",
        printable(path.string()));
  }
  return write_file(path, html);
}

Status open_page(const std::filesystem::path& path) {
  const std::string file = std::filesystem::absolute(path).string();
  std::string program = "xdg-open";
  std::string argument = file;
  const std::array<char*, 3> arguments = {program.data(), argument.data(), nullptr};
  // In a session of its own and with nothing of ours, since a browser outlives us.
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = -1;
  const int code =
      posix_spawnp(&child, program.c_str(), &actions, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (code == 0) return {};
  return fail(ErrorKind::kIncomplete,
              "{}: written, but not shown: cannot run xdg-open: {}; open it in a browser yourself",
              printable(path.string()), std::generic_category().message(code));
}

}  // namespace headroom::cli
