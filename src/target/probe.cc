#include "target/probe.h"

#include <utility>

namespace headroom::target {

Status answers_at(const resp::Server& server, Nanos deadline) {
  auto client = resp::Client::connect(server, deadline);
  if (!client) return fail(std::move(client.error()));
  auto reply = client->call({"PING"}, deadline);
  if (!reply) return fail(std::move(reply.error()));
  return {};
}

}  // namespace headroom::target
