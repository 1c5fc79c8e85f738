#include "base/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace headroom {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::StartsWith;

bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

TEST(UniqueFd, ClosesOnceAndKeepsErrno) {
  const int raw = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  UniqueFd first(raw);
  UniqueFd second(std::move(first));
  EXPECT_EQ(second.get(), raw);
  EXPECT_TRUE(is_open(raw));
  errno = ENOSPC;
  second.reset();
  EXPECT_EQ(errno, ENOSPC);
  EXPECT_FALSE(is_open(raw));
  EXPECT_FALSE(second.valid());
}

TEST(UniqueFd, ReleaseGivesUpOwnership) {
  int raw = -1;
  {
    UniqueFd fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    raw = fd.release();
  }
  EXPECT_TRUE(is_open(raw));
  ::close(raw);
}

class FileTest : public testing::Test {
 protected:
  TempDir directory_ = TempDir::create("headroom-file-test").value();
};

TEST_F(FileTest, WhatIsWrittenIsReadBack) {
  const fs::path path = directory_.path() / "x";
  std::string content(200'000, 'a');
  content[70'000] = '\0';
  ASSERT_TRUE(write_file(path, content));
  EXPECT_EQ(read_file(path).value(), content);
  ASSERT_TRUE(write_file(path, ""));
  EXPECT_EQ(read_file(path).value(), "");
}

TEST_F(FileTest, WritingLeavesNothingElseBehind) {
  ASSERT_TRUE(write_file(directory_.path() / "x", "1"));
  ASSERT_FALSE(write_file(directory_.path(), "1")) << "a directory cannot be replaced by a file";
  EXPECT_EQ(std::distance(fs::directory_iterator(directory_.path()), fs::directory_iterator()), 1);
}

TEST_F(FileTest, FailingToWriteNamesThePathAndKeepsTheOldContent) {
  const fs::path path = directory_.path() / "none" / "x";
  const Status status = write_file(path, "1");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().kind, ErrorKind::kIncomplete);
  EXPECT_EQ(status.error().message,
            "cannot write " + path.string() + ": No such file or directory");
}

TEST_F(FileTest, FailingToReadNamesThePath) {
  const Result<std::string> missing = read_file(directory_.path() / "none");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(missing.error().message, HasSubstr((directory_.path() / "none").string()));
  EXPECT_THAT(read_file(directory_.path()).error().message, HasSubstr("Is a directory"));
}

TEST_F(FileTest, ReadingRefusesWhatIsLargerThanTheLimit) {
  const fs::path path = directory_.path() / "x";
  ASSERT_TRUE(write_file(path, "12345"));
  EXPECT_EQ(read_file(path, 5).value(), "12345");
  EXPECT_THAT(read_file(path, 4).error().message, HasSubstr("at most 4 bytes"));
  EXPECT_THAT(read_file("/dev/zero", 1000).error().message, HasSubstr("too large"));
}

TEST_F(FileTest, ReadsFilesThatDoNotKnowTheirSize) {
  EXPECT_THAT(read_file("/proc/self/status").value(), StartsWith("Name:"));
}

TEST(TempDir, IsPrivateAndGoesWithItsContent) {
  fs::path path;
  {
    const TempDir directory = TempDir::create("headroom-temp-test").value();
    path = directory.path();
    struct stat info{};
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0700U);
    ASSERT_TRUE(fs::create_directories(path / "a/b"));
    ASSERT_TRUE(write_file(path / "a/b/c", "1"));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TempDir, MovesWithoutRemovingAndRemovesWhatIsReplaced) {
  TempDir first = TempDir::create("headroom-temp-test").value();
  TempDir second = TempDir::create("headroom-temp-test").value();
  const fs::path kept = first.path();
  const fs::path replaced = second.path();
  second = std::move(first);
  EXPECT_EQ(second.path(), kept);
  EXPECT_TRUE(fs::exists(kept));
  EXPECT_FALSE(fs::exists(replaced));
  EXPECT_TRUE(second.remove());
  EXPECT_FALSE(fs::exists(kept));
  EXPECT_TRUE(second.remove());
}

}  // namespace
}  // namespace headroom
