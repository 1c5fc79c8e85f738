#include "tests/e2e/harness.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <thread>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "net/socket.h"
#include "record/event.h"
#include "store/run_reader.h"
#include "tests/support/raw_client.h"

extern char** environ;

namespace headroom::e2e {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr Nanos kPoll = 5ms;

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& each : strings) result.push_back(each.data());
  result.push_back(nullptr);
  return result;
}

// In the child, between fork and exec: system calls only.
[[noreturn]] void become(char* const* argv, char* const* environment, const char* directory,
                         const char* out, const char* err, const rlimit* file_limit) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int out_fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int err_fd = open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int in_fd = open("/dev/null", O_RDONLY);
  if (out_fd < 0 || err_fd < 0 || in_fd < 0 || chdir(directory) != 0) _exit(126);
  if (file_limit != nullptr) {
    // As an ordinary failed write, not as a signal.
    if (::signal(SIGXFSZ, SIG_IGN) == SIG_ERR || setrlimit(RLIMIT_FSIZE, file_limit) != 0) {
      _exit(126);
    }
  }
  dup2(in_fd, STDIN_FILENO);
  dup2(out_fd, STDOUT_FILENO);
  dup2(err_fd, STDERR_FILENO);
  execve(argv[0], argv, environment);
  _exit(127);
}

// Field 3 of /proc/PID/stat (the state) and field 4 (the parent).
std::optional<std::pair<char, pid_t>> state_and_parent(const fs::path& proc) {
  const Result<std::string> stat = read_file(proc / "stat");
  if (!stat) return std::nullopt;
  const std::size_t name_end = stat->rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  const std::string rest = stat->substr(name_end + 2);
  const std::vector<std::string_view> fields = split(rest, ' ');
  if (fields.size() < 2) return std::nullopt;
  pid_t parent = 0;
  std::from_chars(fields[1].data(), fields[1].data() + fields[1].size(), parent);
  return std::pair{fields[0].front(), parent};
}

}  // namespace

std::vector<std::string> engine_names() { return {"redis", "valkey"}; }

std::optional<fs::path> find_engine(const std::string& name) {
  if (name == "redis") return find_executable("redis-server");
  if (const char* given = std::getenv("HEADROOM_VALKEY")) return fs::path(given);
  if (fs::exists(HEADROOM_VALKEY_SERVER)) return fs::path(HEADROOM_VALKEY_SERVER);
  return find_executable("valkey-server");
}

fs::path scenario_dir() { return HEADROOM_SCENARIO_DIR; }

Headroom::Headroom(const std::vector<std::string>& arguments, const StartOptions& options)
    : output_(TempDir::create("headroom-e2e-output").value()), started_(real_clock().now()) {
  std::vector<std::string> argv = {HEADROOM_BINARY};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  std::vector<std::string> environment;
  for (char** each = environ; *each != nullptr; ++each) environment.emplace_back(*each);
  for (const std::string& added : options.environment) {
    const std::string name = added.substr(0, added.find('=') + 1);
    std::erase_if(environment, [&](const std::string& each) { return each.starts_with(name); });
    environment.push_back(added);
  }
  // All that the child uses is made before the fork: other threads may hold the heap's locks.
  const std::vector<char*> argv_pointers = pointers(argv);
  const std::vector<char*> environment_pointers = pointers(environment);
  const std::string directory = options.directory.string();
  const std::string out = (output_.path() / "out").string();
  const std::string err = (output_.path() / "err").string();
  rlimit limit{};
  if (options.file_limit_bytes) limit = {*options.file_limit_bytes, *options.file_limit_bytes};
  pid_ = fork();
  check(pid_ >= 0, "fork works");
  if (pid_ == 0) {
    become(argv_pointers.data(), environment_pointers.data(), directory.c_str(), out.c_str(),
           err.c_str(), options.file_limit_bytes ? &limit : nullptr);
  }
}

Headroom::~Headroom() {
  if (!running()) return;
  kill(pid_, SIGKILL);
  (void)reap(0);
}

bool Headroom::reap(int flags) {
  if (status_) return true;
  int status = 0;
  if (waitpid(pid_, &status, flags) != pid_) return false;
  status_ = status;
  return true;
}

void Headroom::signal(int number) const {
  if (!status_) kill(pid_, number);
}

bool Headroom::running() { return !reap(WNOHANG); }

std::string Headroom::err() const { return read_file(output_.path() / "err").value_or(""); }

Finished Headroom::wait(Nanos at_most) {
  Finished finished;
  finished.hung = !wait_until([&] { return reap(WNOHANG); }, at_most);
  finished.took = real_clock().now() - started_;
  if (finished.hung) {
    kill(pid_, SIGKILL);
    check(reap(0), "a killed child can be reaped");
  } else if (WIFEXITED(*status_)) {
    finished.exit_code = WEXITSTATUS(*status_);
  }
  finished.out = read_file(output_.path() / "out").value_or("");
  finished.err = err();
  return finished;
}

Finished run_headroom(const std::vector<std::string>& arguments, const StartOptions& options,
                      Nanos at_most) {
  Headroom headroom(arguments, options);
  return headroom.wait(at_most);
}

bool wait_until(const std::function<bool()>& condition, Nanos at_most) {
  const Nanos deadline = real_clock().now() + at_most;
  while (!condition()) {
    if (real_clock().now() >= deadline) return false;
    std::this_thread::sleep_for(kPoll);
  }
  return true;
}

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    pid_t pid = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), pid).ec != std::errc{}) continue;
    const auto found = state_and_parent(entry.path());
    if (found && found->second == parent && found->first != 'Z') children.push_back(pid);
  }
  return children;
}

bool alive(pid_t pid) {
  const auto found = state_and_parent(fs::path("/proc") / std::to_string(pid));
  return found && found->first != 'Z' && found->first != 'X';
}

std::optional<pid_t> wait_for_child(pid_t parent, Nanos at_most) {
  std::vector<pid_t> children;
  if (!wait_until([&] { return !(children = children_of(parent)).empty(); }, at_most)) {
    return std::nullopt;
  }
  return children.front();
}

std::vector<std::string> error_lines(const Finished& finished) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(finished.err, '\n')) {
    if (line.starts_with("headroom: ")) lines.emplace_back(line);
  }
  return lines;
}

std::vector<record::Point> points(const record::Run& run, std::string_view metric,
                                  std::string_view label) {
  const record::MetricSeries* series = run.find_metric(metric, label);
  EXPECT_NE(series, nullptr) << "no samples of " << metric << " " << label;
  return series == nullptr ? std::vector<record::Point>{} : series->points;
}

record::OperationCounts total(const record::Run& run, std::string_view operation) {
  const auto& names = run.header.operations;
  const auto index = static_cast<std::size_t>(std::ranges::find(names, operation) - names.begin());
  EXPECT_LT(index, names.size()) << "no operation " << operation;
  record::OperationCounts sum;
  for (const record::MergedInterval& interval : run.intervals) sum.add(interval.counts.at(index));
  return sum;
}

record::Run read(const fs::path& file) {
  Result<record::Run> run = store::read_run(file);
  EXPECT_TRUE(run) << (run ? "" : run.error().message);
  return run ? *std::move(run) : record::Run{};
}

std::string story(const record::Run& run) {
  std::string text;
  for (const record::Event& event : run.events) {
    text += fmt::format("{:.3f} s {}: {}\n", std::chrono::duration<double>(event.time).count(),
                        record::event_name(event.kind), event.text);
  }
  for (const record::Warning& warning : run.warnings) {
    text += fmt::format("{}: {}\n", record::warning_info(warning.kind).name, warning.text);
  }
  return text;
}

void Test::SetUp() {
  Result<TempDir> dir = TempDir::create("headroom-e2e");
  ASSERT_TRUE(dir) << (dir ? "" : dir.error().message);
  dir_ = *std::move(dir);
  fs::create_directory(path("tmp"));
}

void Test::TearDown() {
  if (dir_ && !keeps_leftovers_) {
    EXPECT_THAT(left_behind(), ::testing::IsEmpty());
  }
}

StartOptions Test::options() const {
  return {.directory = dir_->path(),
          .environment = {"TMPDIR=" + path("tmp").string()},
          .file_limit_bytes = {}};
}

std::string Test::scenario(const std::string& toml) const {
  const fs::path file = path("test.toml");
  const Status written = write_file(file, toml);
  EXPECT_TRUE(written) << (written ? "" : written.error().message);
  return file.string();
}

std::string Test::local_scenario(const fs::path& engine, const std::string& more) const {
  return scenario(
      fmt::format("[target]\nkind = \"local\"\nengine_path = \"{}\"\n{}", engine.string(), more));
}

std::string Test::endpoint_scenario(const net::Address& address, const std::string& more) const {
  return scenario(fmt::format("[target]\nkind = \"endpoint\"\nhost = \"{}\"\nport = {}\n{}",
                              address.host, address.port, more));
}

std::vector<std::string> Test::left_behind() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path("tmp"))) {
    names.push_back(entry.path().filename());
  }
  return names;
}

void EngineTest::SetUp() {
  Test::SetUp();
  const std::optional<fs::path> found = find_engine(GetParam());
  if (!found && is_valkey()) {
    GTEST_SKIP() << "no valkey-server on this machine: scripts/get-valkey build/valkey fetches one";
  }
  ASSERT_TRUE(found) << GetParam() << "-server is not on PATH";
  engine_ = *found;
}

Result<Engine> Engine::start(const fs::path& program, std::vector<std::string> arguments) {
  Result<TempDir> dir = TempDir::create("headroom-e2e-engine");
  if (!dir) return fail(std::move(dir.error()));
  const Result<std::uint16_t> port = net::free_loopback_port();
  if (!port) return fail(port.error());
  SubprocessOptions options;
  options.argv = {program.string(), "--port", std::to_string(*port), "--bind", "127.0.0.1",
                  "--save",         "",       "--appendonly",        "no"};
  options.argv.insert(options.argv.end(), arguments.begin(), arguments.end());
  options.working_directory = dir->path();
  options.output = dir->path() / "log";
  Result<Subprocess> process = Subprocess::start(options);
  if (!process) return fail(std::move(process.error()));
  Engine engine(*std::move(dir), *std::move(process), {"127.0.0.1", *port, {}});
  const bool answers = wait_until(
      [&] { return net::connect(engine.address_, real_clock().now() + 1s).has_value(); }, 10s);
  if (!answers) return fail(ErrorKind::kTarget, "{} does not answer", program.string());
  return engine;
}

std::string Engine::info(std::string_view section) const {
  Result<testing::RawClient> client = testing::RawClient::connect(address_);
  EXPECT_TRUE(client) << (client ? "" : client.error().message);
  return client ? client->ask_bulk({"INFO", section}) : "";
}

std::uint64_t Engine::calls(std::string_view command) const {
  const std::string stats = info("commandstats");
  const std::string field = fmt::format("cmdstat_{}:calls=", command);
  const std::size_t at = stats.find(field);
  std::uint64_t calls = 0;
  if (at == std::string::npos) return calls;
  std::from_chars(stats.data() + at + field.size(), stats.data() + stats.size(), calls);
  return calls;
}

std::uint64_t Engine::keys() const {
  const std::string keyspace = info("keyspace");
  const std::size_t at = keyspace.find("keys=");
  std::uint64_t keys = 0;
  if (at == std::string::npos) return keys;
  std::from_chars(keyspace.data() + at + 5, keyspace.data() + keyspace.size(), keys);
  return keys;
}

}  // namespace headroom::e2e
