// A temporary directory of a test's own, so that other people's nodes are not touched, and nodes
// whose owner was killed.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <optional>
#include <string>

#include "base/file.h"
#include "target/node_directory.h"

namespace headroom::target {

class NodeFixture : public testing::Test {
 protected:
  void SetUp() override {
    auto base = TempDir::create("node-directory-test");
    ASSERT_TRUE(base) << base.error().message;
    base_.emplace(std::move(*base));
    const char* const before = ::getenv("TMPDIR");
    if (before != nullptr) before_ = before;
    ASSERT_EQ(::setenv("TMPDIR", base_->path().c_str(), 1), 0);
  }
  void TearDown() override {
    if (before_) {
      ::setenv("TMPDIR", before_->c_str(), 1);
    } else {
      ::unsetenv("TMPDIR");
    }
  }

  // Has another process own a directory and be killed; the directory it leaves.
  std::filesystem::path leave_behind() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe(ends.data()), 0);
    const pid_t owner = ::fork();
    if (owner == 0) {
      const auto directory = NodeDirectory::create();
      const std::string path = directory ? directory->path().string() : "";
      if (::write(ends[1], path.data(), path.size()) < 0) ::_exit(1);
      ::raise(SIGKILL);
    }
    ::close(ends[1]);
    std::array<char, 4096> text{};
    const ssize_t length = ::read(ends[0], text.data(), text.size());
    ::close(ends[0]);
    EXPECT_EQ(::waitpid(owner, nullptr, 0), owner);
    return length > 0
               ? std::filesystem::path(std::string(text.data(), static_cast<std::size_t>(length)))
               : std::filesystem::path();
  }

  std::optional<TempDir> base_;
  std::optional<std::string> before_;
};

}  // namespace headroom::target
