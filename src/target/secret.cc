#include "target/secret.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "base/file.h"
#include "base/text.h"

namespace headroom::target {

Result<std::string> read_password(const scenario::Target& target) {
  if (!target.password_file.empty()) {
    constexpr std::size_t kLongest = 64U << 10U;
    auto content = read_file(target.password_file, kLongest);
    if (!content) {
      return fail(ErrorKind::kUsage, "target.password_file: {}", content.error().message);
    }
    if (content->ends_with('\n')) content->pop_back();
    if (content->ends_with('\r')) content->pop_back();
    if (content->empty()) {
      return fail(ErrorKind::kUsage, "target.password_file: {} is empty", target.password_file);
    }
    return content;
  }
  if (!target.password_env.empty()) {
    const char* const value = std::getenv(target.password_env.c_str());
    if (value == nullptr || *value == '\0') {
      return fail(ErrorKind::kUsage, "target.password_env: the environment variable {} is {}",
                  target.password_env, value == nullptr ? "not set" : "empty");
    }
    return value;
  }
  return std::string();
}

Status check_password(const scenario::Target& target) {
  std::error_code error;
  const bool readable_again = target.password_file.empty() ||
                              !std::filesystem::exists(target.password_file, error) ||
                              std::filesystem::is_regular_file(target.password_file, error);
  if (readable_again) {
    if (auto password = read_password(target); !password) {
      return fail(std::move(password.error()));
    }
    return {};
  }
  if (::access(target.password_file.c_str(), R_OK) != 0) {
    return fail(ErrorKind::kUsage, "target.password_file: {}: {}", target.password_file,
                errno_text(errno));
  }
  return {};
}

bool is_secret_directive(std::string_view name) {
  // requirepass, tls-key-file-pass, tls-client-key-file-pass; masterauth, primaryauth; masteruser,
  // primaryuser (who may replicate is nobody's business either).
  return name.find("pass") != std::string_view::npos || name.ends_with("auth") ||
         name.ends_with("user");
}

}  // namespace headroom::target
