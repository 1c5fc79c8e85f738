// One question to a server: is it there?
#pragma once

#include "base/clock.h"
#include "base/result.h"
#include "resp/client.h"

namespace headroom::target {

// Connects anew and asks PING; any reply of the protocol will do, one that refuses included.
// `deadline` is a time of real_clock(). The Error (kTarget) is one line that names the server.
[[nodiscard]] Status answers_at(const resp::Server& server, Nanos deadline);

}  // namespace headroom::target
