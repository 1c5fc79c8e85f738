#include "target/node_directory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>

namespace headroom::target {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

// With a temporary directory of its own, so that other people's nodes are not touched.
class NodeDirectoryTest : public testing::Test {
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
  fs::path leave_behind() {
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
    return length > 0 ? fs::path(std::string(text.data(), static_cast<std::size_t>(length)))
                      : fs::path();
  }

  std::optional<TempDir> base_;
  std::optional<std::string> before_;
};

TEST_F(NodeDirectoryTest, IsRemovedWithItsLock) {
  auto directory = NodeDirectory::create();
  ASSERT_TRUE(directory) << directory.error().message;
  EXPECT_TRUE(fs::is_directory(directory->path()));
  ASSERT_TRUE(directory->remove());
  EXPECT_TRUE(fs::is_empty(base_->path()));
  EXPECT_TRUE(directory->remove());
}

TEST_F(NodeDirectoryTest, IsLeftAloneWhileItsOwnerLives) {
  auto directory = NodeDirectory::create();
  ASSERT_TRUE(directory) << directory.error().message;
  EXPECT_THAT(remove_abandoned_node_directories(), IsEmpty());
  EXPECT_TRUE(fs::is_directory(directory->path()));
}

TEST_F(NodeDirectoryTest, IsRemovedByOthersWhenItsOwnerWasKilled) {
  const fs::path left = leave_behind();
  ASSERT_TRUE(write_file(left / "engine.conf", "port 0\n"));
  EXPECT_THAT(remove_abandoned_node_directories(), ElementsAre(left));
  EXPECT_FALSE(fs::exists(left));
}

TEST_F(NodeDirectoryTest, WhatHasNoLockOrIsNoDirectoryIsNobodysToRemove) {
  fs::create_directory(base_->path() / "headroom-node-without");
  const fs::path elsewhere = leave_behind();
  const fs::path other = base_->path() / "other";
  fs::rename(elsewhere, other);
  fs::create_directory_symlink(other, base_->path() / "headroom-node-link");
  EXPECT_THAT(remove_abandoned_node_directories(), IsEmpty());
  EXPECT_TRUE(fs::exists(other / "owner.lock"));
  EXPECT_TRUE(fs::exists(base_->path() / "headroom-node-without"));
}

}  // namespace
}  // namespace headroom::target
