// SIGKILL at any moment, and readers while somebody writes.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>

#include "base/random.h"
#include "store/run_reader.h"
#include "store/run_samples.h"

namespace headroom::store {
namespace {

using testing::ElementsAre;

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A child that writes seconds as fast as it can and says each commit on a pipe.
class WritingChild {
 public:
  explicit WritingChild(const std::filesystem::path& path) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) ::abort();
    pid_ = ::fork();
    if (pid_ == 0) write_for_ever(path, ends[1]);
    ::close(ends[1]);
    from_child_ = ends[0];
  }
  ~WritingChild() {
    kill();
    ::close(from_child_);
  }
  WritingChild(const WritingChild&) = delete;
  WritingChild& operator=(const WritingChild&) = delete;

  // Waits until at least so many commits are known to have returned.
  void wait_for(std::size_t commits) {
    char byte = 0;
    while (commits_ < commits && ::read(from_child_, &byte, 1) == 1) ++commits_;
    ASSERT_GE(commits_, commits);
  }
  // Kills it and returns how many commits had returned by then.
  std::size_t kill() {
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
      pid_ = -1;
    }
    char byte = 0;
    while (::read(from_child_, &byte, 1) == 1) ++commits_;
    return commits_;
  }

 private:
  [[noreturn]] static void write_for_ever(const std::filesystem::path& path, int to_parent) {
    RunWriter writer = must_create(path);
    BusySeconds load(7);
    while (true) {
      if (!load.write_next(writer) || !writer.commit()) ::_exit(1);
      if (::write(to_parent, "c", 1) != 1) ::_exit(1);
    }
  }

  pid_t pid_ = -1;
  int from_child_ = -1;
  std::size_t commits_ = 0;
};

TEST(RunCrash, EverySecondThatWasCommittedSurvivesSigkill) {
  Random random(3);
  for (int repeat = 0; repeat < 6; ++repeat) {
    const ScratchDirectory scratch;
    const auto path = scratch / "a.run";
    WritingChild child(path);
    child.wait_for(1 + random.below(40));
    ::usleep(static_cast<useconds_t>(random.below(20'000)));  // anywhere within a commit
    const std::size_t committed = child.kill();
    const auto run = read_run(path);
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_GE(run->intervals.size(), committed);
    EXPECT_LE(run->intervals.size(), committed + 1);  // committed, and died before saying so
    EXPECT_EQ(run->workers.size(), 9 * run->intervals.size());
    EXPECT_FALSE(run->end);
    EXPECT_EQ(verify_run(path)->state, SealState::kIncomplete);
  }
}

TEST(RunCrash, ReadingAKilledRunChangesAndLeavesNothing) {
  const ScratchDirectory scratch;
  const auto path = scratch / "a.run";
  {
    WritingChild child(path);
    child.wait_for(3);
  }
  const auto names = scratch.names();
  ASSERT_THAT(names, ElementsAre("a.run", "a.run-shm", "a.run-wal"));
  const std::string database = content(path);
  const std::string log = content(scratch / "a.run-wal");
  ASSERT_TRUE(read_run(path));
  EXPECT_EQ(scratch.names(), names);
  EXPECT_EQ(content(path), database);
  EXPECT_EQ(content(scratch / "a.run-wal"), log);
}

TEST(RunCrash, AKilledRunIsReadWithoutPermissionToWrite) {
  const ScratchDirectory scratch;
  const auto path = scratch / "a.run";
  std::size_t committed = 0;
  {
    WritingChild child(path);
    child.wait_for(3);
    committed = child.kill();
  }
  std::filesystem::remove(scratch / "a.run-shm");
  for (const char* name : {"a.run", "a.run-wal"}) ::chmod((scratch / name).c_str(), 0444);
  ::chmod(scratch.path().c_str(), 0555);
  const auto run = read_run(path);
  ::chmod(scratch.path().c_str(), 0755);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_GE(run->intervals.size(), committed);
  EXPECT_THAT(scratch.names(), ElementsAre("a.run", "a.run-wal"));
}

TEST(RunCrash, ALinkToAKilledRunFindsItsLog) {
  const ScratchDirectory scratch;
  std::filesystem::create_directory(scratch / "elsewhere");
  std::size_t committed = 0;
  {
    WritingChild child(scratch / "elsewhere/a.run");
    child.wait_for(2);
    committed = child.kill();
  }
  std::filesystem::create_symlink("elsewhere/a.run", scratch / "link.run");
  const auto run = read_run(scratch / "link.run");
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_GE(run->intervals.size(), committed);
}

TEST(RunCrash, ReadersOfALiveFileSeeAGrowingRunAcrossCheckpoints) {
  const ScratchDirectory scratch;
  const auto path = scratch / "a.run";
  WritingChild child(path);
  child.wait_for(1);
  std::size_t seen = 0;
  std::size_t largest_log = 0;
  bool checkpointed = false;
  for (std::size_t wanted = 1; wanted < 4'000 && !checkpointed; wanted = seen + 40) {
    child.wait_for(wanted);
    const auto run = read_run(path);
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_GE(run->intervals.size(), wanted);
    EXPECT_GE(run->intervals.size(), seen);
    seen = run->intervals.size();
    // Once the log has been emptied into the database, that grows for the first time.
    largest_log = std::max(largest_log, std::filesystem::file_size(scratch / "a.run-wal"));
    checkpointed = std::filesystem::file_size(path) > std::size_t{1} << 20U;
  }
  EXPECT_TRUE(checkpointed);
  EXPECT_LT(largest_log, std::size_t{8} << 20U);
}

TEST(RunCrash, SealingWaitsForNoReaderOfOurs) {
  const ScratchDirectory scratch;
  const auto path = scratch / "a.run";
  RunWriter writer = must_create(path);
  write_run(writer, sample_run());
  const auto run = read_run(path);
  ASSERT_TRUE(run);
  ASSERT_TRUE(writer.seal(record::RunEnd::kComplete, ""));
  EXPECT_EQ(verify_run(path)->state, SealState::kSealed);
}

}  // namespace
}  // namespace headroom::store
