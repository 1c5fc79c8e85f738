#include "base/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

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
}

TEST_F(FileTest, ReadingAPipeTakesAllThatItsWriterGives) {
  const fs::path path = directory_.path() / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const std::string content(200'000, 'a');  // more than a pipe holds
  std::jthread writer([&] { EXPECT_TRUE(write_file(path, content)); });
  EXPECT_EQ(read_file(path).value(), content);
}

TEST_F(FileTest, ReadingRefusesWhatMayNeverEnd) {
  const fs::path path = directory_.path() / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const auto complaint = [](const fs::path& of) {
    const Result<std::string> result = read_file(of, 1000, std::chrono::milliseconds{10});
    return result ? "none" : result.error().message;
  };
  EXPECT_EQ(complaint(path), "cannot read " + path.string() +
                                 ": it is a pipe, and nothing came through it for 10 ms");
  const UniqueFd silent(::open(path.c_str(), O_RDWR | O_CLOEXEC));  // a writer that says nothing
  EXPECT_THAT(complaint(path), HasSubstr("nothing came through it"));
  EXPECT_EQ(complaint("/dev/zero"), "cannot read /dev/zero: it is neither a file nor a pipe");
}

TEST_F(FileTest, WritingNeverReplacesAPipe) {
  const fs::path path = directory_.path() / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const fs::path link = directory_.path() / "link";
  fs::create_symlink("pipe", link);
  for (const fs::path& name : {path, link}) {
    std::string got;
    {
      std::jthread reader([&] { got = read_file(path).value_or("nothing came"); });
      EXPECT_TRUE(write_file(name, "content"));
    }
    EXPECT_EQ(got, "content");
    EXPECT_TRUE(fs::is_fifo(path));
    EXPECT_TRUE(fs::is_symlink(link));
  }
}

TEST_F(FileTest, WritingNeverReplacesADevice) {
  const fs::path path = directory_.path() / "null";
  if (::mknod(path.c_str(), S_IFCHR | 0600, ::makedev(1, 3)) != 0)
    GTEST_SKIP() << "may not make a device";
  const Status status = write_file(path, "content");  // may be refused: a file system without them
  EXPECT_TRUE(fs::is_character_file(path)) << (status ? "written" : status.error().message);
}

TEST_F(FileTest, WritingFollowsSymbolicLinks) {
  const fs::path place = directory_.path() / "place";
  fs::create_directory(place);
  ASSERT_TRUE(write_file(place / "x", "old"));
  fs::create_symlink("place/x", directory_.path() / "first");
  fs::create_symlink(directory_.path() / "first", directory_.path() / "second");
  fs::create_symlink("place/new", directory_.path() / "dangling");
  ASSERT_TRUE(write_file(directory_.path() / "second", "content"));
  ASSERT_TRUE(write_file(directory_.path() / "dangling", "new content"));
  EXPECT_EQ(read_file(place / "x").value(), "content");
  EXPECT_EQ(read_file(place / "new").value(), "new content");
  for (const char* link : {"first", "second", "dangling"})
    EXPECT_TRUE(fs::is_symlink(directory_.path() / link)) << link;
  fs::create_symlink("circle", directory_.path() / "circle");
  EXPECT_THAT(write_file(directory_.path() / "circle", "").error().message,
              HasSubstr("symbolic links"));
}

TEST_F(FileTest, WritingToADescriptorKeepsWhatItsFileHolds) {
  const fs::path path = directory_.path() / "log";
  ASSERT_TRUE(write_file(path, "before\n"));
  const UniqueFd log(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  ASSERT_TRUE(write_file("/proc/self/fd/" + std::to_string(log.get()), "content\n"));
  EXPECT_EQ(read_file(path).value(), "before\ncontent\n");
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
