// What a scripted server does, request by request: the truth that an instrument is held against.
//
//   Script script;
//   script.always().delay(100us);
//   script.on({"SET"}).every(10).error("OOM command not allowed when used memory > 'maxmemory'.");
//   script.on({"GET"}).delays({0us, 100us, 200us});        // cycled, reply by reply
//   script.on({"GET"}).nth(500).disconnect_within(3);
//   script.stall(10s, 2s);
//
// Without a rule every command is answered at once, truthfully, by EngineModel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "scripted/engine_model.h"

namespace headroom::scripted {

// How the connection goes on after a request.
enum class Ending {
  kStaysOpen,
  kClosedBefore,  // instead of the reply
  kClosedWithin,  // after the first bytes of it
  kClosedAfter,   // after the whole of it
  kSilent,        // open, but this request and all that follow on the connection have no reply
};

// What happens to one request, once the rules have been asked.
struct Treatment {
  Nanos delay{0};                    // from the arrival of this request to its reply
  std::optional<std::string> reply;  // raw bytes instead of the model's answer
  std::vector<std::size_t> cuts;     // where the reply is split, ascending byte offsets
  Nanos pause{0};                    // between the pieces
  Ending ending = Ending::kStaysOpen;
  std::size_t bytes_before_close = 0;  // of kClosedWithin
};

// One line of a script: which requests, and what happens to them. A rule counts, from 0, the
// requests that match its commands and its connection; nth(), first(), from(), until() and every()
// narrow it by that count. Not thread-safe.
class Rule {
 public:
  explicit Rule(std::vector<std::string> commands);  // upper case; empty: every command

  Rule& on_connection(std::uint64_t index);  // in the order of acceptance, from 0
  Rule& nth(std::uint64_t index) { return from(index).until(index + 1); }
  Rule& first(std::uint64_t count) { return until(count); }
  Rule& from(std::uint64_t index);
  Rule& until(std::uint64_t end);     // exclusive
  Rule& every(std::uint64_t period);  // period > 0: those at 0, period, 2 * period...

  Rule& delay(Nanos fixed);
  Rule& delays(std::vector<Nanos> cycle);                     // by the rule's count, cycled
  Rule& delay_by(std::function<Nanos(std::uint64_t)> delay);  // of the rule's count
  Rule& error(std::string_view text);                         // "-text\r\n"
  Rule& nil();                                                // "$-1\r\n"
  Rule& raw(std::string bytes);                               // anything, well formed or not
  Rule& fragments(std::vector<std::size_t> cuts, Nanos pause);
  Rule& disconnect_before();
  Rule& disconnect_within(std::size_t bytes);  // bytes of the reply that still go out
  Rule& disconnect_after();
  Rule& never_answer();

  // Counts the request if it matches and adds what the rule says to `treatment`.
  void apply(std::string_view command, std::uint64_t connection, Treatment& treatment);

 private:
  std::vector<std::string> commands_;
  std::optional<std::uint64_t> connection_;
  std::uint64_t from_ = 0;
  std::optional<std::uint64_t> until_;
  std::uint64_t every_ = 1;
  std::uint64_t seen_ = 0;

  std::function<Nanos(std::uint64_t)> delay_;
  std::optional<std::string> reply_;
  std::optional<std::vector<std::size_t>> cuts_;
  Nanos pause_{0};
  std::optional<Ending> ending_;
  std::size_t bytes_before_close_ = 0;
};

// The whole script. Rules are asked in the order in which they were made; where two speak of the
// same thing (delay, reply, fragments, ending), the later one wins. References to rules stay valid.
class Script {
 public:
  Rule& always() { return on({}); }
  Rule& on(std::vector<std::string> commands) { return rules_.emplace_back(std::move(commands)); }

  // From the server's start, whenever `period` has passed, it neither reads nor writes for
  // `length`.
  Script& stall(Nanos period, Nanos length);
  // Sent to every connection when it is accepted, as a server of another protocol would.
  Script& banner(std::string bytes);
  // Connections are closed as soon as they are accepted, from this one on, counted from 0.
  Script& close_connections_from(std::uint64_t index);
  // The server watches its sockets without ever sleeping: a request's arrival is noticed within a
  // microsecond, for a CPU of its own.
  Script& spin();
  // Has the kernel stamp what arrives over TCP: Served::sent.
  Script& stamp_requests();
  Script& engine(EngineSettings settings);

  [[nodiscard]] Treatment treat(std::string_view command, std::uint64_t connection);

  struct Stall {
    Nanos period{0};
    Nanos length{0};
  };
  [[nodiscard]] const std::optional<Stall>& stalls() const { return stall_; }
  [[nodiscard]] const std::string& banner() const { return banner_; }
  [[nodiscard]] bool accepts(std::uint64_t connection) const { return connection < close_from_; }
  [[nodiscard]] bool spins() const { return spin_; }
  [[nodiscard]] bool stamps() const { return stamp_; }
  [[nodiscard]] const EngineSettings& engine() const { return engine_; }

 private:
  std::deque<Rule> rules_;  // a deque: references survive growth
  std::optional<Stall> stall_;
  std::string banner_;
  std::uint64_t close_from_ = ~std::uint64_t{0};
  bool spin_ = false;
  bool stamp_ = false;
  EngineSettings engine_;
};

// The same from text, one rule a line, '#' begins a comment:
//
//   [on COMMAND[,COMMAND...]] [connection N] [nth N | first N | from N | every N] ACTION
//
// where ACTION is one of: delay D[,D...], error TEXT, nil, raw TEXT (with \r \n \xNN), cut N[,N...]
// pause D, close before, close within N, close after, silent. Lines of their own: stall D every D,
// banner TEXT, spin, stamp. Errors name the line.
[[nodiscard]] Result<Script> parse_script(std::string_view text);

}  // namespace headroom::scripted
