// What a client says first on a new connection, and what the replies to that mean. Pure.
//
// RESP2: AUTH if there is a password. RESP3: HELLO 3, with AUTH inside it. Then SELECT, unless the
// database is 0, and READONLY where a cluster's replica is to be read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "resp/server.h"

namespace headroom::resp {

// What is said of a server that knows nobody without a password, behind its address.
inline constexpr std::string_view kPasswordWanted =
    "asks for a password: set target.password_file or target.password_env";

enum class GreetingStep : std::uint8_t { kAuth, kHello, kSelect, kReadOnly, kPing };

struct GreetingCommand {
  GreetingStep step = GreetingStep::kPing;
  std::vector<std::string> words;
};

// In the order in which they are sent; PING, which a caller may add, is not among them.
[[nodiscard]] std::vector<GreetingCommand> greeting_of(const Server& server);

enum class GreetingAnswer : std::uint8_t { kStatus, kAggregate, kError, kOther };

// What is wrong with the answer to a step: a line that begins with the server's address and never
// holds the password; nullopt: nothing. `text` is that of a status or an error. A user who may not
// PING may still read and write.
[[nodiscard]] std::optional<std::string> greeting_fault(const Server& server, GreetingStep step,
                                                        GreetingAnswer answer,
                                                        std::string_view text);

}  // namespace headroom::resp
