// A RESP server inside this process that does what a script says, and keeps the truth of it: when
// it read each request and when it wrote each reply.
//
// One thread serves all connections. It sleeps until shortly before a reply is due and watches the
// clock for the rest, so that a delay is met to about a microsecond while it has a CPU; what the
// delay really was stands in the log, on CLOCK_MONOTONIC, the clock of real_clock().
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "net/address.h"
#include "scripted/script.h"

namespace headroom::scripted {

// One request as the server saw it.
struct Served {
  std::string command;           // upper case
  std::uint64_t connection = 0;  // in the order of acceptance
  Nanos arrived{0};              // just after the read that brought its last byte
  // When the kernel had its last byte, with Script::stamp_requests(): a client on this machine was
  // in its send call then. CLOCK_REALTIME, so only differences mean anything. Absent for the
  // first few requests: the kernel takes a moment to begin.
  std::optional<Nanos> sent = {};
  // Just before the write that carried the reply's last byte; absent: there was none.
  std::optional<Nanos> replied = {};
  // What the server added to the request's latency.
  [[nodiscard]] std::optional<Nanos> added() const {
    return replied ? std::optional(*replied - arrived) : std::nullopt;
  }
};

struct Observed {
  std::uint64_t connections = 0;  // accepted since the start
  std::uint64_t connections_open = 0;
  std::uint64_t requests = 0;  // whole requests, of every command
  CommandCounts commands;      // the same by name
  std::uint64_t keys = 0;      // stored now
  std::vector<Served> log;     // the first kLogLimit requests
  struct Stall {
    Nanos begin{0};
    Nanos end{0};
  };
  std::vector<Stall> stalls;

  [[nodiscard]] std::uint64_t count(const std::string& command) const;
};

// Bounded, whatever its clients send: it logs kLogLimit requests, does not read on while a
// connection has kMostUnsent bytes of replies waiting, and keeps what RequestReader and EngineModel
// say.
class ScriptedServer {
 public:
  static constexpr std::size_t kLogLimit = 1'000'000;
  static constexpr std::size_t kMostUnsent = std::size_t{64} << 20U;

  // Listens on a free port of 127.0.0.1, or on a unix socket at `socket` when that is not empty
  // (its path is removed when the server ends). Ready to be connected to when it returns.
  [[nodiscard]] static Result<std::unique_ptr<ScriptedServer>> start(
      Script script, const std::string& socket = "");
  ~ScriptedServer();  // stops
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  [[nodiscard]] const net::Address& address() const;
  // A copy of what was seen so far. Any thread.
  [[nodiscard]] Observed observed() const;
  // Waits until `condition` holds; false if `timeout` passes first. Any thread.
  [[nodiscard]] bool wait_until(const std::function<bool(const Observed&)>& condition,
                                Nanos timeout) const;
  // Closes every connection and the listener, and ends the thread. What was observed stays.
  void stop();

 private:
  class Impl;
  explicit ScriptedServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace headroom::scripted
