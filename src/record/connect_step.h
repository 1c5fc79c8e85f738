// The steps in which a connection is opened, each of which takes a time of its own. Values are
// stored in run files and never change.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "stats/histogram.h"

namespace headroom::record {

enum class ConnectStep : int {
  kConnect = 0,  // from the attempt's begin until the socket is connected
  kTls = 1,      // from then until the TLS handshake is done; only with TLS
  kGreeting =
      2,  // from the sending of AUTH or HELLO, SELECT and PING until the last of the replies
};

inline constexpr std::array kConnectSteps = {ConnectStep::kConnect, ConnectStep::kTls,
                                             ConnectStep::kGreeting};

// "connect", "tls", "greeting"
[[nodiscard]] std::string_view connect_step_name(ConnectStep step);
[[nodiscard]] std::optional<ConnectStep> connect_step_from_value(int stored);

// Identifies a histogram of such times.
struct ConnectKey {
  ConnectStep step = ConnectStep::kConnect;
  bool again = false;  // of a connection that had been ready before
  friend auto operator<=>(const ConnectKey&, const ConnectKey&) = default;
};
inline constexpr std::size_t kConnectKeyCount = 2 * kConnectSteps.size();

// How long the step took, of every attempt that ended it well.
struct ConnectSeries {
  ConnectKey key;
  stats::Histogram histogram;
};

}  // namespace headroom::record
