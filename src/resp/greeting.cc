#include "resp/greeting.h"

#include <fmt/format.h>

#include "base/text.h"

namespace headroom::resp {
namespace {

std::string user_text(const Server& server) {
  return server.username.empty() ? std::string("the default user")
                                 : fmt::format("user \"{}\"", printable(server.username));
}

std::string_view command_name(GreetingStep step) {
  switch (step) {
    case GreetingStep::kAuth:
      return "AUTH";
    case GreetingStep::kHello:
      return "HELLO 3";
    case GreetingStep::kSelect:
      return "SELECT";
    case GreetingStep::kReadOnly:
      return "READONLY";
    case GreetingStep::kPing:
      return "PING";
  }
  return "?";
}

// Behind "ADDRESS ".
std::string refusal(const Server& server, GreetingStep step, std::string_view error) {
  const bool of_password = step == GreetingStep::kAuth || error.starts_with("WRONGPASS") ||
                           error.starts_with("ERR AUTH");
  if (error.starts_with("NOAUTH")) return std::string(kPasswordWanted);
  if (of_password) {
    return fmt::format("refused the password of {}: {}", user_text(server), printable(error));
  }
  if (step == GreetingStep::kHello) {
    return fmt::format("does not take RESP3: {}; set target.protocol = \"resp2\"",
                       printable(error));
  }
  if (step == GreetingStep::kSelect) {
    return fmt::format("refused database {}: {}; set another target.database", server.database,
                       printable(error));
  }
  return fmt::format("refused {}: {}", command_name(step), printable(error));
}

}  // namespace

std::vector<GreetingCommand> greeting_of(const Server& server) {
  std::vector<GreetingCommand> commands;
  const std::string user = server.username.empty() ? "default" : server.username;
  if (server.protocol == Protocol::kResp3) {
    GreetingCommand hello{GreetingStep::kHello, {"HELLO", "3"}};
    if (!server.password.empty()) {
      hello.words.insert(hello.words.end(), {"AUTH", user, server.password});
    }
    commands.push_back(std::move(hello));
  } else if (!server.password.empty()) {
    // Without a user in the form that engines before ACLs understand, too.
    GreetingCommand auth{GreetingStep::kAuth, {"AUTH"}};
    if (!server.username.empty()) auth.words.push_back(server.username);
    auth.words.push_back(server.password);
    commands.push_back(std::move(auth));
  }
  if (server.database != 0) {
    commands.push_back({GreetingStep::kSelect, {"SELECT", std::to_string(server.database)}});
  }
  if (server.reads_replica) commands.push_back({GreetingStep::kReadOnly, {"READONLY"}});
  return commands;
}

std::optional<std::string> greeting_fault(const Server& server, GreetingStep step,
                                          GreetingAnswer answer, std::string_view text) {
  const std::string address = server.address.text();
  if (answer == GreetingAnswer::kError) {
    if (step == GreetingStep::kPing && text.starts_with("NOPERM")) return std::nullopt;
    return fmt::format("{} {}", address, refusal(server, step, text));
  }
  const GreetingAnswer wanted =
      step == GreetingStep::kHello ? GreetingAnswer::kAggregate : GreetingAnswer::kStatus;
  if (answer == wanted) return std::nullopt;
  return fmt::format("{} did not answer {} as a Valkey or Redis server does", address,
                     command_name(step));
}

}  // namespace headroom::resp
