#include "scripted/scripted_server.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <queue>
#include <thread>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "base/file.h"
#include "base/text.h"
#include "net/epoll.h"
#include "scripted/event_tokens.h"
#include "scripted/listener.h"
#include "scripted/request_reader.h"

namespace headroom::scripted {
namespace {

// The kernel wakes a sleeper late; from this long before a reply is due the clock is watched
// instead.
constexpr Nanos kWatchClock = std::chrono::microseconds{100};

// Bytes to be written to a connection at their time.
struct Piece {
  std::string bytes;
  Nanos due{0};
  std::optional<std::size_t> served = {};  // the request whose reply ends here, in the log
  bool closes = false;                     // the connection, once the bytes are out
};

struct Connection {
  UniqueFd fd;
  std::uint64_t index = 0;
  RequestReader reader;
  Nanos arrived{0};                // of the last read
  std::optional<Nanos> sent = {};  // the kernel's stamp of it
  Session session;
  bool silent = false;           // nothing more is answered
  Nanos last_due{0};             // replies keep the order of their requests
  bool scheduled = false;        // has its entry in the queue of what is due
  std::deque<Piece> outbox;      // not due, or not reached yet
  std::size_t outbox_bytes = 0;  // that it takes
  std::string unsent;            // due, and not taken by the kernel yet
  std::size_t unsent_from = 0;   // what of `unsent` the kernel took
  bool closes_when_sent = false;
  bool refused = false;  // sent what is no request: nothing more is read
  std::uint32_t watched = EPOLLIN;

  [[nodiscard]] bool may_take_more() const {
    return !refused && outbox_bytes + unsent.size() - unsent_from < ScriptedServer::kMostUnsent;
  }
  void push(Piece piece) {
    outbox_bytes += piece.bytes.size() + sizeof(Piece);
    outbox.push_back(std::move(piece));
  }
  [[nodiscard]] Piece pop() {
    Piece piece = std::move(outbox.front());
    outbox.pop_front();
    outbox_bytes -= piece.bytes.size() + sizeof(Piece);
    return piece;
  }
  struct Mark {
    std::size_t end = 0;  // offset in `unsent` behind a reply's last byte
    std::size_t served = 0;
  };
  std::deque<Mark> marks;
};

}  // namespace

std::uint64_t Observed::count(const std::string& command) const {
  const auto found = commands.find(command);
  return found == commands.end() ? 0 : found->second;
}

class ScriptedServer::Impl {
 public:
  Impl(Script script, net::Address address, UniqueFd listener, UniqueFd wake_up, net::Epoll epoll)
      : address_(std::move(address)),
        script_(std::move(script)),
        model_(script_.engine()),
        listener_(std::move(listener)),
        wake_up_(std::move(wake_up)),
        epoll_(std::move(epoll)) {
    if (script_.stamps()) {
      // Connections inherit it. The kernel begins to stamp a moment after the first socket asks.
      const int on = 1;
      setsockopt(listener_.get(), SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
    }
    thread_ = std::thread([this] { serve(); });
  }

  ~Impl() {
    stop();
    if (!address_.socket.empty()) unlink(address_.socket.c_str());
  }

  const net::Address& address() const { return address_; }

  Observed observed() const {
    const std::lock_guard lock(mutex_);
    return observed_;
  }

  bool wait_until(const std::function<bool(const Observed&)>& condition, Nanos timeout) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, timeout, [&] { return condition(observed_); });
  }

  void stop() {
    if (!thread_.joinable()) return;
    stopping_ = true;
    const std::uint64_t one = 1;
    check(write(wake_up_.get(), &one, sizeof one) == sizeof one, "an eventfd takes a wake-up");
    thread_.join();
  }

 private:
  void serve();
  void stall(Nanos end);
  [[nodiscard]] Nanos sleep_for(Nanos now, std::optional<Nanos> next_stall) const;
  void handle(const epoll_event& event);
  void accept_all();
  void read_from(Connection& connection);
  void take_all(Connection& connection);
  void take(Connection& connection, const RequestReader::Arguments& arguments);
  void plan_reply(Connection& connection, std::string reply, const Treatment& treatment,
                  std::size_t served);
  void write_due(Nanos now);
  void move_due(Connection& connection, Nanos now);
  void write_to(Connection& connection);
  void watch(Connection& connection);
  void schedule(Connection& connection);
  void close(std::uint64_t index);

  // Constant after construction.
  net::Address address_;

  // Owned by the server's thread.
  Script script_;
  EngineModel model_;
  UniqueFd listener_;
  UniqueFd wake_up_;
  net::Epoll epoll_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Connection>> connections_;
  struct Due {
    Nanos time;
    std::uint64_t connection;
    friend auto operator<=>(const Due&, const Due&) = default;
  };
  // The first piece of every outbox; entries of connections that have gone are passed over.
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due_;
  std::array<char, 64 * 1024> buffer_;

  std::atomic<bool> stopping_ = false;
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  Observed observed_;  // guarded by mutex_

  std::thread thread_;  // last: it uses all of the above
};

void ScriptedServer::Impl::serve() {
  prctl(PR_SET_NAME, "scripted-server");
  prctl(PR_SET_TIMERSLACK, 1);
  std::array<epoll_event, 256> events;
  std::optional<Nanos> next_stall;
  if (script_.stalls()) next_stall = real_clock().now() + script_.stalls()->period;

  while (!stopping_) {
    if (next_stall && real_clock().now() >= *next_stall) {
      stall(*next_stall + script_.stalls()->length);
      *next_stall += script_.stalls()->period;
      continue;
    }
    const Nanos timeout = sleep_for(real_clock().now(), next_stall);
    const auto ready = epoll_.wait(events, timeout);
    const Nanos now = real_clock().now();
    if (ready.empty() && (due_.empty() || due_.top().time > now)) continue;
    {
      const std::lock_guard lock(mutex_);
      for (const epoll_event& event : ready) handle(event);
      write_due(real_clock().now());
      observed_.keys = model_.keys();
      observed_.connections_open = connections_.size();
    }
    changed_.notify_all();
  }
  const std::lock_guard lock(mutex_);
  connections_.clear();
  listener_.reset();
  observed_.connections_open = 0;
}

void ScriptedServer::Impl::stall(Nanos end) {
  const Nanos begin = real_clock().now();
  const timespec length{.tv_sec = (end - begin) / std::chrono::seconds{1},
                        .tv_nsec = (end - begin) % std::chrono::seconds{1} / Nanos{1}};
  pollfd wake_up{.fd = wake_up_.get(), .events = POLLIN, .revents = 0};
  if (end > begin) ppoll(&wake_up, 1, &length, nullptr);  // nothing but stop() ends it early
  {
    const std::lock_guard lock(mutex_);
    observed_.stalls.push_back({begin, real_clock().now()});
  }
  changed_.notify_all();
}

Nanos ScriptedServer::Impl::sleep_for(Nanos now, std::optional<Nanos> next_stall) const {
  if (script_.spins()) return Nanos{0};
  std::optional<Nanos> until;
  if (!due_.empty()) until = due_.top().time - kWatchClock;
  if (next_stall) until = std::min(until.value_or(*next_stall), *next_stall);
  if (!until) return net::kForEver;
  return std::max(*until - now, Nanos{0});
}

void ScriptedServer::Impl::handle(const epoll_event& event) {
  if (event.data.u64 == kWakeUp) return;  // serve() looks at stopping_
  if (event.data.u64 == kListener) {
    accept_all();
    return;
  }
  const auto found = connections_.find(event.data.u64);
  if (found == connections_.end()) return;  // closed earlier in this turn
  Connection& connection = *found->second;
  if ((event.events & EPOLLOUT) != 0) write_to(connection);
  // write_to() may have closed it.
  if (!connections_.contains(event.data.u64)) return;
  if ((event.events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) read_from(connection);
}

void ScriptedServer::Impl::accept_all() {
  while (true) {
    UniqueFd fd(accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!fd.valid()) return;
    const std::uint64_t index = observed_.connections++;
    if (!script_.accepts(index)) continue;
    if (address_.socket.empty()) {
      const int on = 1;
      setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    auto connection = std::make_unique<Connection>();
    connection->index = index;
    check(epoll_.add(fd.get(), EPOLLIN, index).has_value(), "a connection can be watched");
    connection->fd = std::move(fd);
    model_.connection_opened();
    Connection& added = *connections_.emplace(index, std::move(connection)).first->second;
    if (!script_.banner().empty()) {
      added.unsent = script_.banner();
      write_to(added);
    }
  }
}

void ScriptedServer::Impl::read_from(Connection& connection) {
  std::optional<Nanos> sent;
  const ssize_t size = receive(connection.fd.get(), buffer_, sent);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (size <= 0) {
    close(connection.index);
    return;
  }
  connection.arrived = real_clock().now();
  connection.sent = sent;
  connection.reader.feed({buffer_.data(), static_cast<std::size_t>(size)});
  take_all(connection);
}

// What was read, as far as its replies have room. Requests that had to wait for that keep the time
// at which they came.
void ScriptedServer::Impl::take_all(Connection& connection) {
  while (connection.may_take_more()) {
    const auto request = connection.reader.next();
    if (!request) {
      Piece piece{.bytes = "-ERR " + request.error().message + "\r\n", .due = connection.arrived};
      piece.closes = true;
      connection.push(std::move(piece));
      connection.refused = true;
      break;
    }
    if (!*request) break;
    take(connection, **request);
  }
  schedule(connection);
  watch(connection);
}

void ScriptedServer::Impl::take(Connection& connection, const RequestReader::Arguments& arguments) {
  const std::string command = upper(arguments.front());
  ++observed_.requests;
  count_name(observed_.commands, command);
  std::size_t served = kLogLimit;
  if (observed_.log.size() < kLogLimit) {
    served = observed_.log.size();
    observed_.log.push_back({command, connection.index, connection.arrived, connection.sent});
  }
  Treatment treatment = script_.treat(command, connection.index);
  std::string reply;
  if (treatment.reply) {
    model_.count(command);
    reply = *std::move(treatment.reply);
  } else {
    reply = model_.answer(arguments, connection.session);
  }
  if (treatment.ending == Ending::kSilent) connection.silent = true;
  if (!connection.silent) plan_reply(connection, std::move(reply), treatment, served);
}

void ScriptedServer::Impl::plan_reply(Connection& connection, std::string reply,
                                      const Treatment& treatment, std::size_t served) {
  const bool whole =
      treatment.ending != Ending::kClosedBefore && treatment.ending != Ending::kClosedWithin;
  if (treatment.ending == Ending::kClosedBefore) reply.clear();
  if (treatment.ending == Ending::kClosedWithin) {
    reply.resize(std::min(reply.size(), treatment.bytes_before_close));
  }
  Nanos due = std::max(connection.arrived + treatment.delay, connection.last_due);
  std::size_t begin = 0;
  for (const std::size_t cut : treatment.cuts) {
    if (cut <= begin || cut >= reply.size()) continue;
    connection.push({.bytes = reply.substr(begin, cut - begin), .due = due});
    begin = cut;
    due += treatment.pause;
  }
  Piece last{.bytes = reply.substr(begin), .due = due};
  if (whole && served < kLogLimit) last.served = served;
  last.closes = treatment.ending != Ending::kStaysOpen;
  connection.push(std::move(last));
  connection.last_due = due;
}

void ScriptedServer::Impl::schedule(Connection& connection) {
  if (connection.scheduled || connection.outbox.empty()) return;
  connection.scheduled = true;
  due_.push({connection.outbox.front().due, connection.index});
}

void ScriptedServer::Impl::write_due(Nanos now) {
  while (!due_.empty() && due_.top().time <= now) {
    const std::uint64_t index = due_.top().connection;
    due_.pop();
    const auto found = connections_.find(index);
    if (found == connections_.end()) continue;
    Connection& connection = *found->second;
    connection.scheduled = false;
    move_due(connection, now);
    schedule(connection);
    write_to(connection);
    now = real_clock().now();
  }
}

void ScriptedServer::Impl::move_due(Connection& connection, Nanos now) {
  while (!connection.outbox.empty() && connection.outbox.front().due <= now) {
    const Piece piece = connection.pop();
    connection.unsent += piece.bytes;
    if (piece.served) connection.marks.push_back({connection.unsent.size(), *piece.served});
    if (piece.closes) {
      connection.closes_when_sent = true;
      connection.silent = true;
      connection.outbox.clear();
      connection.outbox_bytes = 0;
    }
  }
}

void ScriptedServer::Impl::write_to(Connection& connection) {
  while (connection.unsent_from < connection.unsent.size()) {
    const Nanos written = real_clock().now();
    const ssize_t size =
        send(connection.fd.get(), connection.unsent.data() + connection.unsent_from,
             connection.unsent.size() - connection.unsent_from, MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return watch(connection);
    if (size < 0) {
      close(connection.index);
      return;
    }
    connection.unsent_from += static_cast<std::size_t>(size);
    while (!connection.marks.empty() && connection.marks.front().end <= connection.unsent_from) {
      observed_.log[connection.marks.front().served].replied = written;
      connection.marks.pop_front();
    }
  }
  connection.unsent.clear();
  connection.unsent_from = 0;
  if (connection.closes_when_sent) return close(connection.index);
  // Requests may have waited for room; otherwise there are none.
  take_all(connection);
}

void ScriptedServer::Impl::watch(Connection& connection) {
  std::uint32_t wanted = connection.may_take_more() ? EPOLLIN : 0U;
  if (!connection.unsent.empty()) wanted |= EPOLLOUT;
  if (wanted == connection.watched) return;
  epoll_.modify(connection.fd.get(), wanted, connection.index);
  connection.watched = wanted;
}

void ScriptedServer::Impl::close(std::uint64_t index) {
  const auto found = connections_.find(index);
  epoll_.remove(found->second->fd.get());
  connections_.erase(found);
  model_.connection_closed();
}

Result<std::unique_ptr<ScriptedServer>> ScriptedServer::start(Script script,
                                                              const std::string& socket) {
  net::Address address;
  address.socket = socket;
  Result<UniqueFd> listener = socket.empty() ? listen_on_loopback(address) : listen_on_path(socket);
  if (!listener) return fail(std::move(listener.error()));
  UniqueFd wake_up(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC));
  Result<net::Epoll> epoll = net::Epoll::create();
  if (!epoll) return fail(std::move(epoll.error()));
  for (const auto& [fd, token] :
       {std::pair{listener->get(), kListener}, std::pair{wake_up.get(), kWakeUp}}) {
    if (Status added = epoll->add(fd, EPOLLIN, token); !added) return fail(added.error());
  }
  return std::unique_ptr<ScriptedServer>(new ScriptedServer(
      std::make_unique<Impl>(std::move(script), std::move(address), *std::move(listener),
                             std::move(wake_up), *std::move(epoll))));
}

ScriptedServer::ScriptedServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ScriptedServer::~ScriptedServer() = default;

const net::Address& ScriptedServer::address() const { return impl_->address(); }
Observed ScriptedServer::observed() const { return impl_->observed(); }
bool ScriptedServer::wait_until(const std::function<bool(const Observed&)>& condition,
                                Nanos timeout) const {
  return impl_->wait_until(condition, timeout);
}
void ScriptedServer::stop() { impl_->stop(); }

}  // namespace headroom::scripted
