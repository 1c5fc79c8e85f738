#include "target/node_directory.h"

#include <gmock/gmock.h>

#include "tests/support/node_fixture.h"

namespace headroom::target {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class NodeDirectoryTest : public NodeFixture {};

TEST_F(NodeDirectoryTest, IsRemovedWithItsLock) {
  auto directory = NodeDirectory::create();
  ASSERT_TRUE(directory) << directory.error().message;
  EXPECT_TRUE(fs::is_directory(directory->path()));
  ASSERT_TRUE(directory->remove());
  EXPECT_TRUE(fs::is_empty(base_->path()));
  EXPECT_TRUE(directory->remove());
}

TEST_F(NodeDirectoryTest, IsFoundAndNotAbandonedWhileItsOwnerLives) {
  auto directory = NodeDirectory::create();
  ASSERT_TRUE(directory) << directory.error().message;
  EXPECT_THAT(find_node_directories(), ElementsAre(directory->path()));
  EXPECT_FALSE(lock_abandoned(directory->path()).valid());
}

TEST_F(NodeDirectoryTest, IsAbandonedWhenItsOwnerWasKilled) {
  const fs::path left = leave_behind();
  EXPECT_THAT(find_node_directories(), ElementsAre(left));
  const UniqueFd lock = lock_abandoned(left);
  EXPECT_TRUE(lock.valid());
  EXPECT_FALSE(lock_abandoned(left).valid()) << "taken to be removed";
}

TEST_F(NodeDirectoryTest, WhatHasNoLockOrIsNoDirectoryIsNobodysToRemove) {
  fs::create_directory(base_->path() / "headroom-node-without");
  const fs::path elsewhere = leave_behind();
  const fs::path other = base_->path() / "other";
  fs::rename(elsewhere, other);
  fs::create_directory_symlink(other, base_->path() / "headroom-node-link");
  EXPECT_THAT(find_node_directories(), IsEmpty());
}

}  // namespace
}  // namespace headroom::target
