#include "resp/client.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "net/socket.h"
#include "resp/encode.h"
#include "resp/greeting.h"

namespace headroom::resp {
namespace {

constexpr std::size_t kReadBytes = 64U << 10U;
// Of one whole reply. The longest that control traffic knows, INFO of every section and the slots
// of a large cluster, stay far below.
constexpr std::size_t kReplyBytes = 32U << 20U;

std::optional<std::int64_t> as_integer(const ReplyTree& reply) {
  if (reply.is(ReplyTree::Kind::kInteger)) return reply.integer;
  if (!reply.is(ReplyTree::Kind::kString)) return std::nullopt;
  std::int64_t result = 0;
  const char* const end = reply.text.data() + reply.text.size();
  const auto [stop, failure] = std::from_chars(reply.text.data(), end, result);
  if (failure != std::errc{} || stop != end) return std::nullopt;
  return result;
}

std::string no_reply_text(std::string_view received) {
  std::string text =
      fmt::format("is no Valkey or Redis server: it answered \"{}\"", printable(received, 60));
  // A TLS alert or handshake record: 0x15 or 0x16, then the major version 3.
  if (received.size() > 1 && (received[0] == '\x15' || received[0] == '\x16') &&
      received[1] == '\x03') {
    text += " (it seems to speak TLS: set target.tls = true)";
  }
  return text;
}

}  // namespace

Result<Client> Client::connect(const Server& server, Nanos deadline) {
  auto fd = net::connect(server.address, deadline);
  if (!fd) return fail(std::move(fd.error()));
  Client client(std::move(*fd), server.address);
  if (server.tls != nullptr) {
    if (auto secured = client.secure(*server.tls, deadline); !secured) {
      return fail(std::move(secured.error()));
    }
  }
  if (auto greeted = client.greet(server, deadline); !greeted) {
    return fail(std::move(greeted.error()));
  }
  return client;
}

Status Client::secure(const net::TlsContext& tls, Nanos deadline) {
  stream_.begin_tls(tls);
  while (true) {
    const net::TlsProgress progress = stream_.handshake();
    if (progress == net::TlsProgress::kDone) return {};
    if (progress == net::TlsProgress::kFailed) {
      return fail(ErrorKind::kTarget, "{}: {}", address_.text(), stream_.failure_text(0));
    }
    const net::Wait what =
        progress == net::TlsProgress::kWantsRead ? net::Wait::kReadable : net::Wait::kWritable;
    if (!net::wait_for(stream_.fd(), what, deadline)) {
      return fail(ErrorKind::kTarget,
                  "{} did not finish the TLS handshake within the time allowed; does it speak TLS "
                  "on this port?",
                  address_.text());
    }
  }
}

Status Client::greet(const Server& server, Nanos deadline) {
  for (const GreetingCommand& command : greeting_of(server)) {
    const std::vector<std::string_view> words(command.words.begin(), command.words.end());
    const auto reply = call(words, deadline);
    if (!reply) return fail(reply.error());
    const bool aggregate = reply->is(ReplyTree::Kind::kMap) || reply->is(ReplyTree::Kind::kArray);
    const GreetingAnswer answer = reply->is(ReplyTree::Kind::kError)    ? GreetingAnswer::kError
                                  : reply->is(ReplyTree::Kind::kString) ? GreetingAnswer::kStatus
                                  : aggregate                           ? GreetingAnswer::kAggregate
                                                                        : GreetingAnswer::kOther;
    if (const auto fault = greeting_fault(server, command.step, answer, reply->text)) {
      return fail(ErrorKind::kTarget, "{}", *fault);
    }
  }
  return {};
}

Result<ReplyTree> Client::call(std::span<const std::string_view> arguments, Nanos deadline) {
  const std::string_view command = arguments.front();
  if (auto settled = settle(deadline); !settled) return fail(std::move(settled.error()));
  std::string request;
  append_command(request, arguments);
  if (auto sent = send(request, command, deadline); !sent) return fail(std::move(sent.error()));
  ++owed_;
  auto reply = receive(command, deadline);
  if (reply) --owed_;
  return reply;
}

Status Client::settle(Nanos deadline) {
  timed_out_ = false;
  if (broken()) return fail(ErrorKind::kTarget, "{}: the connection is closed", address_.text());
  for (; owed_ > 0; --owed_) {
    const auto stale = receive("an earlier request", deadline);
    if (!stale) return fail(stale.error());
  }
  return {};
}

Status Client::send(std::string_view bytes, std::string_view command, Nanos deadline) {
  while (!bytes.empty() || stream_.has_unsent()) {
    const ssize_t sent = stream_.send(bytes);
    if (sent == -EPIPE || sent == -ECONNRESET) {
      return {};  // the server may have said why before it closed: let receive() look
    }
    if (sent < 0) {
      return break_off(fmt::format("sending {} failed: {}", command, stream_.failure_text(sent)));
    }
    bytes.remove_prefix(static_cast<std::size_t>(sent));
    const bool stuck = sent == 0 || stream_.has_unsent();
    if (stuck && !net::wait_for(stream_.fd(), net::Wait::kWritable, deadline)) {
      timed_out_ = true;
      // Half a request is on its way: what would follow it could not be understood.
      return break_off(fmt::format("did not take {} within the time allowed", command));
    }
  }
  return {};
}

Result<ReplyTree> Client::receive(std::string_view command, Nanos deadline) {
  while (true) {
    auto decoded = decode_reply(received_);
    if (!decoded) {
      if (!answered_) return break_off(no_reply_text(received_));
      return break_off(
          fmt::format("sent what is no reply to {}: {}", command, decoded.error().message));
    }
    if (auto* whole = std::get_if<Decoded>(&*decoded)) {
      received_.erase(0, whole->used);
      answered_ = true;
      if (!whole->reply.is(ReplyTree::Kind::kPush)) return std::move(whole->reply);
      continue;
    }
    if (received_.size() > kReplyBytes) {
      return break_off(fmt::format("answered {} with more than {} bytes", command, kReplyBytes));
    }
    if (auto read = read_more(command, deadline); !read) return fail(std::move(read.error()));
  }
}

Status Client::read_more(std::string_view command, Nanos deadline) {
  std::array<char, kReadBytes> buffer;
  while (true) {
    // The deadline comes first: a server that never stops talking must not keep us.
    const bool ready =
        stream_.has_buffered() || net::wait_for(stream_.fd(), net::Wait::kReadable, deadline);
    if (!ready || real_clock().now() >= deadline) return late(command);
    const ssize_t count = stream_.receive(buffer);
    if (count > 0) {
      received_.append(buffer.data(), static_cast<std::size_t>(count));
      return {};
    }
    // A server that wants TLS makes nothing of plain words, and often says nothing either.
    const bool may_want_tls = !answered_ && stream_.tls_description().empty();
    const std::string_view hint = may_want_tls ? "; if it speaks TLS set target.tls = true" : "";
    if (count == 0) {
      return break_off(
          fmt::format("closed the connection instead of answering {}{}", command, hint));
    }
    if (count != -EAGAIN && count != -EINTR) {
      return break_off(fmt::format("broke the connection instead of answering {}: {}{}", command,
                                   stream_.failure_text(count), hint));
    }
  }
}

tl::unexpected<Error> Client::late(std::string_view command) {
  timed_out_ = true;
  return fail(ErrorKind::kTarget, "{} did not answer {} within the time allowed{}", address_.text(),
              command, answered_ ? "" : "; is it a Valkey or Redis server?");
}

tl::unexpected<Error> Client::break_off(std::string_view reason) {
  stream_.close();
  return fail(ErrorKind::kTarget, "{} {}", address_.text(), reason);
}

tl::unexpected<Error> Client::unexpected(std::string_view command, const ReplyTree& reply) const {
  if (reply.is(ReplyTree::Kind::kError)) {
    return fail(ErrorKind::kTarget, "{} refused {}: {}", address_.text(), command,
                printable(reply.text));
  }
  return fail(ErrorKind::kTarget, "{} answered {} with {}", address_.text(), command,
              reply.describe());
}

Status Client::ping(Nanos deadline) {
  const auto reply = call({"PING"}, deadline);
  if (!reply) return fail(reply.error());
  if (reply->is(ReplyTree::Kind::kString) && reply->text == "PONG") return {};
  if (reply->text.starts_with("NOAUTH")) {
    return fail(ErrorKind::kTarget, "{} {}", address_.text(), kPasswordWanted);
  }
  return unexpected("PING", *reply);
}

Result<Info> Client::info(std::span<const std::string_view> sections, Nanos deadline) {
  std::vector<std::string_view> command{"INFO"};
  command.insert(command.end(), sections.begin(), sections.end());
  const auto reply = call(command, deadline);
  if (!reply) return fail(reply.error());
  if (!reply->is(ReplyTree::Kind::kString)) return unexpected("INFO", *reply);
  return Info::parse(reply->text);
}

Result<std::map<std::string, std::string>> Client::config_get(std::string_view pattern,
                                                              Nanos deadline) {
  auto reply = call({"CONFIG", "GET", pattern}, deadline);
  if (!reply) return fail(std::move(reply.error()));
  const bool pairs = reply->is(ReplyTree::Kind::kMap) || reply->is(ReplyTree::Kind::kArray);
  if (!pairs || reply->items.size() % 2 != 0) return unexpected("CONFIG GET", *reply);
  std::map<std::string, std::string> result;
  for (std::size_t i = 0; i < reply->items.size(); i += 2) {
    result.emplace(std::move(reply->items[i].text), std::move(reply->items[i + 1].text));
  }
  return result;
}

Result<std::uint64_t> Client::dbsize(Nanos deadline) {
  const auto reply = call({"DBSIZE"}, deadline);
  if (!reply) return fail(reply.error());
  if (!reply->is(ReplyTree::Kind::kInteger) || reply->integer < 0)
    return unexpected("DBSIZE", *reply);
  return static_cast<std::uint64_t>(reply->integer);
}

Result<WallTime> Client::time(Nanos deadline) {
  const auto reply = call({"TIME"}, deadline);
  if (!reply) return fail(reply.error());
  if (!reply->is(ReplyTree::Kind::kArray) || reply->items.size() != 2) {
    return unexpected("TIME", *reply);
  }
  const auto seconds = as_integer(reply->items[0]);
  const auto microseconds = as_integer(reply->items[1]);
  constexpr std::int64_t kYear2200 = 7'258'118'400;  // nanoseconds since 1970 end in 2262
  if (!seconds || !microseconds || *seconds < 0 || *seconds > kYear2200 || *microseconds < 0 ||
      *microseconds >= 1'000'000) {
    return unexpected("TIME", *reply);
  }
  return WallTime{std::chrono::seconds{*seconds} + std::chrono::microseconds{*microseconds}};
}

}  // namespace headroom::resp
