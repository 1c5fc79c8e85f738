// Runs the built `headroom` as a user would, against real engines, and looks at what it leaves.
#pragma once

#include <gtest/gtest.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/subprocess.h"
#include "net/address.h"
#include "record/run.h"

namespace headroom::e2e {

// The engines that the suite knows, by name: "redis" and "valkey".
[[nodiscard]] std::vector<std::string> engine_names();
// Where its server is: redis-server on PATH; for valkey $HEADROOM_VALKEY, else what
// scripts/get-valkey left in build/valkey, else valkey-server on PATH. nullopt: not on this
// machine.
[[nodiscard]] std::optional<std::filesystem::path> find_engine(const std::string& name);
// Where the shipped scenarios are.
[[nodiscard]] std::filesystem::path scenario_dir();

// What a run of the binary came to.
struct Finished {
  std::optional<int> exit_code;  // absent: a signal ended it, or it hung and was killed
  bool hung = false;             // it was still there at the deadline
  Nanos took{0};
  std::string out;
  std::string err;
};

struct StartOptions {
  std::filesystem::path directory;                // the working directory
  std::vector<std::string> environment;           // "NAME=value" added to ours
  std::optional<std::uint64_t> file_limit_bytes;  // no file may grow beyond: a full disk, for users
};

// A running `headroom`. Killed, with everything it started, when the object dies. One owner thread,
// which must outlive it.
class Headroom {
 public:
  Headroom(const std::vector<std::string>& arguments, const StartOptions& options);
  ~Headroom();
  Headroom(const Headroom&) = delete;
  Headroom& operator=(const Headroom&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  void signal(int number) const;
  // Waits for its end; kills it at the deadline and says that it hung.
  [[nodiscard]] Finished wait(Nanos at_most);
  [[nodiscard]] bool running();
  [[nodiscard]] std::string err() const;  // what it wrote so far

 private:
  [[nodiscard]] bool reap(int flags);

  TempDir output_;
  Nanos started_{0};
  pid_t pid_ = -1;
  std::optional<int> status_;  // of waitpid, once it has ended
};

// Runs to the end.
[[nodiscard]] Finished run_headroom(const std::vector<std::string>& arguments,
                                    const StartOptions& options,
                                    Nanos at_most = std::chrono::seconds{60});

// Polls until `condition` holds; false at the deadline.
[[nodiscard]] bool wait_until(const std::function<bool()>& condition, Nanos at_most);

// Processes, by /proc.
[[nodiscard]] std::vector<pid_t> children_of(pid_t parent);
[[nodiscard]] bool alive(pid_t pid);  // there, and not only waiting to be reaped
// The engine that `parent` started, once there is one.
[[nodiscard]] std::optional<pid_t> wait_for_child(pid_t parent, Nanos at_most);

// The lines on stderr that begin with "headroom: ", without the progress around them.
[[nodiscard]] std::vector<std::string> error_lines(const Finished& finished);

// The value of one metric at each of its samples; fails the test if there are none.
[[nodiscard]] std::vector<record::Point> points(const record::Run& run, std::string_view metric,
                                                std::string_view label = "");
// Sums over all intervals of the run, prefill and drain included.
[[nodiscard]] record::OperationCounts total(const record::Run& run, std::string_view operation);
[[nodiscard]] record::Run read(const std::filesystem::path& file);
// The text of all events and warnings, one a line: for messages of failed assertions.
[[nodiscard]] std::string story(const record::Run& run);

// A test with a directory of its own: the working directory and TMPDIR of every `headroom`.
class Test : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;  // no private directory may be left, unless that was expected
  // A process that is killed cannot remove its private directory.
  void expect_leftovers() { keeps_leftovers_ = true; }

  [[nodiscard]] std::filesystem::path path(const std::string& name) const {
    return dir_->path() / name;
  }
  [[nodiscard]] StartOptions options() const;
  // Writes a scenario file and returns its path.
  [[nodiscard]] std::string scenario(const std::string& toml) const;
  // A short run of a local node; `more` is appended.
  [[nodiscard]] std::string local_scenario(const std::filesystem::path& engine,
                                           const std::string& more = "") const;
  [[nodiscard]] std::string endpoint_scenario(const net::Address& address,
                                              const std::string& more = "") const;
  // What is left in TMPDIR, where private directories are made.
  [[nodiscard]] std::vector<std::string> left_behind() const;

 private:
  std::optional<TempDir> dir_;
  bool keeps_leftovers_ = false;
};

// The same for each engine. A missing Redis fails the test, a missing Valkey skips it.
class EngineTest : public Test, public ::testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override;
  [[nodiscard]] const std::filesystem::path& engine() const { return engine_; }
  [[nodiscard]] bool is_valkey() const { return GetParam() == "valkey"; }

 private:
  std::filesystem::path engine_;
};
#define HEADROOM_FOR_EACH_ENGINE(suite)                                                          \
  INSTANTIATE_TEST_SUITE_P(Engines, suite, ::testing::ValuesIn(::headroom::e2e::engine_names()), \
                           [](const auto& instance) { return instance.param; })

// An engine that the test started itself: an endpoint for Headroom, and a second opinion on it.
class Engine {
 public:
  [[nodiscard]] static Result<Engine> start(const std::filesystem::path& program,
                                            std::vector<std::string> arguments = {});
  [[nodiscard]] const net::Address& address() const { return address_; }
  [[nodiscard]] pid_t pid() const { return process_.pid(); }
  // The reply to INFO SECTION.
  [[nodiscard]] std::string info(std::string_view section) const;
  // "cmdstat_get:calls=12,..." -> 12; 0 if the command was never called.
  [[nodiscard]] std::uint64_t calls(std::string_view command) const;
  [[nodiscard]] std::uint64_t keys() const;

 private:
  Engine(TempDir dir, Subprocess process, net::Address address)
      : dir_(std::move(dir)), process_(std::move(process)), address_(std::move(address)) {}
  TempDir dir_;
  Subprocess process_;
  net::Address address_;
};

}  // namespace headroom::e2e
