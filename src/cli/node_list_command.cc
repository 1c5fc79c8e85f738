#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "target/node_list.h"

namespace headroom::cli {
namespace {

using target::FoundNode;

// A living owner may have a run to seal before it takes the node down.
constexpr Nanos kEndLimit = std::chrono::seconds{15};

std::vector<std::string> paths_of(const FoundNode& node) {
  std::vector<std::string> paths;
  if (node.directory) paths.push_back(node.directory->string());
  for (const auto& group : node.groups) paths.push_back(group.directory.string());
  return paths;
}

// "directory /tmp/headroom-node-x1y2z3, cgroup ..., processes 4711"
std::string belongings(const FoundNode& node) {
  std::vector<std::string> parts;
  if (node.directory) parts.push_back(fmt::format("directory {}", node.directory->string()));
  for (const auto& group : node.groups)
    parts.push_back(fmt::format("cgroup {}", group.directory.string()));
  if (!node.processes.empty())
    parts.push_back(fmt::format("processes {}", fmt::join(node.processes, " ")));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string line_of(const FoundNode& node) {
  if (!node.alive)
    return fmt::format("{}  left behind: {}\n", node.name, printable(belongings(node), 1000));
  if (!node.card) return fmt::format("{}  starting\n", node.name);
  return fmt::format("{}  up: {} on {}, engine pid {}, owner pid {}\n", node.name,
                     printable(node.card->what, 100), printable(node.card->address, 100),
                     node.card->engine, node.card->owner);
}

nlohmann::ordered_json json_of(const FoundNode& node) {
  nlohmann::ordered_json json = {
      {"name", node.name},       {"state", node.alive ? "up" : "left behind"},
      {"paths", paths_of(node)}, {"processes", node.processes},
      {"what", nullptr},         {"address", nullptr},
      {"engine_pid", nullptr},   {"owner_pid", nullptr}};
  if (!node.card) return json;
  json["what"] = printable(node.card->what);
  json["address"] = printable(node.card->address);
  json["engine_pid"] = node.card->engine;
  json["owner_pid"] = node.card->owner;
  return json;
}

ExitCode list(bool as_json) {
  const auto nodes = target::find_nodes();
  if (as_json) {
    auto json = nlohmann::ordered_json::array();
    for (const FoundNode& node : nodes) json.push_back(json_of(node));
    return print_output(json.dump(1) + "\n");
  }
  if (nodes.empty()) return print_output("no local nodes, and nothing left behind by any\n");
  std::string text;
  bool abandoned = false;
  for (const FoundNode& node : nodes) {
    text += line_of(node);
    abandoned |= !node.alive;
  }
  if (abandoned) text += "headroom node down removes what was left behind.\n";
  return print_output(text);
}

Status take_down(const FoundNode& node) {
  return node.alive ? target::end_node(node, real_clock().now() + kEndLimit)
                    : target::clear_node(node);
}

ExitCode no_such_node(const std::string& name, const std::vector<FoundNode>& nodes) {
  std::vector<std::string> names;
  for (const FoundNode& node : nodes) names.push_back(node.name);
  const auto near = nearest(name, names);
  return print_error(
      {ErrorKind::kUsage, fmt::format("there is no node {}; {}", printable(name, 80),
                                      near ? fmt::format("did you mean {}?", *near)
                                           : std::string("headroom node ls lists them"))});
}

ExitCode down(const std::string& name) {
  const auto nodes = target::find_nodes();
  ExitCode code = kDone;
  bool any = false;
  for (const FoundNode& node : nodes) {
    // Without a name: what nobody owns. A living node is taken down only when it is named.
    if (name.empty() ? node.alive : node.name != name) continue;
    any = true;
    if (const Status gone = take_down(node); !gone) {
      code = print_error(gone.error());
    } else if (const ExitCode printed = print_output(
                   fmt::format("{}: gone ({})\n", node.name, printable(belongings(node), 1000)));
               printed != kDone) {
      code = printed;
    }
  }
  if (any) return code;
  if (!name.empty()) return no_such_node(name, nodes);
  return print_output("nothing is left behind\n");
}

}  // namespace

void add_node_list(CLI::App& node, Invocation& invocation) {
  auto json = std::make_shared<bool>(false);
  CLI::App* const ls =
      node.add_subcommand("ls", "List local nodes, and what runs that were killed left of theirs.");
  ls->add_flag("--json", *json, "Print JSON");
  ls->callback([json, &invocation] { invocation.exit_code = list(*json); });

  auto name = std::make_shared<std::string>();
  CLI::App* const command = node.add_subcommand(
      "down", "Remove what was left behind, or take down the node that is named.");
  CLI::Option* const option =
      command->add_option("NAME", *name, "Of a node, as headroom node ls shows it");
  refuse_empty(*option);
  command->callback([name, &invocation] { invocation.exit_code = down(*name); });
}

}  // namespace headroom::cli
