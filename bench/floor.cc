// The floor: what any client of this shape must pay. The same epoll loop as Headroom's worker (one
// receive and one send per ready connection, one shared 64 KiB buffer), but the commands are made
// beforehand, replies are only counted, and no clock is read and nothing is recorded. It assumes a
// good server: GETs hit, values are of the stated length, and nothing ever breaks.
//
// Prints: operations, seconds, CPU seconds (user + system of this process), CPU ns per operation.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr std::size_t kBufferBytes = std::size_t{64} << 10U;
// Enough that the server finds its keys no nearer than it finds those of a client that draws them.
constexpr std::size_t kCommands = std::size_t{1} << 18U;

struct Options {
  const char* host;
  std::uint16_t port;
  std::uint32_t connections;
  std::uint32_t pipeline;
  std::size_t value_bytes;
  std::uint64_t keys;
  int seconds;
};

struct Connection {
  int fd = -1;
  std::size_t next = 0;     // command
  std::size_t skip = 0;     // bytes of a body, and its line end, still to come
  std::size_t waiting = 0;  // replies
  std::string line;         // the part of a header line that came in an earlier read
};

[[noreturn]] void die(const char* what) {
  std::perror(what);
  std::exit(1);
}

double seconds_now() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

std::string bulk(const std::string& text) {
  return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
}

std::string key(std::uint64_t index) {
  return "00000000-0000-4000-8000-000000000000-" + std::to_string(index);
}

std::string set_command(std::uint64_t index, const std::string& value) {
  return "*3\r\n$3\r\nSET\r\n" + bulk(key(index)) + bulk(value);
}

// Commands back to back: command i is bytes[begins[i], begins[i + 1]).
struct Commands {
  std::string bytes;
  std::vector<std::size_t> begins{0};
};

// 1:10 SET:GET of random keys.
Commands make_commands(const Options& options) {
  std::mt19937_64 random(1);
  const std::string value(options.value_bytes, 'x');
  Commands commands;
  for (std::size_t i = 0; i < kCommands; ++i) {
    const std::uint64_t index = random() % options.keys;
    commands.bytes +=
        random() % 11 == 0 ? set_command(index, value) : "*2\r\n$3\r\nGET\r\n" + bulk(key(index));
    commands.begins.push_back(commands.bytes.size());
  }
  return commands;
}

int connect_to(const Options& options) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(options.port);
  if (::inet_pton(AF_INET, options.host, &address.sin_addr) != 1) die("host (IPv4 literal)");
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    die("connect");
  }
  return fd;
}

void send_all(int fd, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t taken = ::send(fd, bytes, size, MSG_NOSIGNAL);
    if (taken <= 0) die("send");
    bytes += taken;
    size -= static_cast<std::size_t>(taken);
  }
}

void preload(const Options& options) {
  const int fd = connect_to(options);
  const std::string value(options.value_bytes, 'x');
  std::array<char, kBufferBytes> buffer{};
  constexpr std::uint64_t kAtOnce = 256;
  for (std::uint64_t index = 0; index < options.keys;) {
    std::string batch;
    std::size_t replies = 0;
    for (std::uint64_t i = 0; i < kAtOnce && index < options.keys; ++i, ++replies) {
      batch += set_command(index++, value);
    }
    send_all(fd, batch.data(), batch.size());
    for (std::size_t left = replies * 5; left > 0;) {  // "+OK" CR LF
      const ssize_t bytes = ::recv(fd, buffer.data(), std::min(left, buffer.size()), 0);
      if (bytes <= 0) die("recv");
      left -= static_cast<std::size_t>(bytes);
    }
  }
  ::close(fd);
}

// Counts the replies in [at, end).
std::size_t count_replies(Connection& connection, const char* at, const char* end) {
  std::size_t replies = 0;
  while (at != end) {
    if (connection.skip > 0) {
      const std::size_t bytes = std::min(connection.skip, static_cast<std::size_t>(end - at));
      at += bytes;
      connection.skip -= bytes;
      if (connection.skip == 0) ++replies;
      continue;
    }
    const auto* feed =
        static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    if (feed == nullptr) {
      connection.line.append(at, end);
      break;
    }
    const char* line = at;
    if (!connection.line.empty()) [[unlikely]] {
      connection.line.append(at, feed + 1);
      line = connection.line.c_str();
    }
    at = feed + 1;
    if (line[0] == '$' && line[1] != '-') {
      std::size_t length = 0;
      for (const char* digit = line + 1; *digit != '\r'; ++digit) {
        length = length * 10 + static_cast<std::size_t>(*digit - '0');
      }
      connection.skip = length + 2;
    } else {
      ++replies;
    }
    connection.line.clear();
  }
  return replies;
}

std::uint64_t run(const Options& options, const Commands& commands) {
  const int epoll = ::epoll_create1(EPOLL_CLOEXEC);
  std::vector<Connection> connections(options.connections);
  for (std::size_t i = 0; i < connections.size(); ++i) {
    connections[i].fd = connect_to(options);
    connections[i].next = i * (kCommands / connections.size());
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = i;
    if (::epoll_ctl(epoll, EPOLL_CTL_ADD, connections[i].fd, &event) != 0) die("epoll_ctl");
  }
  const auto ask = [&](Connection& connection, std::size_t count) {
    if (connection.next + count > kCommands) connection.next = 0;
    const std::size_t begin = commands.begins[connection.next];
    connection.next += count;
    send_all(connection.fd, &commands.bytes[begin], commands.begins[connection.next] - begin);
    connection.waiting += count;
  };
  for (Connection& connection : connections) ask(connection, options.pipeline);

  std::vector<char> buffer(kBufferBytes);
  std::array<epoll_event, 128> events{};
  std::uint64_t operations = 0;
  const double end = seconds_now() + options.seconds;
  while (seconds_now() < end) {
    const int ready = ::epoll_wait(epoll, events.data(), events.size(), 1000);
    for (int i = 0; i < ready; ++i) {
      Connection& connection = connections[events[static_cast<std::size_t>(i)].data.u64];
      const ssize_t bytes = ::recv(connection.fd, buffer.data(), buffer.size(), 0);
      if (bytes <= 0) die("recv");
      const std::size_t replies = count_replies(connection, buffer.data(), buffer.data() + bytes);
      operations += replies;
      connection.waiting -= replies;
      if (replies > 0) ask(connection, replies);
    }
  }
  return operations;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 8) {
    std::fprintf(stderr,
                 "usage: floor HOST PORT CONNECTIONS PIPELINE VALUE_BYTES KEYS SECONDS\n"
                 "  KEYS with a leading + are written first\n");
    return 2;
  }
  Options options{argv[1],
                  static_cast<std::uint16_t>(std::strtoul(argv[2], nullptr, 10)),
                  static_cast<std::uint32_t>(std::strtoul(argv[3], nullptr, 10)),
                  static_cast<std::uint32_t>(std::strtoul(argv[4], nullptr, 10)),
                  std::strtoul(argv[5], nullptr, 10),
                  std::strtoull(argv[6] + (argv[6][0] == '+' ? 1 : 0), nullptr, 10),
                  static_cast<int>(std::strtol(argv[7], nullptr, 10))};
  if (argv[6][0] == '+') preload(options);
  const Commands commands = make_commands(options);
  const double before = cpu_seconds();
  const std::uint64_t operations = run(options, commands);
  const double cpu = cpu_seconds() - before;
  std::printf("%llu ops  %d s  %.3f cpu-s  %.1f ns/op\n",
              static_cast<unsigned long long>(operations), options.seconds, cpu,
              cpu * 1e9 / static_cast<double>(operations));
  return 0;
}
