// Compares rendered output with the files in tests/golden/. HEADROOM_UPDATE_GOLDEN=1 in the
// environment rewrites them instead: look at the difference before committing it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "tests/support/source_folder.h"

namespace headroom::testing {

[[nodiscard]] inline std::string read_whole(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return std::move(content).str();
}

inline void expect_golden(const std::string& name, std::string_view actual) {
  const std::filesystem::path path = source_folder() / "tests" / "golden" / name;
  if (std::getenv("HEADROOM_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << actual;
    return;
  }
  ASSERT_TRUE(std::filesystem::exists(path))
      << path << " is missing; HEADROOM_UPDATE_GOLDEN=1 writes it";
  EXPECT_EQ(read_whole(path), actual) << "differs from " << path;
}

}  // namespace headroom::testing
