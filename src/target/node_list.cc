#include "target/node_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <map>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "target/node_directory.h"
#include "target/process.h"

namespace headroom::target {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kCardFile = "node.txt";
constexpr int kPollMs = 10;

std::optional<pid_t> as_pid(const std::string& text) {
  pid_t pid = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), pid);
  if (error != std::errc{} || stop != text.data() + text.size() || pid <= 0) return std::nullopt;
  return pid;
}

void add_unique(std::vector<pid_t>& pids, const std::vector<pid_t>& more) {
  for (const pid_t pid : more) {
    if (std::ranges::find(pids, pid) == pids.end()) pids.push_back(pid);
  }
}

FoundNode look_at(const fs::path& directory) {
  FoundNode node;
  node.name = directory.filename().string();
  node.directory = directory;
  node.alive = !lock_abandoned(directory).valid();
  if (const auto text = read_file(directory / kCardFile)) node.card = parse_card(*text);
  if (!node.alive) node.processes = processes_working_in(directory);
  return node;
}

}  // namespace

std::string print_card(const NodeCard& card) {
  return fmt::format("owner {}\nowner_start_time {}\nengine {}\naddress {}\nwhat {}\n", card.owner,
                     card.owner_start_time, card.engine, card.address, card.what);
}

std::optional<NodeCard> parse_card(std::string_view text) {
  std::map<std::string, std::string, std::less<>> values;
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t blank = line.find(' ');
    if (blank != std::string_view::npos)
      values.emplace(line.substr(0, blank), line.substr(blank + 1));
  }
  const auto owner = as_pid(values["owner"]);
  const auto engine = as_pid(values["engine"]);
  if (!owner || !engine || values["owner_start_time"].empty()) return std::nullopt;
  return NodeCard{*owner, values["owner_start_time"], *engine, values["address"], values["what"]};
}

Status write_card(const fs::path& directory, const NodeCard& card) {
  return write_file(directory / kCardFile, print_card(card));
}

std::vector<FoundNode> find_nodes() {
  std::map<std::string, FoundNode> nodes;
  for (const fs::path& directory : find_node_directories()) {
    FoundNode node = look_at(directory);
    nodes.emplace(node.name, std::move(node));
  }
  for (AbandonedGroup& group : find_abandoned_groups(cpu_hierarchies())) {
    const std::string name = group.directory.filename().string();
    FoundNode& node = nodes[name];
    if (node.alive) continue;  // it is just being made
    node.name = name;
    add_unique(node.processes, group.processes);
    node.groups.push_back(std::move(group));
  }
  std::vector<FoundNode> found;
  for (auto& [name, node] : nodes) found.push_back(std::move(node));
  return found;
}

Status clear_node(const FoundNode& node) {
  std::vector<std::string> left;
  // Held while its things go, so that no two do the same.
  const UniqueFd lock = node.directory ? lock_abandoned(*node.directory) : UniqueFd();
  if (node.directory && !lock.valid()) {
    return fail(ErrorKind::kTeardown, "{}: has an owner, or somebody else is clearing it",
                node.name);
  }
  if (node.directory) {
    for (const pid_t pid : processes_working_in(*node.directory)) ::kill(pid, SIGKILL);
  }
  for (const AbandonedGroup& group : node.groups) {
    if (!remove_abandoned_group(group)) left.push_back(group.directory.string());
  }
  if (node.directory) {
    std::error_code error;
    fs::remove_all(*node.directory, error);
    if (error) left.push_back(node.directory->string());
  }
  if (left.empty()) return {};
  return fail(ErrorKind::kTeardown, "{}: could not remove {}", node.name, fmt::join(left, ", "));
}

Status end_node(const FoundNode& node, Nanos deadline) {
  if (!node.card || process_start_time(node.card->owner) != node.card->owner_start_time) {
    return fail(ErrorKind::kTeardown, "{}: its owner has not said who it is; end that headroom",
                node.name);
  }
  ::kill(node.card->owner, SIGTERM);
  std::error_code error;
  while (fs::exists(*node.directory, error)) {
    if (real_clock().now() >= deadline) {
      return fail(ErrorKind::kTeardown,
                  "{}: its owner (pid {}) was asked to take it down and has "
                  "not done so yet",
                  node.name, node.card->owner);
    }
    ::poll(nullptr, 0, kPollMs);
  }
  return {};
}

std::vector<std::string> clear_abandoned_nodes() {
  std::vector<std::string> cleared;
  for (const FoundNode& node : find_nodes()) {
    if (!node.alive && clear_node(node)) cleared.push_back(node.name);
  }
  return cleared;
}

}  // namespace headroom::target
