#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "lab/hand_node.h"
#include "lab/interrupts.h"
#include "scenario/node.h"
#include "scenario/parse.h"

namespace headroom::cli {
namespace {

struct UpFlags {
  std::string shape;
  std::string scale;
  std::string engine;
  std::vector<std::string> settings;
};

// What valkey-cli needs beside host and port. The user's password is told to whoever made the node,
// on the terminal and nowhere else.
std::string client_flags(const target::Description& description, const std::string& directory) {
  std::string flags;
  if (description.server.tls) flags += fmt::format(" --tls --cacert {}/ca.pem", directory);
  const resp::Server& server = description.server;
  if (!server.username.empty())
    flags += fmt::format(" --user {} --pass {}", printable(server.username), server.password);
  return flags +
         (description.nodes.size() > 1 && description.nodes.back().member.shard > 1 ? " -c" : "");
}

std::string ready_text(const scenario::Target& node, const target::Description& description,
                       const std::map<std::string, std::string>& facts) {
  const auto fact = [&](const std::string& key, const std::string& other) {
    const auto found = facts.find(key);
    return printable(found == facts.end() ? other : found->second, 400);
  };
  const std::string shape = scenario::node_text(node);
  const std::string directory = fact("node.directory", "");
  const std::string name = directory.substr(directory.rfind('/') + 1);
  const std::string host = description.server.address.host;
  const auto port = description.server.address.port;
  const std::string topology = scenario::topology_text(node);
  std::string others;
  for (std::size_t i = 1; i < description.nodes.size(); ++i) {
    const record::Member& member = description.nodes[i].member;
    others += fmt::format("  also at    {}, {} of shard {}\n", member.name,
                          record::member_role_name(member.role), member.shard);
  }
  return fmt::format(
      "{} {}{}{} is up: maxmemory {}, {}\n"
      "  CPU        {}\n"
      "  connect    valkey-cli -h {} -p {}{}   (or redis-cli)\n"
      "  scenario   --set target.kind=endpoint --set target.host={} --set target.port={}\n"
      "{}"
      "  take down  Ctrl-C here, or: headroom node down {}\n",
      description.engine, description.version, topology.empty() ? "" : ", " + topology + ",",
      shape.empty() ? "" : " as " + shape, print_bytes(node.maxmemory_bytes),
      description.maxmemory_policy,
      fact("node.cpu", "not held to anything; a shape, or vcpus, would"), host, port,
      client_flags(description, directory), host, port, others, name);
}

Result<scenario::Scenario> scenario_of(const UpFlags& flags) {
  std::vector<std::string> settings = flags.settings;
  if (!flags.shape.empty()) settings.push_back("target.shape=" + flags.shape);
  if (!flags.scale.empty()) settings.push_back("target.scale=" + flags.scale);
  if (!flags.engine.empty()) settings.push_back("target.engine_path=" + flags.engine);
  auto scenario = scenario::parse_scenario("", "node-up", settings);
  if (!scenario) return scenario;
  if (scenario->target.kind != scenario::TargetKind::kLocal) {
    return fail(ErrorKind::kUsage, "target.kind: node up brings up a local node; leave it out");
  }
  return scenario;
}

ExitCode up(const UpFlags& flags) {
  const auto scenario = scenario_of(flags);
  if (!scenario) return print_error(scenario.error());
  lab::block_interrupts();
  lab::HandNodeTold told;
  told.ready = [&](const target::Description& description,
                   const std::map<std::string, std::string>& facts) {
    (void)print_output(ready_text(scenario->target, description, facts));
  };
  told.warned = [](const std::string& line) {
    print_message(fmt::format("{}\n", printable(line, 1000)));
  };
  told.receipt = [](const record::Receipt& receipt) {
    print_message(fmt::format("{}: {}{}\n", receipt.what, printable(receipt.evidence, 400),
                              receipt.proved ? "" : " (NOT PROVED)"));
  };
  const Status gone = lab::hold_node(scenario->target, told);
  return gone ? kDone : print_error(gone.error());
}

}  // namespace

void add_node_up(CLI::App& node, Invocation& invocation) {
  auto flags = std::make_shared<UpFlags>();
  CLI::App* const command = node.add_subcommand(
      "up", "Bring up a local node with its limits on, and keep it until Ctrl-C.");
  command->add_option("--shape", flags->shape, "Node type, as headroom node shapes lists it");
  command->add_option("--scale", flags->scale, "Shrinks its memory, e.g. 0.125");
  command->add_option("--engine", flags->engine, "The server program; default: from PATH")
      ->type_name("FILE");
  command
      ->add_option("--set", flags->settings,
                   "Any other option of [target], e.g. --set target.vcpus=0.5; may be repeated")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->callback([flags, &invocation] { invocation.exit_code = up(*flags); });
}

}  // namespace headroom::cli
