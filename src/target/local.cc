#include "target/local.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string_view>
#include <utility>

#include "net/socket.h"
#include "scenario/node.h"
#include "target/join.h"
#include "target/node_list.h"
#include "target/probe.h"
#include "target/program.h"

namespace headroom::target {

Local::Local(scenario::Target scenario, const Clock& clock, Nanos origin, record::Sink& sink)
    : Local(std::move(scenario), clock, origin, sink, net::free_loopback_port) {}

Local::Local(scenario::Target scenario, const Clock& clock, Nanos origin, record::Sink& sink,
             ChoosePort choose_port)
    : scenario_(std::move(scenario)),
      clock_(clock),
      origin_(origin),
      sink_(sink),
      context_{scenario_,
               clock_,
               origin_,
               sink_,
               std::move(choose_port),
               [this] { return given_up(); }} {}

Result<Description> Local::provision(Nanos deadline) {
  const Nanos until = real_clock().now() + (deadline - clock_.now());
  if (auto ready = prepare(); !ready) return fail(std::move(ready.error()));
  if (auto started = start_all(until); !started) return fail(std::move(started.error()));
  if (auto joined = join(until); !joined) return fail(std::move(joined.error()));
  auto description = describe(until);
  clients_.clear();
  return description;
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
  if (const std::string shape = scenario::node_text(scenario_); !shape.empty())
    sink_.fact("node.shape", shape);
  for (Place& place : places_of(scenario_)) {
    engines_.push_back(
        std::make_unique<LocalEngine>(context_, std::move(place), engines_.size() + 1));
    if (auto ready = engines_.back()->prepare(); !ready) return ready;
  }
  auto access = make_access(scenario_, engines_.front()->directory());
  if (!access) return fail(std::move(access.error()));
  access_ = std::move(*access);
  return {};
}

Status Local::start_all(Nanos until) {
  for (const auto& engine : engines_) {
    const Place& place = engine->place();
    std::optional<net::Address> primary;
    // A cluster is told who follows whom when it is made.
    if (place.replica > 0 && !scenario_.shards) primary = engines_[place.primary]->address();
    auto client = engine->start(program_, access_, primary, until);
    if (!client) return fail(std::move(client.error()));
    clients_.push_back(std::move(*client));
  }
  return {};
}

Status Local::join(Nanos until) {
  if (engines_.size() == 1 && !scenario_.shards) return {};
  std::vector<Joining> joining;
  for (std::size_t i = 0; i < engines_.size(); ++i)
    joining.push_back({&engines_[i]->place(), &clients_[i]});
  const Patience patience{until, context_.given_up};
  return scenario_.shards ? make_cluster(joining, *scenario_.shards, patience)
                          : await_replication(joining, patience);
}

// The facts of the first stand for all: they are of one program and one configuration.
Result<Engine> Local::describe_first(Nanos until) {
  const LocalEngine& first = *engines_.front();
  auto engine = describe_engine(clients_.front(), until, sink_);
  if (!engine) return engine;
  if (auto measured = measure_clock(clients_.front(), clock_, until, sink_); !measured)
    return fail(std::move(measured.error()));
  sink_.fact("target.address", first.address().text());
  sink_.fact("target.peer", first.address().text());
  sink_.fact("target.on_this_host", "yes");
  sink_.fact("engine.program", program_.string());
  if (const std::string tls = clients_.front().tls_description(); !tls.empty())
    sink_.fact("target.tls", tls);
  return engine;
}

Result<Node> Local::describe_node(std::size_t index, const Engine& first, Nanos until) {
  LocalEngine& engine = *engines_[index];
  constexpr std::array<std::string_view, 1> kServer = {"server"};
  const auto info = clients_[index].info(kServer, until);
  if (!info) return fail(info.error());
  engine.set_run_id(std::string(info->text("run_id").value_or("")));
  engine.sink().fact("engine.pid", fmt::format("{}", engine.pid()));
  if (index > 0) engine.sink().fact("target.address", engine.address().text());
  engine.sink().event({clock_.now() - origin_, record::EventKind::kNote,
                       fmt::format("started {} {} as pid {} on {}", first.name, first.version,
                                   engine.pid(), engine.address().text())});
  if (auto shown = engine.show(fmt::format("{} {}", first.name, first.version)); !shown)
    return fail(std::move(shown.error()));
  Node node;
  if (engines_.size() > 1) {
    node.member = {engine.address().text(), engine.place().shard, engine.place().role()};
    sink_.member(node.member);
  }
  node.server = engine.server();
  node.pid = engine.pid();
  node.sample = [&engine] { return engine.sample(); };
  return node;
}

Result<Description> Local::describe(Nanos until) {
  const auto first = describe_first(until);
  if (!first) return fail(first.error());
  Description description;
  description.server = engines_.front()->server();
  description.cluster = scenario_.shards.has_value();
  description.engine = first->name;
  description.version = first->version;
  description.maxmemory_bytes = first->maxmemory_bytes;
  if (first->maxmemory_bytes)
    description.node_memory_bytes = scenario::local_memory_bytes(scenario_);
  description.maxmemory_policy = first->maxmemory_policy;
  description.on_this_host = true;
  for (std::size_t i = 0; i < engines_.size(); ++i) {
    auto node = describe_node(i, *first, until);
    if (!node) return fail(std::move(node.error()));
    description.nodes.push_back(std::move(*node));
  }
  return description;
}

std::optional<std::string> Local::ended() {
  for (const auto& engine : engines_) {
    auto how = engine->ended();
    if (!how) continue;
    const std::string& label = engine->place().label;
    return label.empty() ? std::move(how) : fmt::format("{}: {}", label, *how);
  }
  return std::nullopt;
}

Status Local::answers(Nanos deadline) {
  const Nanos until = real_clock().now() + (deadline - clock_.now());
  for (const auto& engine : engines_) {
    if (auto answer = answers_at(engine->server(), until); !answer) return answer;
  }
  return {};
}

Status Local::teardown(Nanos grace) {
  const Nanos until = real_clock().now() + grace;
  clients_.clear();
  Status first_failure;
  for (auto engine = engines_.rbegin(); engine != engines_.rend(); ++engine) {
    const Status down = (*engine)->teardown(std::max(Nanos{0}, until - real_clock().now()));
    if (first_failure) first_failure = down;
  }
  return first_failure;
}

Status Local::verify() {
  std::vector<std::string> left;
  for (const auto& engine : engines_) {
    for (std::string& what : engine->verify()) left.push_back(std::move(what));
  }
  if (left.empty()) return {};
  return fail(ErrorKind::kTeardown, "could not prove that the local {} gone; left: {}",
              engines_.size() == 1 ? "node is" : "nodes are", fmt::join(left, ", "));
}

}  // namespace headroom::target
