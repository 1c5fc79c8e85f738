// Connecting sockets. Every descriptor made here is non-blocking and close-on-exec; TCP ones have
// TCP_NODELAY. Errors (ErrorKind::kTarget) name the address and the reason.
#pragma once

#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/result.h"
#include "net/address.h"

namespace headroom::net {

// The addresses a host name stands for, as numeric literals, in the order in which the system would
// try them; an Address that is numeric or a unix socket stands for itself. Names are resolved by
// the system, which blocks for as long as its own time-outs allow.
[[nodiscard]] Result<std::vector<Address>> resolve(const Address& address);

// Begins to connect without waiting; a name is resolved first and its first address taken. The
// descriptor becomes writable when the attempt has ended; finish_connect() then tells how.
//
// A unix socket connects at once or fails; one whose listener has a full backlog fails, where TCP
// would wait: backlog_full() tells that apart from other failures.
[[nodiscard]] Result<UniqueFd> start_connect(const Address& address);
[[nodiscard]] Status finish_connect(int fd, const Address& address);
// After a failed start_connect() of a unix socket: is it worth another attempt in a moment?
[[nodiscard]] bool backlog_full(const Error& error);

// Connects to the first of the resolved addresses that accepts, before `deadline` (a time of
// real_clock()). The error is that of the last address tried.
[[nodiscard]] Result<UniqueFd> connect(const Address& address, Nanos deadline);

enum class Wait { kReadable, kWritable };
// Waits until the descriptor is ready (or broken) or `deadline` (a time of real_clock()) has come;
// true if it is ready.
[[nodiscard]] bool wait_for(int fd, Wait what, Nanos deadline);

// The numeric address a connected socket's other end has.
[[nodiscard]] Result<Address> peer_address(int fd);
// Are both ends of a connected socket on this machine: a unix socket, a loopback address, or one of
// the machine's own addresses at both ends?
[[nodiscard]] bool ends_on_one_host(int fd);

// A TCP port of 127.0.0.1 that nobody listened on a moment ago. Another process may take it before
// the caller does: be ready to ask again.
[[nodiscard]] Result<std::uint16_t> free_loopback_port();

}  // namespace headroom::net
