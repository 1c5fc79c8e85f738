#include "target/local.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/units.h"
#include "net/socket.h"
#include "scenario/node.h"
#include "target/engine.h"
#include "target/node_list.h"
#include "target/probe.h"
#include "target/process.h"
#include "target/program.h"
#include "target/server.h"

namespace headroom::target {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kPortAttempts = 5;
constexpr std::string_view kOutputFile = "engine.log";
constexpr std::string_view kConfigurationFile = "engine.conf";

}  // namespace

Local::Local(scenario::Target scenario, const Clock& clock, Nanos origin, record::Sink& sink)
    : Local(std::move(scenario), clock, origin, sink, net::free_loopback_port) {}

Local::Local(scenario::Target scenario, const Clock& clock, Nanos origin, record::Sink& sink,
             ChoosePort choose_port)
    : scenario_(std::move(scenario)),
      clock_(clock),
      origin_(origin),
      sink_(sink),
      choose_port_(std::move(choose_port)),
      confinement_(scenario::cpu_envelope(scenario_), clock, origin, sink) {}

Result<Description> Local::provision(Nanos deadline) {
  const Nanos until = real_clock().now() + (deadline - clock_.now());
  if (auto ready = prepare(); !ready) return fail(std::move(ready.error()));
  for (int attempt = 0; attempt < kPortAttempts; ++attempt) {
    auto client = start_once(until);
    if (!client) return fail(std::move(client.error()));
    if (*client) return describe(**client, until);
  }
  return fail(
      ErrorKind::kTarget,
      "no free port on 127.0.0.1: other processes took {} ports, one after the other, before "
      "{} could listen on them; try again",
      kPortAttempts, program_.filename().string());
}

resp::Server Local::server() const {
  return {.address = address_, .protocol = protocol_of(scenario_)};
}

Status Local::prepare() {
  auto program = find_engine(scenario_.engine_path);
  if (!program) return fail(std::move(program.error()));
  program_ = std::move(*program);
  for (const std::string& abandoned : clear_abandoned_nodes()) {
    sink_.event(
        {clock_.now() - origin_, record::EventKind::kNote,
         fmt::format("removed {}, which a run that was killed had left behind", abandoned)});
  }
  auto directory = NodeDirectory::create();
  if (!directory) return fail(std::move(directory.error()));
  directory_path_ = directory->path();
  directory_.emplace(std::move(*directory));
  sink_.fact("node.directory", directory_path_.string());
  if (const std::string shape = scenario::node_text(scenario_); !shape.empty())
    sink_.fact("node.shape", shape);
  confinement_.prepare(directory_path_.filename().string(), cpu_hierarchies());
  return {};
}

std::string Local::configuration() const {
  // What is not set here is the engine's default, and is recorded with the rest of CONFIG GET. The
  // working directory is the private one already.
  return fmt::format(
      "port {}\n"
      "bind 127.0.0.1\n"
      "protected-mode yes\n"
      "daemonize no\n"
      "maxmemory {}\n"
      "maxmemory-policy {}\n"
      "save \"\"\n"
      "appendonly no\n",
      address_.port, scenario_.maxmemory_bytes, scenario_.maxmemory_policy);
}

Result<std::optional<resp::Client>> Local::start_once(Nanos until) {
  const auto port = choose_port_();
  if (!port) return fail(port.error());
  address_ = {"127.0.0.1", *port, {}};
  const fs::path configuration_path = directory_path_ / kConfigurationFile;
  if (auto written = write_file(configuration_path, configuration()); !written) {
    return fail(std::move(written.error()));
  }
  SubprocessOptions options;
  options.argv = {program_.string(), configuration_path.string()};
  options.working_directory = directory_path_;
  options.output = directory_path_ / kOutputFile;
  auto process = start_confined(std::move(options));
  if (!process) return fail(std::move(process.error()));
  process_ = std::move(*process);
  pid_ = process_->pid();
  start_time_ = process_start_time(pid_);
  return wait_until_it_answers(until);
}

// An engine that cannot be confined runs all the same, and the run says so; one that cannot be
// started at all fails as it would have without a cgroup.
Result<Subprocess> Local::start_confined(SubprocessOptions options) {
  options.cgroups = confinement_.procs_files();
  auto process = Subprocess::start(options);
  if (process || options.cgroups.empty()) {
    if (process) confinement_.begin();
    return process;
  }
  const std::string reason = std::move(process.error().message);
  options.cgroups.clear();
  process = Subprocess::start(options);
  if (process) confinement_.give_up(reason);
  return process;
}

Result<std::optional<resp::Client>> Local::wait_until_it_answers(Nanos until) {
  const std::string name = program_.filename().string();
  const Nanos began = real_clock().now();
  while (true) {
    // Waiting for its end is the pause between two attempts, too.
    if (const auto end = process_->wait(milliseconds{5})) {
      const std::string words = last_words();
      if (words.find("Address already in use") != std::string::npos) {
        address_ = {};  // another's: nothing of ours to prove there
        return std::nullopt;
      }
      return fail(ErrorKind::kTarget, "{} ended while it was starting ({}); it said: {}", name,
                  end->describe(), words);
    }
    if (given_up()) {
      return fail(ErrorKind::kIncomplete, "{} had not answered yet when the run was stopped", name);
    }
    const Nanos attempt_ends = std::min(until, real_clock().now() + milliseconds{500});
    auto client = resp::Client::connect(server(), attempt_ends);
    Status answers = client ? client->ping(attempt_ends) : fail(client.error());
    if (answers) {
      const auto ours = is_ours(*client, attempt_ends);
      if (!ours) return fail(ours.error());
      if (*ours) return std::move(*client);
      continue;
    }
    if (real_clock().now() >= until) {
      return fail(ErrorKind::kTarget, "{} did not answer within {} of its start: {}; it said: {}",
                  name, human_duration(real_clock().now() - began), answers.error().message,
                  last_words());
    }
  }
}

// Is what answers our own child? Only that is sure to die with us, and can be sampled and taken
// down.
Result<bool> Local::is_ours(resp::Client& client, Nanos until) {
  constexpr std::array<std::string_view, 1> kServer = {"server"};
  const auto info = client.info(kServer, until);
  if (!info) return fail(info.error());
  const auto listener = info->count("process_id");
  if (listener == static_cast<std::uint64_t>(pid_)) return true;
  // Another's server took the port, and our engine is about to end because of it; or the program is
  // a script that started the engine as a child of its own. On a busy machine ending takes a while.
  if (process_->wait(seconds{5})) return false;
  return fail(ErrorKind::kTarget,
              "{} (pid {}) is not what answers on {} (pid {}): a script that starts an engine must "
              "hand over to it with exec",
              program_.string(), pid_, address_.text(), listener.value_or(0));
}

Result<Description> Local::describe(resp::Client& client, Nanos until) {
  auto engine = describe_engine(client, until, sink_);
  if (!engine) return fail(std::move(engine.error()));
  if (auto measured = measure_clock(client, clock_, until, sink_); !measured) {
    return fail(std::move(measured.error()));
  }
  run_id_ = engine->run_id;
  sink_.fact("target.address", address_.text());
  sink_.fact("target.peer", address_.text());
  sink_.fact("target.on_this_host", "yes");
  sink_.fact("engine.program", program_.string());
  sink_.fact("engine.pid", fmt::format("{}", pid_));
  sink_.event({clock_.now() - origin_, record::EventKind::kNote,
               fmt::format("started {} {} as pid {} on {}", engine->name, engine->version, pid_,
                           address_.text())});

  NodeCard card{::getpid(), process_start_time(::getpid()), pid_, address_.text(), {}};
  card.what = fmt::format("{} {}", engine->name, engine->version);
  if (const std::string shape = scenario::node_text(scenario_); !shape.empty())
    card.what += " as " + shape;
  if (auto written = write_card(directory_path_, card); !written) {
    return fail(std::move(written.error()));
  }

  Description description;
  description.server = server();
  description.engine = engine->name;
  description.version = engine->version;
  description.maxmemory_bytes = engine->maxmemory_bytes;
  if (engine->maxmemory_bytes) {
    description.node_memory_bytes = scenario::local_node_memory_bytes(scenario_);
  }
  description.maxmemory_policy = engine->maxmemory_policy;
  description.pid = pid_;
  description.on_this_host = true;
  description.sample_node = [this] { return confinement_.sample(); };
  return description;
}

std::string Local::last_words() const {
  constexpr std::size_t kLines = 4;
  const auto output = read_file(directory_path_ / kOutputFile);
  if (!output) return "(its output cannot be read)";
  std::vector<std::string_view> lines;
  for (const std::string_view line : split(*output, '\n')) {
    if (!trim(line).empty()) lines.push_back(trim(line));
  }
  if (lines.empty()) return "(nothing)";
  const std::size_t first = lines.size() - std::min(lines.size(), kLines);
  std::string text;
  for (std::size_t i = first; i < lines.size(); ++i) {
    text += fmt::format("{}\"{}\"", i == first ? "" : ", ", printable(lines[i]));
  }
  return text;
}

std::optional<std::string> Local::ended() {
  if (ended_ || !process_) return ended_;
  const auto status = process_->poll();
  if (!status) return std::nullopt;
  ended_ = fmt::format("{}; it said: {}", status->describe(), last_words());
  return ended_;
}

Status Local::answers(Nanos deadline) {
  return answers_at(server(), real_clock().now() + (deadline - clock_.now()));
}

Status Local::teardown(Nanos grace) {
  if (process_) {
    const bool by_itself = process_->poll().has_value();
    const ExitStatus status = process_->stop(grace);
    receipt("engine stopped",
            fmt::format("pid {}: {}{}", pid_, status.describe(),
                        by_itself ? ", by itself before it was asked to end" : ""),
            true);
    process_.reset();
  }
  if (auto removed = confinement_.end(); !removed) return removed;
  if (directory_) {
    if (auto removed = directory_->remove(); !removed) return removed;
    directory_.reset();
  }
  return {};
}

Status Local::verify() {
  std::string left;
  const auto add = [&left](const std::string& what) { left += (left.empty() ? "" : ", ") + what; };
  if (pid_ > 0 && !prove_process_gone()) add(fmt::format("the process {}", pid_));
  if (address_.port != 0 && !prove_port_closed())
    add(fmt::format("a server on {}", address_.text()));
  if (!confinement_.prove_removed()) add("its cgroup");
  if (!directory_path_.empty() && !prove_directory_removed()) {
    add(fmt::format("the directory {}", directory_path_.string()));
  }
  if (left.empty()) return {};
  return fail(ErrorKind::kTeardown, "could not prove that the local node is gone; left: {}", left);
}

bool Local::prove_process_gone() {
  if (::kill(pid_, 0) != 0 && errno == ESRCH) {
    receipt("process gone", fmt::format("pid {}: no such process", pid_), true);
    return true;
  }
  const bool another = process_start_time(pid_) != start_time_;
  receipt("process gone",
          another ? fmt::format("pid {}: belongs to a process that started later", pid_)
                  : fmt::format("pid {}: still there", pid_),
          another);
  return another;
}

bool Local::prove_port_closed() {
  // What the engine forked was killed with it, but the kernel may still be at it.
  const Nanos until = real_clock().now() + std::chrono::seconds{1};
  std::string evidence;
  do {
    auto client = resp::Client::connect(server(), until);
    if (!client) {
      evidence = client.error().message;
      if (evidence.ends_with(errno_text(ECONNREFUSED))) {
        receipt("port closed", evidence, true);
        return true;
      }
    } else if (is_another_engine(*client, until)) {
      receipt("port closed", fmt::format("{} is another engine's now", address_.text()), true);
      return true;
    } else {
      evidence = fmt::format("{} still takes connections", address_.text());
    }
    ::poll(nullptr, 0, 5);  // nothing tells when a port closes
  } while (real_clock().now() < until);
  receipt("port closed", evidence, false);
  return false;
}

// A port is anyone's as soon as it is free: another engine there has another run id.
bool Local::is_another_engine(resp::Client& client, Nanos until) const {
  constexpr std::array<std::string_view, 1> kServer = {"server"};
  const auto info = client.info(kServer, until);
  const auto run_id = info ? info->text("run_id") : std::nullopt;
  return run_id && !run_id_.empty() && *run_id != run_id_;
}

bool Local::prove_directory_removed() {
  std::error_code error;
  const bool there = fs::exists(directory_path_, error);
  const bool gone = !there && !error;
  receipt(
      "directory removed",
      fmt::format("{}: {}", directory_path_.string(), gone ? "no such directory" : "still there"),
      gone);
  return gone;
}

void Local::receipt(std::string what, std::string evidence, bool proved) {
  sink_.receipt({clock_.now() - origin_, std::move(what), std::move(evidence), proved});
}

}  // namespace headroom::target
