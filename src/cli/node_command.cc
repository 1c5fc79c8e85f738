#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "report/node_shapes.h"
#include "scenario/node_shapes.h"

namespace headroom::cli {
namespace {

struct ShapesFlags {
  std::vector<std::string> filter;
  bool json = false;
};

std::string no_such_shape(const std::string& filter) {
  std::vector<std::string> names;
  for (const auto& shape : scenario::node_catalogue().shapes) names.emplace_back(shape.name);
  const auto near = nearest(filter, names);
  return fmt::format("no node shape has \"{}\" in its name, architecture or CPU; {}",
                     printable(filter, 80),
                     near ? fmt::format("did you mean {}?", *near)
                          : std::string("headroom node shapes lists all"));
}

ExitCode shapes(const ShapesFlags& flags) {
  const std::string filter = fmt::format("{}", fmt::join(flags.filter, " "));
  const auto found = scenario::filter_node_shapes(filter);
  if (found.empty()) return print_error({ErrorKind::kUsage, no_such_shape(filter)});
  const std::string_view as_of = scenario::node_catalogue().as_of;
  return print_output(flags.json ? report::node_shapes_json(found, as_of)
                                 : report::render_node_shapes(found, as_of));
}

void add_shapes(CLI::App& node, Invocation& invocation) {
  auto flags = std::make_shared<ShapesFlags>();
  CLI::App* const command =
      node.add_subcommand("shapes", "List the node types whose shape a local node can have.");
  command->add_option("FILTER", flags->filter,
                      "Words that name, architecture or CPU contain, such as t4g, arm64 or burst");
  command->add_flag("--json", flags->json, "Print JSON");
  command->callback([flags, &invocation] { invocation.exit_code = shapes(*flags); });
}

}  // namespace

void add_node_command(CLI::App& app, Invocation& invocation) {
  CLI::App* const command =
      app.add_subcommand("node", "Local nodes: their shapes, up by hand, what is left of them.");
  command->require_subcommand(1);
  add_shapes(*command, invocation);
  add_node_list(*command, invocation);
  add_node_up(*command, invocation);
}

}  // namespace headroom::cli
