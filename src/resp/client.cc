#include "resp/client.h"

#include <fmt/format.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.h"
#include "net/socket.h"
#include "resp/encode.h"

namespace headroom::resp {
namespace {

constexpr std::size_t kReadBytes = 64U << 10U;
// Of one whole reply. The longest that control traffic knows, INFO of every section and the slots
// of a large cluster, stay far below.
constexpr std::size_t kReplyBytes = 32U << 20U;

// The engine's words for "you did not say who you are" and "I do not believe you".
bool wants_password(const Reply& reply) { return reply.text.starts_with("NOAUTH"); }

std::optional<std::int64_t> as_integer(const Reply& reply) {
  if (reply.is(Reply::Kind::kInteger)) return reply.integer;
  if (!reply.is(Reply::Kind::kString)) return std::nullopt;
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
    text += " (it seems to speak TLS)";
  }
  return text;
}

}  // namespace

Result<Client> Client::connect(const ClientOptions& options, Nanos deadline) {
  auto fd = net::connect(options.address, deadline);
  if (!fd) return fail(std::move(fd.error()));
  Client client(std::move(*fd), options.address);
  if (!options.password.empty()) {
    auto authenticated = client.authenticate(options, deadline);
    if (!authenticated) return fail(std::move(authenticated.error()));
  }
  return client;
}

Status Client::authenticate(const ClientOptions& options, Nanos deadline) {
  std::vector<std::string_view> command{"AUTH"};
  if (!options.username.empty()) command.emplace_back(options.username);
  command.emplace_back(options.password);
  const auto reply = call(command, deadline);
  if (!reply) return fail(reply.error());
  if (reply->is(Reply::Kind::kString) && reply->text == "OK") return {};
  if (!reply->is(Reply::Kind::kError)) return unexpected("AUTH", *reply);
  return fail(
      ErrorKind::kTarget, "{} refused the password of {}: {}", address_.text(),
      options.username.empty() ? "the default user" : fmt::format("user \"{}\"", options.username),
      printable(reply->text));
}

Result<Reply> Client::call(std::span<const std::string_view> arguments, Nanos deadline) {
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
  while (!bytes.empty()) {
    const ssize_t sent = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN) {
      if (!net::wait_for(fd_.get(), net::Wait::kWritable, deadline)) {
        timed_out_ = true;
        // Half a request is on its way: what would follow it could not be understood.
        return break_off(fmt::format("did not take {} within the time allowed", command));
      }
    } else if (errno == EPIPE || errno == ECONNRESET) {
      return {};  // the server may have said why before it closed: let receive() look
    } else if (errno != EINTR) {
      return break_off(fmt::format("sending {} failed: {}", command, errno_text(errno)));
    }
  }
  return {};
}

Result<Reply> Client::receive(std::string_view command, Nanos deadline) {
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
      if (!whole->reply.is(Reply::Kind::kPush)) return std::move(whole->reply);
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
    if (!net::wait_for(fd_.get(), net::Wait::kReadable, deadline) ||
        real_clock().now() >= deadline) {
      return late(command);
    }
    const ssize_t count = ::recv(fd_.get(), buffer.data(), buffer.size(), 0);
    if (count > 0) {
      received_.append(buffer.data(), static_cast<std::size_t>(count));
      return {};
    }
    if (count == 0)
      return break_off(fmt::format("closed the connection instead of answering {}", command));
    if (errno != EAGAIN && errno != EINTR) {
      return break_off(fmt::format("broke the connection instead of answering {}: {}", command,
                                   errno_text(errno)));
    }
  }
}

tl::unexpected<Error> Client::late(std::string_view command) {
  timed_out_ = true;
  return fail(ErrorKind::kTarget, "{} did not answer {} within the time allowed{}", address_.text(),
              command, answered_ ? "" : "; is it a Valkey or Redis server?");
}

tl::unexpected<Error> Client::break_off(std::string_view reason) {
  fd_.reset();
  return fail(ErrorKind::kTarget, "{} {}", address_.text(), reason);
}

tl::unexpected<Error> Client::unexpected(std::string_view command, const Reply& reply) const {
  if (reply.is(Reply::Kind::kError)) {
    return fail(ErrorKind::kTarget, "{} refused {}: {}", address_.text(), command,
                printable(reply.text));
  }
  return fail(ErrorKind::kTarget, "{} answered {} with {}", address_.text(), command,
              reply.describe());
}

Status Client::ping(Nanos deadline) {
  const auto reply = call({"PING"}, deadline);
  if (!reply) return fail(reply.error());
  if (reply->is(Reply::Kind::kString) && reply->text == "PONG") return {};
  if (wants_password(*reply)) {
    return fail(ErrorKind::kTarget,
                "{} asks for a password: set target.password_file or target.password_env",
                address_.text());
  }
  return unexpected("PING", *reply);
}

Result<Info> Client::info(std::span<const std::string_view> sections, Nanos deadline) {
  std::vector<std::string_view> command{"INFO"};
  command.insert(command.end(), sections.begin(), sections.end());
  const auto reply = call(command, deadline);
  if (!reply) return fail(reply.error());
  if (!reply->is(Reply::Kind::kString)) return unexpected("INFO", *reply);
  return Info::parse(reply->text);
}

Result<std::map<std::string, std::string>> Client::config_get(std::string_view pattern,
                                                              Nanos deadline) {
  auto reply = call({"CONFIG", "GET", pattern}, deadline);
  if (!reply) return fail(std::move(reply.error()));
  const bool pairs = reply->is(Reply::Kind::kMap) || reply->is(Reply::Kind::kArray);
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
  if (!reply->is(Reply::Kind::kInteger) || reply->integer < 0) return unexpected("DBSIZE", *reply);
  return static_cast<std::uint64_t>(reply->integer);
}

Result<WallTime> Client::time(Nanos deadline) {
  const auto reply = call({"TIME"}, deadline);
  if (!reply) return fail(reply.error());
  if (!reply->is(Reply::Kind::kArray) || reply->items.size() != 2) {
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
