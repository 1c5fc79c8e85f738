// The least that a server can do: it recognises requests, counts them and sends replies that were
// made beforehand, one read and one write for whatever has come. A load generator that is held
// against it shows its own limit, not a cache's.
//
// A command that begins with G is answered with a value, one that begins with P with PONG, any
// other with OK; nothing is stored. A client whose bytes are no RESP, or that does not read its
// replies, is closed or no longer read from: what is kept of a connection is at most what one read
// of 64 KiB can ask for.
//
// Threads: the server has some of its own, which share the connections as they come; members may be
// called by any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/result.h"
#include "net/address.h"

namespace headroom::scripted {

class CountingResponder {
 public:
  struct Usage {
    std::uint64_t requests = 0;  // answered since the start
    Nanos cpu{0};                // CPU time of the server's threads since the start
  };

  // Listens on a free port of 127.0.0.1. Ready to be connected to when it returns.
  [[nodiscard]] static Result<std::unique_ptr<CountingResponder>> start(std::size_t value_bytes,
                                                                        std::uint32_t threads = 1);
  ~CountingResponder();  // closes everything and ends the thread
  CountingResponder(const CountingResponder&) = delete;
  CountingResponder& operator=(const CountingResponder&) = delete;

  [[nodiscard]] const net::Address& address() const { return address_; }
  [[nodiscard]] Usage usage() const;

 private:
  class Loop;
  CountingResponder(net::Address address, UniqueFd listener);

  const net::Address address_;
  const UniqueFd listener_;
  std::vector<std::unique_ptr<Loop>> loops_;  // each with its thread
};

}  // namespace headroom::scripted
