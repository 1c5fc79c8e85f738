// A small client for control traffic: asks one thing, waits for the answer, never for longer than
// it may. Not for load.
//
// Every member that talks to the server takes a deadline (a time of real_clock()) and keeps it,
// whatever the server does. Errors (ErrorKind::kTarget) are one line that begins with the server's
// address, or with "cannot connect to" it; no password ever stands in one.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/file.h"
#include "base/result.h"
#include "net/address.h"
#include "net/stream.h"
#include "resp/info.h"
#include "resp/reply.h"
#include "resp/server.h"

namespace headroom::resp {

// One connection, one owner thread.
//
// After a call that ran into its deadline the connection stays usable: the late reply is still
// owed, and the next call waits for it, drops it, and then asks. After any other failure to get a
// reply (broken() is true) only a new client helps.
class Client {
 public:
  // Connects, agrees on TLS and greets (resp/greeting.h) as `server` asks for.
  [[nodiscard]] static Result<Client> connect(const Server& server, Nanos deadline);

  // Any command. An error reply of the engine is a ReplyTree, not an Error: the caller knows
  // whether it matters. Out-of-band pushes are dropped.
  [[nodiscard]] Result<ReplyTree> call(std::span<const std::string_view> arguments, Nanos deadline);
  [[nodiscard]] Result<ReplyTree> call(std::initializer_list<std::string_view> arguments,
                                       Nanos deadline) {
    return call(std::span(arguments.begin(), arguments.size()), deadline);
  }

  // Waits for the replies that earlier calls gave up on and drops them. call() does so by itself;
  // this keeps that wait out of a measured round trip.
  [[nodiscard]] Status settle(Nanos deadline);

  // These turn an error reply, or one of an unexpected kind, into an Error.
  [[nodiscard]] Status ping(Nanos deadline);
  [[nodiscard]] Result<Info> info(std::span<const std::string_view> sections, Nanos deadline);
  [[nodiscard]] Result<std::map<std::string, std::string>> config_get(std::string_view pattern,
                                                                      Nanos deadline);
  [[nodiscard]] Result<std::uint64_t> dbsize(Nanos deadline);  // of the selected database
  [[nodiscard]] Result<WallTime> time(Nanos deadline);         // the server's clock, microseconds

  [[nodiscard]] bool broken() const { return !stream_.is_open(); }
  // Did the last call fail because its deadline came?
  [[nodiscard]] bool timed_out() const { return timed_out_; }
  [[nodiscard]] const net::Address& address() const { return address_; }
  [[nodiscard]] int fd() const { return stream_.fd(); }
  // Version and cipher; empty without TLS.
  [[nodiscard]] std::string tls_description() const { return stream_.tls_description(); }

 private:
  Client(UniqueFd fd, net::Address address)
      : stream_(std::move(fd)), address_(std::move(address)) {}

  [[nodiscard]] Status secure(const net::TlsContext& tls, Nanos deadline);
  [[nodiscard]] Status greet(const Server& server, Nanos deadline);
  [[nodiscard]] Status send(std::string_view bytes, std::string_view command, Nanos deadline);
  // The next reply that is no push.
  [[nodiscard]] Result<ReplyTree> receive(std::string_view command, Nanos deadline);
  [[nodiscard]] Status read_more(std::string_view command, Nanos deadline);
  [[nodiscard]] tl::unexpected<Error> late(std::string_view command);
  [[nodiscard]] tl::unexpected<Error> break_off(std::string_view reason);
  [[nodiscard]] tl::unexpected<Error> unexpected(std::string_view command,
                                                 const ReplyTree& reply) const;

  net::Stream stream_;
  net::Address address_;
  std::string received_;   // read and not decoded yet
  std::size_t owed_ = 0;   // replies that earlier calls gave up on
  bool answered_ = false;  // at least one reply has come
  bool timed_out_ = false;
};

}  // namespace headroom::resp
