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

// The kernel stamps packets while any socket asks for it, and begins a moment after the first does.
// As long as this descriptor is open it goes on, so that the first packet of a new connection is
// stamped as well. Invalid where the kernel has no stamps.
[[nodiscard]] UniqueFd keep_stamping();

}  // namespace headroom::scripted
