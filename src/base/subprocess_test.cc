#include "base/subprocess.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <thread>

#include "base/file.h"
#include "base/text.h"

namespace headroom {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

constexpr Nanos kLong = seconds{60};  // far more than any machine needs: only a bug waits so long

Subprocess start(std::vector<std::string> argv, fs::path output = {}) {
  return Subprocess::start({.argv = std::move(argv), .output = std::move(output)}).value();
}

class SubprocessTest : public testing::Test {
 protected:
  // Runs the script to its end; its output is in output().
  ExitStatus run(const std::string& script, SubprocessOptions options = {}) {
    options.argv = {"sh", "-c", script};
    options.output = directory_.path() / "output";
    Subprocess child = Subprocess::start(options).value();
    const std::optional<ExitStatus> status = child.wait(kLong);
    EXPECT_TRUE(status);
    return status.value_or(ExitStatus{});
  }
  std::string output() { return read_file(directory_.path() / "output").value(); }
  // Waits until the child has written something to `file`.
  std::string wait_for(const fs::path& file) {
    const Nanos deadline = real_clock().now() + kLong;
    while (real_clock().now() < deadline) {
      const Result<std::string> content = read_file(file);
      if (content && content->ends_with('\n')) return std::string(trim(*content));
      std::this_thread::sleep_for(milliseconds{2});
    }
    ADD_FAILURE() << "nothing appeared in " << file;
    return {};
  }

  TempDir directory_ = TempDir::create("headroom-subprocess-test").value();
};

TEST_F(SubprocessTest, ReportsExitCodeAndSignal) {
  EXPECT_EQ(run("exit 0").describe(), "exit code 0");
  EXPECT_EQ(run("exit 7").describe(), "exit code 7");
  EXPECT_EQ(run("kill -9 $$").describe(), "killed by signal 9 (Killed)");
}

TEST_F(SubprocessTest, WritesBothStreamsToTheOutputFile) {
  run("echo out; echo err >&2; exec echo through exec");
  EXPECT_EQ(output(), "out\nerr\nthrough exec\n");
  run("echo again");
  EXPECT_EQ(output(), "again\n") << "the file is emptied by each start";
}

TEST_F(SubprocessTest, HasAnEmptyInput) {
  run("read line || echo nothing to read");
  EXPECT_EQ(output(), "nothing to read\n");
}

TEST_F(SubprocessTest, RunsInItsDirectoryWithItsEnvironment) {
  const std::string home = std::getenv("HOME") != nullptr ? std::getenv("HOME") : "";
  run("pwd; echo \"$HOME,$HEADROOM_TEST_ADDED\"",
      {.working_directory = directory_.path(), .environment = {"HEADROOM_TEST_ADDED=1"}});
  EXPECT_EQ(output(), fs::canonical(directory_.path()).string() + "\n" + home + ",1\n");
  run("echo \"$HOME\"", {.environment = {"HOME=/elsewhere"}});
  EXPECT_EQ(output(), "/elsewhere\n") << "an added variable replaces ours";
}

TEST_F(SubprocessTest, JoinsItsControlGroupsBeforeItRuns) {
  const fs::path first = directory_.path() / "first.procs";
  const fs::path second = directory_.path() / "second.procs";
  ASSERT_TRUE(write_file(first, ""));
  ASSERT_TRUE(write_file(second, ""));
  EXPECT_EQ(
      run(fmt::format("cat {} {}", first.string(), second.string()), {.cgroups = {first, second}})
          .code,
      0);
  EXPECT_EQ(output(), "00") << "0 is whoever writes it";
}

TEST_F(SubprocessTest, DoesNotStartWithoutAControlGroupItWasToJoin) {
  const fs::path missing = directory_.path() / "missing" / "cgroup.procs";
  const auto unopened = Subprocess::start({.argv = {"true"}, .cgroups = {missing}});
  ASSERT_FALSE(unopened);
  EXPECT_THAT(unopened.error().message, HasSubstr("missing: No such file or directory"));
  const auto unwritten = Subprocess::start({.argv = {"true"}, .cgroups = {"/dev/full"}});
  ASSERT_FALSE(unwritten);
  EXPECT_EQ(unwritten.error().message, "cannot start true in its cgroup: No space left on device");
}

TEST_F(SubprocessTest, FindsARelativeProgramFromOurDirectoryNotTheChilds) {
  const fs::path here = fs::current_path();
  const std::string relative = fs::relative("/bin/sh", here).string();
  Subprocess child = Subprocess::start({.argv = {"./" + relative, "-c", "exit 3"},
                                        .working_directory = directory_.path()})
                         .value();
  EXPECT_EQ(child.wait(kLong)->code, 3);
}

TEST_F(SubprocessTest, InheritsNoDescriptorAndNoIgnoredSignal) {
  const int leaky = ::open("/dev/null", O_RDONLY);  // deliberately without O_CLOEXEC
  ASSERT_GE(leaky, 0);
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  // The reader's end of `ls` is the one descriptor beyond the standard three.
  run("ls /proc/self/fd | wc -l; grep -E 'Sig(Blk|Ign)' /proc/self/status");
  std::signal(SIGPIPE, before);
  ::close(leaky);
  EXPECT_EQ(output(), "4\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

TEST_F(SubprocessTest, IsNotInOurProcessGroup) {
  Subprocess child = start({"sleep", "60"});
  EXPECT_EQ(::getpgid(child.pid()), child.pid());
  EXPECT_NE(::getsid(child.pid()), ::getsid(0));
}

TEST_F(SubprocessTest, AMissingProgramIsNamed) {
  const auto error_of = [](const std::string& program) {
    return Subprocess::start({.argv = {program}}).error();
  };
  EXPECT_EQ(error_of("no-such-engine").kind, ErrorKind::kTarget);
  EXPECT_EQ(error_of("no-such-engine").message, "cannot start no-such-engine: not found on PATH");
  EXPECT_EQ(error_of("/no/such/engine").message,
            "cannot start /no/such/engine: No such file or directory");
  EXPECT_EQ(error_of(directory_.path().string()).message,
            "cannot start " + directory_.path().string() + ": Permission denied");
}

TEST_F(SubprocessTest, AMissingDirectoryOrOutputPlaceIsNamed) {
  const fs::path missing = directory_.path() / "none";
  EXPECT_EQ(Subprocess::start({.argv = {"true"}, .working_directory = missing}).error().message,
            "cannot start true in " + missing.string() + ": No such file or directory");
  EXPECT_THAT(Subprocess::start({.argv = {"true"}, .output = missing / "log"}).error().message,
              HasSubstr((missing / "log").string()));
}

TEST_F(SubprocessTest, PollAndWaitDoNotWaitForWhatStillRuns) {
  Subprocess child = start({"sleep", "60"});
  EXPECT_EQ(child.poll(), std::nullopt);
  EXPECT_EQ(child.wait(milliseconds{1}), std::nullopt);
  EXPECT_EQ(child.wait(Nanos{0}), std::nullopt);
}

TEST_F(SubprocessTest, StopAsksPolitelyFirst) {
  const fs::path log = directory_.path() / "log";
  Subprocess child =
      start({"sh", "-c", "trap 'exit 5' TERM; echo ready; while :; do sleep 0.01; done"}, log);
  wait_for(log);
  EXPECT_EQ(child.stop(kLong).describe(), "exit code 5");
  EXPECT_EQ(child.stop(kLong).describe(), "exit code 5") << "stopping again changes nothing";
  EXPECT_EQ(child.poll()->describe(), "exit code 5");
}

TEST_F(SubprocessTest, StopReachesAChildThatIsSuspended) {
  Subprocess child = start({"sleep", "60"});
  ::kill(child.pid(), SIGSTOP);
  EXPECT_EQ(child.stop(kLong).describe(), "killed by signal 15 (Terminated)");
}

TEST_F(SubprocessTest, StopKillsWhatDoesNotListen) {
  const fs::path log = directory_.path() / "log";
  Subprocess child =
      start({"sh", "-c", "trap '' TERM; echo ready; while :; do sleep 0.01; done"}, log);
  wait_for(log);
  EXPECT_EQ(child.stop(milliseconds{20}).describe(), "killed by signal 9 (Killed)");
}

// True once the process is neither running nor a zombie that somebody else must reap.
bool has_ended(pid_t pid) {
  const Result<std::string> stat = read_file("/proc/" + std::to_string(pid) + "/stat");
  if (!stat) return true;
  return stat->substr(stat->rfind(')')).starts_with(") Z");
}

void expect_to_end(pid_t pid) {
  const Nanos deadline = real_clock().now() + kLong;
  while (!has_ended(pid) && real_clock().now() < deadline)
    std::this_thread::sleep_for(milliseconds{2});
  EXPECT_TRUE(has_ended(pid)) << "process " << pid << " survived";
}

TEST_F(SubprocessTest, WhatTheChildForkedEndsWithIt) {
  const fs::path log = directory_.path() / "log";
  pid_t grandchild = 0;
  {
    const Subprocess child = start({"sh", "-c", "sleep 60 & echo $!; wait"}, log);
    grandchild = std::stoi(wait_for(log));
    EXPECT_FALSE(has_ended(grandchild));
  }
  expect_to_end(grandchild);
}

// A script that leaves a daemon in a session of its own, tells its pid, and goes on as told.
std::vector<std::string> with_daemon(const std::string& then) {
  return {"sh", "-c", "setsid sh -c 'echo $$; exec sleep 60' & " + then};
}

TEST_F(SubprocessTest, ADaemonEndsWhenTheChildIsStopped) {
  const fs::path log = directory_.path() / "log";
  Subprocess child = start(with_daemon("wait"), log);
  const pid_t daemon = std::stoi(wait_for(log));
  ASSERT_NE(::getsid(daemon), ::getsid(child.pid()));
  child.stop(kLong);
  EXPECT_EQ(::kill(daemon, 0), -1) << "neither it nor its zombie is left";
}

TEST_F(SubprocessTest, ADaemonEndsWhenTheChildIsSeenToHaveEnded) {
  const fs::path log = directory_.path() / "log";
  Subprocess child = start(with_daemon("while ! test -s " + log.string() + "; do :; done"), log);
  ASSERT_TRUE(child.wait(kLong));
  const pid_t daemon = std::stoi(wait_for(log));
  EXPECT_EQ(::kill(daemon, 0), -1);
}

TEST_F(SubprocessTest, ADaemonsOwnChildrenEndToo) {
  const fs::path log = directory_.path() / "log";
  pid_t last = 0;
  {
    const Subprocess child = start(
        {"sh", "-c", "setsid sh -c 'setsid sh -c \"echo \\$\\$; exec sleep 60\" & wait' & wait"},
        log);
    last = std::stoi(wait_for(log));
    EXPECT_EQ(::kill(last, 0), 0);
  }
  EXPECT_EQ(::kill(last, 0), -1);
}

TEST_F(SubprocessTest, TheEndOfAChildSparesWhatIsNotItsOwn) {
  const fs::path log = directory_.path() / "log";
  const pid_t forked = ::fork();  // by other code of this process
  if (forked == 0) {
    ::pause();
    ::_exit(0);
  }
  const Subprocess other = start({"sleep", "60"});
  // An orphan, but in the session of a child that lives.
  const Subprocess keeper = start({"sh", "-c", "(sleep 60 & echo $!); exec sleep 60"}, log);
  const pid_t kept = std::stoi(wait_for(log));
  {
    const Subprocess child = start({"sleep", "60"});
  }
  EXPECT_EQ(::kill(other.pid(), 0), 0);
  EXPECT_FALSE(has_ended(kept));
  EXPECT_FALSE(has_ended(forked));
  ::kill(forked, SIGKILL);
  EXPECT_EQ(::waitpid(forked, nullptr, 0), forked);
}

TEST_F(SubprocessTest, TheDestructorKillsAndReaps) {
  pid_t pid = 0;
  {
    const Subprocess child = start({"sleep", "60"});
    pid = child.pid();
    EXPECT_EQ(::kill(pid, 0), 0);
  }
  EXPECT_EQ(::waitpid(pid, nullptr, WNOHANG), -1) << "it is no child of ours any more";
}

TEST_F(SubprocessTest, MovingMovesTheDuty) {
  Subprocess first = start({"sleep", "60"});
  Subprocess second = start({"sleep", "60"});
  const pid_t kept = first.pid();
  const pid_t replaced = second.pid();
  second = std::move(first);
  EXPECT_EQ(second.pid(), kept);
  EXPECT_EQ(second.poll(), std::nullopt);
  EXPECT_EQ(::waitpid(replaced, nullptr, WNOHANG), -1);
}

TEST_F(SubprocessTest, ThreadsMayStartAtOnce) {
  std::vector<std::jthread> threads;
  std::array<int, 8> codes{};
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([i, &codes] {
      Subprocess child = start({"sh", "-c", "exit " + std::to_string(i)});
      codes[static_cast<std::size_t>(i)] = child.wait(kLong).value_or(ExitStatus{-1, 0}).code;
    });
  }
  threads.clear();
  EXPECT_THAT(codes, testing::ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
}

constexpr const char* kActAsHelper = "HEADROOM_TEST_SUBPROCESS_HELPER";

// The helper's part: start a child from a thread that ends at once, tell its pid, and wait.
[[noreturn]] void act_as_helper() {
  std::thread([] {
    static Subprocess child = start({"sleep", "60"});
    fmt::print("{}\n", child.pid());
    std::fflush(stdout);
  }).join();
  for (;;) ::pause();
}

// The test runs itself again as the helper whose child it is about. The helper is no Subprocess,
// because ending one ends what it left behind.
class ParentDeathTest : public SubprocessTest {
 protected:
  // The pids of the helper and of its child.
  std::pair<pid_t, pid_t> start_helper() {
    const fs::path log = directory_.path() / "pid";
    ::setenv(kActAsHelper, "1", 1);
    const pid_t helper = ::fork();
    if (helper == 0) {
      const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      ::dup2(output, STDOUT_FILENO);
      ::execl("/proc/self/exe", "base_test", "--gtest_brief=1",
              "--gtest_filter=ParentDeathTest.AChildDiesWithUsAndNotWithTheThreadThatStartedIt",
              nullptr);
      ::_exit(127);
    }
    ::unsetenv(kActAsHelper);
    const std::string text = wait_for(log);
    return {helper, std::stoi(text.substr(text.rfind('\n') + 1))};
  }
};

TEST_F(ParentDeathTest, AChildDiesWithUsAndNotWithTheThreadThatStartedIt) {
  if (std::getenv(kActAsHelper) != nullptr) act_as_helper();
  // Orphans come to us, so that how the helper's child ended can be seen.
  ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
  const auto [helper, grandchild] = start_helper();
  // The thread has ended before the pid was told; the signal would be there by now.
  EXPECT_FALSE(has_ended(grandchild));
  ::kill(helper, SIGKILL);
  ASSERT_EQ(::waitpid(helper, nullptr, 0), helper);
  expect_to_end(grandchild);
  int status = 0;
  ASSERT_EQ(::waitpid(grandchild, &status, 0), grandchild);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

TEST(FindExecutable, KnowsThePathOnly) {
  const std::optional<fs::path> sh = find_executable("sh");
  ASSERT_TRUE(sh);
  EXPECT_TRUE(sh->is_absolute());
  EXPECT_EQ(find_executable("no-such-engine"), std::nullopt);
  EXPECT_EQ(find_executable(""), std::nullopt);
  EXPECT_EQ(find_executable("/bin/sh"), std::nullopt) << "that is a path, not a name";
}

}  // namespace
}  // namespace headroom
