// The listening side of a socket. Every descriptor made here is non-blocking and close-on-exec.
#pragma once

#include <sys/types.h>

#include <optional>
#include <span>
#include <string>

#include "base/clock.h"
#include "base/file.h"
#include "base/result.h"
#include "net/address.h"

namespace headroom::scripted {

// Listens on a free port of 127.0.0.1, and writes it into `address`.
[[nodiscard]] Result<UniqueFd> listen_on_loopback(net::Address& address);
// Listens on a unix socket, whose path must not exist.
[[nodiscard]] Result<UniqueFd> listen_on_path(const std::string& path);

// recv(), and the kernel's stamp of the last byte (CLOCK_REALTIME) if the socket has SO_TIMESTAMPNS
// and the kernel has begun to stamp.
[[nodiscard]] ssize_t receive(int fd, std::span<char> buffer, std::optional<Nanos>& stamp);

}  // namespace headroom::scripted
