#include "cli/page_file.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <string>
#include <system_error>

#include "base/file.h"
#include "base/text.h"
#include "report/html.h"
#include "report/markdown.h"

namespace headroom::cli {
namespace {

using IsOurs = bool (*)(std::string_view);

// By its first bytes: what is in the way may be large.
bool begins_as(const std::filesystem::path& path, IsOurs is_ours) {
  std::array<char, 256> begin{};
  std::ifstream file(path, std::ios::binary);
  file.read(begin.data(), begin.size());
  return is_ours({begin.data(), static_cast<std::size_t>(file.gcount())});
}

Status write_over_ours(const std::filesystem::path& path, std::string_view text, IsOurs is_ours,
                       std::string_view what, std::string_view flag) {
  std::error_code error;
  if (std::filesystem::is_regular_file(path, error) &&
      std::filesystem::file_size(path, error) > 0 && !begins_as(path, is_ours)) {
    return fail(ErrorKind::kUsage,
                "{}: is there and is no {}, so it is not overwritten; give another name to {}, or "
                "remove it first",
                printable(path.string()), what, flag);
  }
  return write_file(path, text);
}

// 0, or why xdg-open cannot be run.
int ask_desktop(std::string what) {
  std::string program = "xdg-open";
  const std::array<char*, 3> arguments = {program.data(), what.data(), nullptr};
  // In a session of its own and with nothing of ours, since a browser outlives us.
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  pid_t child = -1;
  const int code =
      posix_spawnp(&child, program.c_str(), &actions, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return code;
}

}  // namespace

Status write_page(const std::filesystem::path& path, std::string_view html) {
  return write_over_ours(path, html, report::is_html_report, "report page", "--html");
}

Status write_markdown(const std::filesystem::path& path, std::string_view text) {
  return write_over_ours(path, text, report::is_markdown_report, "Markdown report", "--markdown");
}

Status open_page(const std::filesystem::path& path) {
  const int code = ask_desktop(std::filesystem::absolute(path).string());
  if (code == 0) return {};
  return fail(ErrorKind::kIncomplete,
              "{}: written, but not shown: cannot run xdg-open: {}; open it in a browser yourself",
              printable(path.string()), std::generic_category().message(code));
}

Status open_url(const std::string& url) {
  const int code = ask_desktop(url);
  if (code == 0) return {};
  return fail(ErrorKind::kIncomplete,
              "{}: served, but not shown: cannot run xdg-open: {}; open it in a browser yourself",
              printable(url), std::generic_category().message(code));
}

}  // namespace headroom::cli
