// One load worker: an epoll loop over its connections, driven through the load phases.
//
// Timing. A request's send time is the clock's reading just before the write call that carried its
// first byte; its reply's time is one reading just after the read call that completed it. Bytes
// that travel in one call share its time, exactly, and replies in different reads do not.
//
// In open loop each turn of the loop sends what is due, shared among the connections that have room
// in the order in which they got it; what finds no room waits, as nothing but a position in the
// schedule (schedule.h). A wait for the next due time is asked to end as much earlier as waits are
// usually late here.
//
// The hot path is one recv, one send and two clock readings per ready connection: as many requests
// go out as replies came in, in one write. The loop never polls, never reads until EAGAIN, and
// calls epoll_ctl only when a connection opens or a write was cut short.
//
// Loop lag tells how long a worker did not look at its sockets (Turn::lag): within its turns, and
// when its wait ended later than it had asked. A wait is never longer than the sweep's period, so
// every pause of the process that is longer is seen, whatever it fell into, less at most that
// period; a shorter one that falls entirely into a wait is not.
//
// Cache-aside: a read that missed keeps its slot while its backend is asked, as a timer and nothing
// else; then the SET goes out on the same connection. A fill whose connection is gone by then, or
// that is asked for when the load ends, is abandoned.
//
// Time limits are looked after by a sweep over all connections, 32 times in the shorter limit but
// not more often than every millisecond nor more rarely than every 100: a timeout strikes that much
// late, and costs the hot path nothing.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <queue>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/file.h"
#include "base/random.h"
#include "base/result.h"
#include "load/cluster_traffic.h"
#include "load/connection.h"
#include "load/event_limit.h"
#include "load/fleet.h"
#include "load/load_states.h"
#include "load/pacing.h"
#include "load/recorder.h"
#include "load/workload.h"
#include "net/address.h"
#include "net/epoll.h"
#include "resp/greeting.h"

namespace headroom::load {

// What was unanswered when the measure window closed.
//
// It is worth a warning when the oldest request had waited for kOldEnough and for kOldAgainstP99
// times the p99 of those that were answered: what is younger is the normal tail of a closed loop,
// what is older is missing from the window's latencies.
struct InFlightAtEnd {
  static constexpr std::int64_t kOldAgainstP99 = 10;
  static constexpr Nanos kOldEnough = std::chrono::milliseconds{100};

  std::uint64_t requests = 0;
  Nanos oldest_age{0};
  std::optional<Nanos> completed_p99;  // of the window's last interval of this worker

  [[nodiscard]] bool overdue() const {
    const Nanos usual = completed_p99.value_or(Nanos{0}) * kOldAgainstP99;
    return requests > 0 && oldest_age >= std::max(usual, kOldEnough);
  }
};

// Threads: phase functions (connect, prefill, run, drain) are called by the worker's own thread,
// one at a time; members so marked may be called by any thread at any time; the rest by the fleet's
// thread while no phase function runs.
class Worker {
 public:
  static constexpr Nanos kPrefillPatience = std::chrono::seconds{2};

  // `config` and `plan` outlive the worker.
  Worker(const FleetConfig& config, const WorkloadPlan& plan, std::uint32_t index);
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Makes what the system must give (epoll, eventfd). First of all calls.
  [[nodiscard]] Status prepare();
  // Before connect(): the target is a cluster. The map outlives the worker.
  void join_cluster(ClusterMap& map);

  // A phase function returns when release() was called; it calls `done` once, when it has nothing
  // left to do but cut intervals until then. Times are run time.
  using Done = std::function<void()>;
  void connect(const net::Address& address, Nanos begin, const Done& done);
  // After stop() or a failure, what was sent is waited for as long as a request may take, but for
  // kPrefillPatience at most.
  void prefill(Nanos begin, const Done& done);
  // Warm-up, measure and drain; in open loop by `schedule`, which outlives the worker and begins
  // with the warm-up, else null. After stop() before the end of measure, returns at once without
  // `done`, nothing drained: drain() follows. It follows as well when the worker's share of
  // load.requests was sent and answered, which is when it has nothing left to do.
  void run(const LoadWindows& windows, const Schedule* schedule, const Done& done);
  void drain(Nanos begin, Nanos deadline, const Done& done);

  // Any thread. Ends the sending of requests, now and in all phases to come.
  void stop();
  // Any thread. Lets the present phase function return.
  void release();
  // Any thread. There is something new to look at: the cluster's map.
  void wake() { release_wait(); }
  // Any thread. Keys written by prefill.
  [[nodiscard]] std::uint64_t prefilled() const {
    return prefilled_.load(std::memory_order_relaxed);
  }

  // Ends the phase at `end` (run time): hands over the last interval.
  void finish_phase(Nanos end);
  // Is its measure window (or warm-up) still open, because stop() or load.requests ended the load
  // before its time? Then note_measure_end(), finish_phase() and drain() follow.
  [[nodiscard]] bool window_open() const { return activity_ == Activity::kLoad; }
  // Its share of load.requests was sent and answered: when the last reply came (run time).
  [[nodiscard]] const std::optional<Nanos>& spent_at() const { return spent_at_; }
  // Run time up to which it handed its intervals over.
  [[nodiscard]] Nanos handed_over() const { return recorder_.handed_over(); }
  // Why the last phase failed, if it did.
  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }
  [[nodiscard]] std::uint64_t keys() const { return generator_.keys(); }
  [[nodiscard]] std::optional<std::uint64_t> hot_keys(std::size_t operation) const {
    return generator_.hot_keys(operation);
  }
  // Of run() ended before the end of its measure window: fixes what was in flight at `end`, and
  // what had been due and was not sent.
  void note_measure_end(Nanos end);
  [[nodiscard]] const InFlightAtEnd& in_flight_at_end() const { return in_flight_at_end_; }
  // Tells how many events of each kind were not told one by one.
  void report_suppressed();

 private:
  enum class Activity : std::uint8_t { kConnect, kPrefill, kLoad, kDrain };

  // worker.cc: the loop and the phases
  void release_wait();
  void make_connections();
  void begin_phase(Activity activity, std::vector<PhasePlan> plan);
  void loop(const Done& done);
  [[nodiscard]] bool finished();
  [[nodiscard]] bool nothing_left(Nanos now);
  [[nodiscard]] bool can_start_more(Nanos now) const;
  [[nodiscard]] Nanos wake_by(Nanos now) const;
  void dispatch(const epoll_event& event);
  void start_some(Nanos now);
  void run_timers(Nanos now);
  void sweep(Nanos now);
  // Counts nothing before this was told the time at which it happened.
  void tick(Nanos now) {
    if (recorder_.due(now)) [[unlikely]]
      at_boundary(now);
  }
  void at_boundary(Nanos now);
  [[nodiscard]] Gauges gauges(Nanos clock_time);
  [[nodiscard]] Nanos thread_cpu() const;
  [[nodiscard]] Nanos run_time(Nanos clock_time) const { return clock_time - config_.origin; }

  // worker_endings.cc: how a load comes to its end
  void cut_before(Nanos clock_time);
  void grant_requests();
  void lift_limits();
  void begin_drain();
  void stop_sending();
  void abandon(Nanos now);
  void fail_phase(Error error);

  // worker_traffic.cc: requests and replies
  // The hottest loops are compiled twice: for traffic of which nothing is known beforehand, and
  // for plain traffic, without the questions that have the same answer for each of its requests.
  enum class Traffic : std::uint8_t { kAny, kPlain };
  // Single commands to one server, each sent the moment that a slot is free, and no prefill.
  [[nodiscard]] bool is_plain() const {
    return single_replies_ && !pacing_ && !cluster_ && activity_ != Activity::kPrefill;
  }
  void read(Connection& connection);
  template <Traffic kTraffic>
  void read_replies(Connection& connection, std::string_view received, Nanos now);
  template <Traffic kTraffic>
  [[nodiscard]] bool take_reply(Connection& connection, const resp::Reply& reply, Nanos now);
  [[nodiscard]] bool take_part(Connection& connection, const resp::Reply& reply,
                               record::Outcome& outcome, Nanos now);
  [[nodiscard]] record::Outcome verified(Connection& connection, record::Outcome outcome,
                                         Nanos now);
  void note_body(const Connection& connection, const resp::Reply& reply, const char* begin,
                 const char* end);
  template <Traffic kTraffic = Traffic::kAny>
  [[nodiscard]] Request& request_in(const Connection& connection, std::uint32_t slot) {
    if (kTraffic != Traffic::kPlain && cluster_) return routed_at(connection, slot).request;
    return requests_[(std::size_t{connection.index()} << slot_bits_) + slot];
  }
  [[nodiscard]] EndedReply oldest_as_ended(Connection& connection, record::Outcome outcome,
                                           Nanos now);
  void look_at(const EndedReply& reply, bool answered);
  void take_bad_reply(const Connection& connection, std::uint8_t operation,
                      const resp::Reply& reply, record::Outcome outcome, Nanos now);
  template <Traffic kTraffic = Traffic::kAny>
  [[nodiscard]] bool next_request(Connection& connection, Request& request);
  template <Traffic kTraffic = Traffic::kAny>
  void enqueue(Connection& connection, Request& request, Nanos intended);
  [[nodiscard]] bool is_fill(std::uint8_t operation) const { return operation == fill_operation_; }
  [[nodiscard]] std::uint64_t limit(const Connection& connection) const;
  void fill(Connection& connection);
  template <Traffic kTraffic>
  void fill_with(Connection& connection);
  [[nodiscard]] bool write_batch(Connection& connection);
  void write_rest(Connection& connection);
  [[nodiscard]] bool account_write(Connection& connection, ssize_t taken, Nanos sent);
  void end_oldest(Connection& connection, record::Outcome outcome, Nanos now);

  // worker_pacing.cc: requests that are not sent the moment a slot is free
  void begin_pacing(const Schedule* schedule);
  void start(Connection& connection, Nanos now);
  void offer(Connection& connection) {
    if (cluster_) [[unlikely]] {
      send_waiting(connection);
      offer_client(client_of(connection));
    } else if (pacing_) {
      pacing_->free.push(connection.index());
    } else {
      fill(connection);
    }
  }
  [[nodiscard]] Nanos pacing_wake_by(Nanos now) const;
  [[nodiscard]] static Nanos wake_for(Nanos due, Nanos now, const WakeLateness& lateness,
                                      Nanos gap);
  [[nodiscard]] Nanos pace(Nanos now);
  void deliver(Nanos now);
  void release_due(Nanos now);
  void send_due(Connection& connection, std::uint64_t most, Nanos until);
  void end_paced(Connection& connection, const EndedReply& reply);
  void arrive(const EndedReply& reply);
  void settle(const EndedReply& reply);
  void lose_travelling(Nanos now);
  void think(std::uint32_t connection, Nanos from);
  void drop_waiting(Connection& connection, Nanos now);
  void close_schedule(Nanos end);
  // Requests have intended times.
  [[nodiscard]] bool has_schedule() const { return open_loop_ || (replay_ && replay_->timed); }
  void settle_scheduled() { ++(open_loop_ ? open_loop_->settled : replay_->settled); }

  // worker_replay.cc: requests of a trace
  void begin_replay();
  [[nodiscard]] bool replayed_all() const;
  void release_recorded(Nanos now);
  void send_recorded(Connection& connection);
  void enqueue_recorded(Connection& connection, TraceRequest request);
  void close_replay(Nanos end);

  // worker_fills.cc: cache-aside
  void fetch(const EndedReply& missed);
  void send_fills(Nanos now);
  void send_fills(Connection& connection, std::span<Fetch> fills);
  void end_fill(const FillStart& start, record::Outcome outcome, Nanos now);
  void abandon_fill();
  void abandon_fills();

  // worker_cluster.cc: a cluster's clients, and their connections to its nodes
  void follow_cluster(Nanos now);
  [[nodiscard]] Nanos cluster_wake_by(Nanos now) const;
  void take_view(Nanos now);
  void add_node(const ClusterView::Node& seen);
  void want(Connection& connection, Nanos now);
  [[nodiscard]] bool still_wanted(const Connection& connection);
  void give_up_wanting(const Connection& connection);
  void offer_client(std::uint32_t client);
  void offer_client_later(std::uint32_t client);
  [[nodiscard]] bool has_room(std::uint32_t client) const;
  void fill_client(std::uint32_t client, std::uint64_t most, Nanos until);
  [[nodiscard]] bool draw_routed(RoutedRequest& routed);
  [[nodiscard]] std::uint16_t node_for(const RoutedRequest& routed);
  void place(const RoutedRequest& routed);
  void enqueue_routed(Connection& connection, const RoutedRequest& routed, Batch& batch);
  void flush(std::uint32_t client);
  void write_routed(Connection& connection, Batch& batch);
  [[nodiscard]] bool began_routed(const Connection& connection, Nanos sent);
  void send_routed(RoutedRequest routed, Nanos now);
  void send_to(std::uint16_t node, RoutedRequest routed, Nanos now);
  void send_waiting(Connection& connection);
  void take_back(Connection& connection);
  void reroute_waiting(Nanos now);
  void drop_unsent(Nanos now);
  [[nodiscard]] RoutedRequest& routed_at(const Connection& connection, std::uint32_t slot);
  [[nodiscard]] std::uint32_t client_of(const Connection& connection) const {
    return connection.index() % config_.load.connections;
  }
  [[nodiscard]] std::uint16_t node_index(const Connection& connection) const {
    return static_cast<std::uint16_t>(connection.index() / config_.load.connections);
  }
  [[nodiscard]] ClusterNode& node_of(const Connection& connection) const {
    return *cluster_->nodes[node_index(connection)];
  }
  [[nodiscard]] Connection& connection_to(std::uint16_t node, std::uint32_t client) {
    return connections_[std::size_t{node} * cluster_->clients + client];
  }

  // worker_redirections.cc: a cluster's answers
  [[nodiscard]] bool take_routed(Connection& connection, const resp::Reply& reply, Nanos now);
  void note_part_sent_away(const Connection& connection, std::string_view error);
  [[nodiscard]] std::string part_sent_away(const Connection& connection);
  [[nodiscard]] bool send_on(Connection& connection, std::string_view error, Nanos now);
  void pause(RoutedRequest routed, Nanos now);
  [[nodiscard]] static EndedReply routed_as_ended(const RoutedRequest& routed,
                                                  record::Outcome outcome, Nanos at);
  void end_routed(const RoutedRequest& routed, std::uint16_t node, record::Outcome outcome,
                  std::optional<std::uint64_t> read_bytes, Nanos now);
  void end_unanswered(const RoutedRequest& routed, std::uint16_t node, record::Outcome outcome,
                      Nanos now);
  void sweep_routed(Nanos now, Nanos limit);
  void lose_routed(Nanos now);
  void begin_outage(std::uint16_t node, Nanos when);
  void end_outages(std::uint16_t slot, std::uint16_t node, Nanos now);
  void leave_outages();

  // worker_stages.cc: what changes while the load goes on
  void plan_load(const LoadWindows& windows);
  void change_load(Nanos now);
  void enter(const LoadState& state, Nanos now);

  // worker_connections.cc: opening, losing and reopening
  void open(Connection& connection, Nanos now);
  void advance(Connection& connection);
  void connected(Connection& connection, Nanos now);
  void secure(Connection& connection, Nanos now);
  void greet(Connection& connection, Nanos now);
  void step_done(const Connection& connection, record::ConnectStep step, Nanos now);
  [[nodiscard]] bool take_greeting(Connection& connection, const resp::Reply& reply, Nanos now);
  void attempt_failed(Connection& connection, const Error& error, Nanos now);
  void lose(Connection& connection, std::string_view reason, Nanos now);
  void time_out(Connection& connection, Nanos now);
  void end_all(Connection& connection, record::Outcome outcome, Nanos now);
  void lost_connection(Connection& connection, std::string_view reason, std::uint32_t requests_lost,
                       Nanos now);
  void renew(Connection& connection, Nanos now);
  [[nodiscard]] Nanos opens_at(std::uint32_t connection) const;
  [[nodiscard]] bool is_idle(const Connection& connection) const {
    return connection.index() >= config_.load.connections && !cluster_;
  }
  // Does it take requests of its own, or of a client of a cluster?
  [[nodiscard]] bool is_for_load(std::size_t connection) const {
    return connection < config_.load.connections;
  }
  [[nodiscard]] std::size_t slots_per_connection() const;
  [[nodiscard]] std::size_t connections_needed() const;
  [[nodiscard]] const resp::Server& server_of(const Connection& connection) const {
    return cluster_ ? node_of(connection).server : server_;
  }
  [[nodiscard]] bool may_reopen() const;
  void reopen_later(Connection& connection, Nanos now);
  [[nodiscard]] std::string name(const Connection& connection) const;
  void event(record::EventKind kind, std::string text, Nanos now);

  // Constant after construction, or after connect().
  const FleetConfig& config_;
  const Clock& clock_;
  const WorkloadPlan& plan_;
  const std::uint32_t index_;
  const std::uint32_t prefill_depth_;
  const Nanos sweep_period_;
  const std::uint64_t requests_per_connection_;
  const std::optional<std::uint8_t> fill_operation_;
  const ValueBlock& values_;
  resp::Server server_;  // with the address that all connections use, but those to a cluster
  std::string greeting_;
  std::vector<resp::GreetingStep> greeting_steps_;  // in the order of their replies

  // Any thread.
  std::atomic<bool> stop_{false};
  std::atomic<bool> release_{false};
  std::atomic<std::uint64_t> prefilled_{0};
  UniqueFd wake_;  // eventfd: ends a wait

  // The worker's thread, while a phase function runs.
  std::optional<net::Epoll> epoll_;
  std::vector<epoll_event> events_;
  std::vector<char> read_buffer_;
  Batch batch_;
  Generator generator_;
  std::vector<InFlight> slots_;  // of all connections
  // The request in each slot, where more must be known of it when it ends than its operation; of a
  // connection they begin at its index << slot_bits_. Of a cluster they are its traffic's.
  bool keeps_requests_ = false;
  bool single_replies_ = false;  // each request has one, which is not verified
  unsigned slot_bits_ = 0;
  std::vector<Request> requests_;
  std::vector<FillStart> fill_starts_;  // likewise, with cache-aside
  struct Recorded {
    std::string key;
    std::optional<std::uint64_t> value_bytes;
  };
  std::vector<Recorded> recorded_;  // likewise, of a trace
  // Of a workload that is verified: bodies that came in pieces by connection, and the body of the
  // reply that is being taken.
  std::deque<std::string> bodies_;  // stay where they are when others come
  std::string_view body_;
  std::vector<Connection> connections_;  // the idle ones last
  Recorder recorder_;
  clockid_t cpu_clock_{};
  Random backoff_random_;
  Random think_random_;
  Random backend_random_;
  std::vector<Fetch> due_fills_;                   // kept for its memory
  std::optional<OpenLoop> open_loop_;              // absent: closed loop, or before run()
  std::optional<Replay> replay_;                   // absent: requests are drawn, or before run()
  std::optional<Pacing> pacing_;                   // absent: a free slot is used at once
  std::optional<ClusterTraffic> cluster_;          // absent: one server
  std::vector<LoadState> states_;                  // of run()
  std::size_t next_state_ = 0;                     // that the load has not entered yet
  Nanos change_at_ = Nanos::max();                 // clock time at which it does; max: never
  std::optional<scenario::ThinkTime> think_time_;  // at present

  Activity activity_ = Activity::kConnect;
  bool may_send_ = false;         // new requests
  bool done_ = false;             // nothing left to do in this phase
  std::uint32_t depth_ = 1;       // requests in flight per connection in this phase
  std::uint32_t started_ = 0;     // connections that this phase has set going
  std::uint32_t attempts_ = 0;    // connections being opened now
  std::uint32_t ready_ = 0;       // connections that are ready
  std::uint32_t idle_ready_ = 0;  // of those, idle ones
  Nanos connect_begin_{0};        // clock time
  std::uint64_t in_flight_ = 0;   // requests begun and unanswered, all connections
  std::uint64_t next_key_ = 0;    // prefill
  Nanos start_at_{0};             // clock time at which requests begin, or the next connection
  Nanos measure_end_{0};          // clock time
  Nanos drain_deadline_{0};       // clock time, of run()
  std::uint64_t requests_left_ = Connection::kUnlimited;  // to be begun by all connections
  Nanos grant_at_ = Nanos::max();  // clock time at which load.requests begins to count
  Nanos last_end_{0};              // clock time at which a request last ended
  std::optional<Nanos> spent_at_;
  Nanos deadline_ = Nanos::max();  // clock time: of connect, of drain, of a prefill cut short
  Nanos sweep_at_{0};              // clock time
  using Reopening = std::pair<Nanos, std::uint32_t>;  // clock time, connection
  std::priority_queue<Reopening, std::vector<Reopening>, std::greater<>> reopenings_;
  std::optional<Error> failure_;
  InFlightAtEnd in_flight_at_end_;

  EventLimit lost_events_;
  EventLimit reconnected_events_;
  EventLimit refused_events_;
  EventLimit corrupt_events_;
  std::vector<std::string> error_codes_;  // distinct ones told so far
};

}  // namespace headroom::load
