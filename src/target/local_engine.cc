#include "target/local_engine.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/text.h"
#include "base/units.h"
#include "net/socket.h"
#include "scenario/engine_settings.h"
#include "scenario/node.h"
#include "target/node_list.h"
#include "target/process.h"
#include "target/server.h"

namespace headroom::target {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kPortAttempts = 5;
constexpr std::string_view kOutputFile = "engine.log";
constexpr std::string_view kConfigurationFile = "engine.conf";
// A cluster's nodes talk to one another on a port so far above that for clients.
constexpr int kBusDistance = 10'000;
constexpr int kHighestPort = 65'535;

net::Address bus_of(const net::Address& address) {
  return {address.host, static_cast<std::uint16_t>(address.port + kBusDistance), {}};
}

}  // namespace

LocalEngine::LocalEngine(const EngineContext& context, Place place, std::size_t number)
    : context_(context),
      place_(std::move(place)),
      sink_(context.sink, place_.label, number),
      confinement_(scenario::cpu_envelope(context.scenario), context.clock, context.origin, sink_) {
}

Status LocalEngine::prepare() {
  auto directory = NodeDirectory::create();
  if (!directory) return fail(std::move(directory.error()));
  directory_path_ = directory->path();
  directory_.emplace(std::move(*directory));
  sink_.fact("node.directory", directory_path_.string());
  confinement_.prepare(directory_path_.filename().string(), cpu_hierarchies());
  return {};
}

Result<resp::Client> LocalEngine::start(const fs::path& program, const EngineAccess& access,
                                        const std::optional<net::Address>& primary, Nanos until) {
  program_ = program;
  access_ = access;
  primary_ = primary;
  if (auto written = access_.write_files(directory_path_); !written)
    return fail(std::move(written.error()));
  for (int attempt = 0; attempt < kPortAttempts; ++attempt) {
    auto client = start_once(until);
    if (!client) return fail(std::move(client.error()));
    if (*client) return std::move(**client);
  }
  return fail(
      ErrorKind::kTarget,
      "no free port on 127.0.0.1: other processes took {} ports, one after the other, before "
      "{} could listen on them; try again",
      kPortAttempts, name());
}

Status LocalEngine::show(const std::string& engine) const {
  NodeCard card{::getpid(), process_start_time(::getpid()), pid_, address_.text(), engine};
  if (!place_.label.empty()) card.what += ", " + place_.label;
  if (const std::string shape = scenario::node_text(context_.scenario); !shape.empty())
    card.what += " as " + shape;
  return write_card(directory_path_, card);
}

resp::Server LocalEngine::server() const {
  resp::Server server;
  server.address = address_;
  server.username = access_.user;
  server.password = access_.password;
  server.protocol = protocol_of(context_.scenario);
  server.tls = access_.tls;
  return server;
}

std::string LocalEngine::name() const {
  const std::string file = program_.filename().string();
  return place_.label.empty() ? file : fmt::format("{} ({})", file, place_.label);
}

std::string LocalEngine::configuration() const {
  // What is not set here is the engine's default, and is recorded with the rest of CONFIG GET. The
  // working directory is the private one already.
  const scenario::Target& target = context_.scenario;
  std::string lines = access_.configuration(address_.port);
  lines += fmt::format(
      "bind 127.0.0.1\n"
      "protected-mode yes\n"
      "daemonize no\n"
      "maxmemory {}\n"
      "maxmemory-policy {}\n"
      "save \"\"\n"
      "appendonly no\n"
      "latency-monitor-threshold 10\n",
      target.maxmemory_bytes, target.maxmemory_policy);
  if (target.shards) lines += "cluster-enabled yes\ncluster-config-file cluster.conf\n";
  // A replica is to be there at once, not after the pause in which others might join it.
  if (target.replicas > 0) lines += "repl-diskless-sync yes\nrepl-diskless-sync-delay 0\n";
  if (primary_) lines += fmt::format("replicaof {} {}\n", primary_->host, primary_->port);
  // Last, so that they win over what stands above ("save 60 1").
  const auto settings = scenario::read_engine_settings(target.engine_config);
  check(settings.has_value(), "a scenario's engine_config was read before");
  for (const scenario::EngineSetting& setting : *settings)
    lines += fmt::format("{} {}\n", setting.name, setting.value);
  return lines;
}

Result<std::vector<std::string>> LocalEngine::command_line() const {
  const scenario::Target& target = context_.scenario;
  if (target.engine_args.empty()) {
    const fs::path path = directory_path_ / kConfigurationFile;
    if (auto written = write_file(path, configuration()); !written)
      return fail(std::move(written.error()));
    return std::vector<std::string>{program_.string(), path.string()};
  }
  auto words = scenario::read_engine_args(target.engine_args,
                                          {{"port", fmt::format("{}", address_.port)},
                                           {"maxmemory", fmt::format("{}", target.maxmemory_bytes)},
                                           {"policy", target.maxmemory_policy},
                                           {"directory", directory_path_.string()}});
  if (words) words->insert(words->begin(), program_.string());
  return words;
}

Result<std::uint16_t> LocalEngine::choose_port() const {
  auto port = context_.choose_port();
  if (!context_.scenario.shards) return port;
  // The bus needs a port of its own above it.
  for (int i = 0; i < 100 && port && *port + kBusDistance > kHighestPort; ++i)
    port = context_.choose_port();
  return port;
}

Result<std::optional<resp::Client>> LocalEngine::start_once(Nanos until) {
  const auto port = choose_port();
  if (!port) return fail(port.error());
  address_ = {"127.0.0.1", *port, {}};
  auto arguments = command_line();
  if (!arguments) return fail(std::move(arguments.error()));
  SubprocessOptions options;
  options.argv = std::move(*arguments);
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
Result<Subprocess> LocalEngine::start_confined(SubprocessOptions options) {
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

Result<std::optional<resp::Client>> LocalEngine::wait_until_it_answers(Nanos until) {
  const std::string engine = name();
  const Nanos began = real_clock().now();
  while (true) {
    // Waiting for its end is the pause between two attempts, too.
    if (const auto end = process_->wait(milliseconds{5})) {
      const std::string words = last_words();
      if (words.find("Address already in use") != std::string::npos) {
        address_ = {};  // another's: nothing of ours to prove there
        return std::nullopt;
      }
      return fail(ErrorKind::kTarget, "{} ended while it was starting ({}); it said: {}", engine,
                  end->describe(), words);
    }
    if (context_.given_up()) {
      return fail(ErrorKind::kIncomplete, "{} had not answered yet when the run was stopped",
                  engine);
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
                  engine, human_duration(real_clock().now() - began), answers.error().message,
                  last_words());
    }
  }
}

// Is what answers our own child? Only that is sure to die with us, and can be sampled and taken
// down.
Result<bool> LocalEngine::is_ours(resp::Client& client, Nanos until) {
  constexpr std::array<std::string_view, 1> kServer = {"server"};
  const auto info = client.info(kServer, until);
  if (!info) return fail(info.error());
  const auto listener = info->count("process_id");
  if (listener == static_cast<std::uint64_t>(pid_)) return true;
  // Some servers do not tell; then the kernel does.
  if (!listener && listens_on(pid_, address_.port)) return true;
  // Another's server took the port, and our engine is about to end because of it; or the program is
  // a script that started the engine as a child of its own. On a busy machine ending takes a while.
  if (process_->wait(seconds{5})) return false;
  return fail(ErrorKind::kTarget,
              "{} (pid {}) is not what answers on {} (pid {}): a script that starts an engine must "
              "hand over to it with exec",
              program_.string(), pid_, address_.text(), listener.value_or(0));
}

std::string LocalEngine::last_words() const {
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

std::optional<std::string> LocalEngine::ended() {
  if (ended_ || !process_) return ended_;
  const auto status = process_->poll();
  if (!status) return std::nullopt;
  ended_ = fmt::format("{}; it said: {}", status->describe(), last_words());
  return ended_;
}

Status LocalEngine::teardown(Nanos grace) {
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

std::vector<std::string> LocalEngine::verify() {
  std::vector<std::string> left;
  if (pid_ > 0 && !prove_process_gone()) left.push_back(fmt::format("the process {}", pid_));
  if (address_.port != 0 && !prove_port_closed())
    left.push_back(fmt::format("a server on {}", address_.text()));
  if (address_.port != 0 && context_.scenario.shards && !prove_bus_closed())
    left.push_back(fmt::format("a server on {}", bus_of(address_).text()));
  if (!confinement_.prove_removed()) left.push_back("its cgroup");
  if (!directory_path_.empty() && !prove_directory_removed())
    left.push_back(fmt::format("the directory {}", directory_path_.string()));
  return left;
}

bool LocalEngine::prove_process_gone() {
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

bool LocalEngine::prove_port_closed() {
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
bool LocalEngine::is_another_engine(resp::Client& client, Nanos until) const {
  constexpr std::array<std::string_view, 1> kServer = {"server"};
  const auto info = client.info(kServer, until);
  const auto run_id = info ? info->text("run_id") : std::nullopt;
  return run_id && !run_id_.empty() && *run_id != run_id_;
}

bool LocalEngine::prove_bus_closed() {
  const net::Address bus = bus_of(address_);
  const auto connected = net::connect(bus, real_clock().now() + seconds{1});
  const bool closed = !connected && connected.error().message.ends_with(errno_text(ECONNREFUSED));
  receipt("cluster bus closed",
          closed       ? connected.error().message
          : !connected ? connected.error().message
                       : fmt::format("{} still takes connections", bus.text()),
          closed);
  return closed;
}

bool LocalEngine::prove_directory_removed() {
  std::error_code error;
  const bool there = fs::exists(directory_path_, error);
  const bool gone = !there && !error;
  receipt(
      "directory removed",
      fmt::format("{}: {}", directory_path_.string(), gone ? "no such directory" : "still there"),
      gone);
  return gone;
}

void LocalEngine::receipt(std::string what, std::string evidence, bool proved) {
  sink_.receipt(
      {context_.clock.now() - context_.origin, std::move(what), std::move(evidence), proved});
}

}  // namespace headroom::target
