#include "target/node_list.h"

#include <gmock/gmock.h>

#include "base/subprocess.h"
#include "target/process.h"
#include "tests/support/node_fixture.h"

namespace headroom::target {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class NodeListTest : public NodeFixture {
 protected:
  // The node of this test's temporary directory; abandoned cgroups of others may be there, too.
  static std::optional<FoundNode> found(const fs::path& directory) {
    for (FoundNode& node : find_nodes()) {
      if (node.directory == directory) return std::move(node);
    }
    return std::nullopt;
  }
};

TEST(NodeCard, ParsesBack) {
  const NodeCard card{11, "4711", 12, "127.0.0.1:6401", "valkey 9.1.2 as cache.t4g.micro"};
  const auto again = parse_card(print_card(card));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->owner, 11);
  EXPECT_EQ(again->owner_start_time, "4711");
  EXPECT_EQ(again->engine, 12);
  EXPECT_EQ(again->address, "127.0.0.1:6401");
  EXPECT_EQ(again->what, "valkey 9.1.2 as cache.t4g.micro");
  EXPECT_FALSE(parse_card(""));
  EXPECT_FALSE(parse_card("owner -1\nowner_start_time 5\nengine 12\n"));
  EXPECT_FALSE(parse_card("owner 1\nengine 12\n"));
}

TEST_F(NodeListTest, ALivingNodeSaysWhatItIs) {
  auto directory = NodeDirectory::create();
  ASSERT_TRUE(directory);
  ASSERT_TRUE(write_card(directory->path(), {::getpid(), process_start_time(::getpid()), 12,
                                             "127.0.0.1:6401", "valkey 9.1.2"}));
  const auto node = found(directory->path());
  ASSERT_TRUE(node);
  EXPECT_TRUE(node->alive);
  ASSERT_TRUE(node->card);
  EXPECT_EQ(node->card->address, "127.0.0.1:6401");
  const Status cleared = clear_node(*node);
  ASSERT_FALSE(cleared);
  EXPECT_EQ(cleared.error().kind, ErrorKind::kTeardown);
  EXPECT_THAT(cleared.error().message, HasSubstr("has an owner"));
  EXPECT_TRUE(fs::exists(directory->path()));
}

TEST_F(NodeListTest, WhatAKilledOwnerLeftIsEndedAndRemoved) {
  const fs::path left = leave_behind();
  ASSERT_TRUE(write_file(left / "engine.conf", "port 0\n"));
  SubprocessOptions options;
  options.argv = {"sleep", "600"};
  options.working_directory = left;
  auto orphan = Subprocess::start(options);
  ASSERT_TRUE(orphan) << orphan.error().message;
  const auto node = found(left);
  ASSERT_TRUE(node);
  EXPECT_FALSE(node->alive);
  EXPECT_THAT(node->processes, ElementsAre(orphan->pid()));
  const Status cleared = clear_node(*node);
  EXPECT_TRUE(cleared) << cleared.error().message;
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(orphan->wait(std::chrono::seconds{10}));
}

TEST_F(NodeListTest, AllAbandonedOnesAreClearedAndTheLivingStay) {
  const fs::path left = leave_behind();
  auto living = NodeDirectory::create();
  ASSERT_TRUE(living);
  EXPECT_THAT(clear_abandoned_nodes(), testing::Contains(left.filename().string()));
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(living->path()));
}

TEST_F(NodeListTest, OnlyAnOwnerThatIsStillTheSameProcessIsAskedToEnd) {
  auto directory = NodeDirectory::create();
  ASSERT_TRUE(directory);
  ASSERT_TRUE(write_card(directory->path(), {::getpid(), "1", 12, "127.0.0.1:6401", "x"}));
  const auto node = found(directory->path());
  ASSERT_TRUE(node);
  EXPECT_FALSE(end_node(*node, real_clock().now() + std::chrono::seconds{1}));
}

}  // namespace
}  // namespace headroom::target
