#include "store/run_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <csignal>
#include <fstream>

#include "store/run_reader.h"
#include "store/run_samples.h"
#include "store/sqlite.h"

namespace headroom::store {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(RunWriter, WhatItWasGivenIsReadBackTheSame) {
  const ScratchDirectory scratch;
  const auto path = scratch / "a.run";
  record::Run expected = sample_run();
  RunWriter writer = must_create(path);
  write_run(writer, expected);
  ASSERT_TRUE(writer.seal(record::RunEnd::kInterrupted, "the user asked to stop"));
  expected.end = record::RunEnd::kInterrupted;
  expected.end_reason = "the user asked to stop";

  const auto actual = read_run(path);
  ASSERT_TRUE(actual) << actual.error().message;
  expect_same_run(*actual, expected);
}

TEST(RunWriter, AnUnsealedFileHoldsTheSameWithoutAnEnd) {
  const ScratchDirectory scratch;
  const auto path = scratch / "a.run";
  const record::Run expected = sample_run();
  {
    RunWriter writer = must_create(path);
    write_run(writer, expected);
  }
  const auto actual = read_run(path);
  ASSERT_TRUE(actual) << actual.error().message;
  expect_same_run(*actual, expected);
  EXPECT_FALSE(actual->end.has_value());
}

TEST(RunWriter, TheHeaderIsThereAsSoonAsTheFileIs) {
  const ScratchDirectory scratch;
  const RunWriter writer = must_create(scratch / "a.run");
  const auto run = read_run(scratch / "a.run");
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->header.run_id, sample_header().run_id);
  EXPECT_TRUE(run->intervals.empty());
}

TEST(RunWriter, SealingLeavesOnePlainReadOnlyFile) {
  const ScratchDirectory scratch;
  make_sealed_run(scratch / "a.run");
  EXPECT_THAT(scratch.names(), ElementsAre("a.run"));
  struct stat status{};
  ASSERT_EQ(::stat((scratch / "a.run").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0444U);
  std::ifstream file(scratch / "a.run", std::ios::binary);
  std::string header(100, '\0');
  file.read(header.data(), 100);
  EXPECT_EQ(header[18], 1) << "still in WAL mode";
  EXPECT_EQ(header.substr(68, 4), "HDRM");
}

TEST(RunWriter, ASealedWriterTakesNothingMore) {
  const ScratchDirectory scratch;
  RunWriter writer = must_create(scratch / "a.run");
  ASSERT_TRUE(writer.seal(record::RunEnd::kComplete, ""));
  const Status again = writer.fact("a", "b");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, ErrorKind::kInternal);
}

TEST(RunWriter, SealsEvenIfAnotherProgramHoldsTheFileOpenAndSaysThatTheLogStays) {
  const ScratchDirectory scratch;
  const auto path = scratch / "a.run";
  RunWriter writer = must_create(path);
  write_run(writer, sample_run());
  auto other = Database::open(path, SQLITE_OPEN_READWRITE, path);
  ASSERT_TRUE(other);
  ASSERT_EQ(other->execute("BEGIN; SELECT * FROM run"), SQLITE_OK);
  const Status sealed = writer.seal(record::RunEnd::kComplete, "");
  ASSERT_FALSE(sealed);
  EXPECT_THAT(sealed.error().message, AllOf(HasSubstr("another program"), HasSubstr("a.run-wal")));
  EXPECT_EQ(verify_run(path)->state, SealState::kSealed);
  EXPECT_TRUE(read_run(path)->end.has_value());
}

TEST(RunWriter, ALaterFactReplacesAnEarlierOne) {
  const ScratchDirectory scratch;
  RunWriter writer = must_create(scratch / "a.run");
  ASSERT_TRUE(writer.fact("engine.version", "1"));
  ASSERT_TRUE(writer.fact("engine.version", "2"));
  ASSERT_TRUE(writer.commit());
  EXPECT_EQ(read_run(scratch / "a.run")->facts.at("engine.version"), "2");
}

TEST(RunWriter, WhatIsNotANumberIsAbsent) {
  const ScratchDirectory scratch;
  RunWriter writer = must_create(scratch / "a.run");
  const record::MetricId metric = 0;
  ASSERT_TRUE(writer.samples({Nanos{1}, {{metric, "", NAN}, {metric, "get", NAN}}}));
  ASSERT_TRUE(writer.samples({Nanos{2}, {{metric, "", 0.0}}}));
  ASSERT_TRUE(writer.commit());
  const auto run = read_run(scratch / "a.run");
  ASSERT_EQ(run->metrics.size(), 1U);
  ASSERT_EQ(run->metrics[0].points.size(), 1U);
  EXPECT_EQ(run->metrics[0].points[0].time, Nanos{2});
}

TEST(RunWriter, IntervalsThatEndAtDifferentTimesStayApart) {
  const ScratchDirectory scratch;
  RunWriter writer = must_create(scratch / "a.run");
  record::WorkerCounts counts;
  counts.counts.resize(2);
  for (const std::int64_t end : {10, 11}) {
    counts.worker = static_cast<std::uint32_t>(end - 10);
    counts.interval.end = Nanos{end};
    ASSERT_TRUE(writer.worker_counts(counts));
  }
  ASSERT_TRUE(writer.commit());
  const auto run = read_run(scratch / "a.run");
  ASSERT_EQ(run->workers.size(), 2U);
  EXPECT_EQ(run->workers[0].interval.end, Nanos{10});
  EXPECT_EQ(run->workers[1].interval.end, Nanos{11});
}

TEST(RunWriter, RefusesToOverwrite) {
  const ScratchDirectory scratch;
  make_sealed_run(scratch / "a.run");
  const auto again = RunWriter::create(scratch / "a.run", sample_header());
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(again.error().message, AllOf(HasSubstr("a.run"), HasSubstr("exists")));
  EXPECT_EQ(verify_run(scratch / "a.run")->state, SealState::kSealed);
}

TEST(RunWriter, RefusesANameWhoseLogIsLeftOfAnotherFile) {
  const ScratchDirectory scratch;
  std::ofstream(scratch / "a.run-wal") << "left";
  const auto writer = RunWriter::create(scratch / "a.run", sample_header());
  ASSERT_FALSE(writer);
  EXPECT_THAT(writer.error().message, HasSubstr("a.run-wal"));
  EXPECT_THAT(scratch.names(), ElementsAre("a.run-wal"));
}

TEST(RunWriter, SaysWhyAFileCannotBeCreated) {
  const auto nowhere = RunWriter::create("/nowhere/at/all/a.run", sample_header());
  ASSERT_FALSE(nowhere);
  EXPECT_THAT(nowhere.error().message,
              AllOf(HasSubstr("/nowhere/at/all/a.run"), HasSubstr("No such file or directory")));
  // Not even root may write there.
  const auto refused = RunWriter::create("/proc/a.run", sample_header());
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("/proc/a.run: cannot be created"));
}

TEST(RunWriter, TakesEveryPathLiterally) {
  const ScratchDirectory scratch;
  for (const std::string name : {"a b.run", "a?mode=ro.run", "100%41.run", "a#b.run", "a\nb.run",
                                 "file:x.run", ":memory:", "ä'\".run"}) {
    make_sealed_run(scratch / name);
    const auto run = read_run(scratch / name);
    EXPECT_TRUE(run) << name;
    EXPECT_EQ(verify_run(scratch / name)->state, SealState::kSealed) << name;
  }
  EXPECT_EQ(scratch.names().size(), 8U);
}

TEST(RunWriter, TakesARelativePathLiterallyToo) {
  const ScratchDirectory scratch;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(scratch.path());
  make_sealed_run("file:x.run?mode=memory");
  const auto run = read_run("file:x.run?mode=memory");
  std::filesystem::current_path(before);
  EXPECT_TRUE(run);
  EXPECT_THAT(scratch.names(), ElementsAre("file:x.run?mode=memory"));
}

// Runs in a child process, whose files the kernel keeps below a limit. Exit code 0: the writer's
// error was right and what had been committed was read.
[[noreturn]] void fill_the_disk(const std::filesystem::path& path) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{std::size_t{1} << 20U, std::size_t{1} << 20U};
  if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(2);
  RunWriter writer = must_create(path);
  BusySeconds load(1);
  std::size_t committed = 0;
  Status status;
  while (status && committed < 10'000) {
    status = load.write_next(writer);
    if (status) status = writer.commit();
    if (status) ++committed;
  }
  if (status || status.error().kind != ErrorKind::kIncomplete) ::_exit(3);
  const std::string& message = status.error().message;
  if (message.find(path.string()) == std::string::npos) ::_exit(4);
  if (message.find("free on its file system") == std::string::npos) ::_exit(5);
  if (message.find('\n') != std::string::npos) ::_exit(6);
  // The failure stands: nothing is written after it.
  if (writer.fact("a", "b") || writer.seal(record::RunEnd::kFailed, "disk full")) ::_exit(7);
  const auto run = read_run(path);
  if (!run) ::_exit(8);
  ::_exit(run->intervals.size() == committed && !run->end ? 0 : 9);
}

TEST(RunWriter, AFullDiskIsReportedAndWhatWasCommittedStaysReadable) {
  const ScratchDirectory scratch;
  const auto path = scratch / "a.run";
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) fill_the_disk(path);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  const auto run = read_run(path);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_GT(run->intervals.size(), 10U);
}

}  // namespace
}  // namespace headroom::store
