// What requests a worker makes, and what a reply to one means. Pure: no socket, no clock.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "load/command.h"
#include "load/command_program.h"
#include "load/key_distribution.h"
#include "load/keys.h"
#include "load/reply_rule.h"
#include "load/route.h"
#include "load/streams.h"
#include "load/trace.h"
#include "load/values.h"
#include "load/verifier.h"
#include "record/outcome.h"
#include "resp/parser.h"
#include "scenario/operations.h"
#include "scenario/scenario.h"

namespace headroom::load {

// A workload made ready, the same for all workers of a fleet. Constant after construction.
class WorkloadPlan {
 public:
  // `trace`: of a workload that replays one.
  WorkloadPlan(const scenario::Workload& workload, std::uint64_t seed,
               const std::optional<TraceSummary>& trace = std::nullopt);
  WorkloadPlan(const WorkloadPlan&) = delete;  // templates point into it
  WorkloadPlan& operator=(const WorkloadPlan&) = delete;

  // In the order of record::LatencyKey::operation.
  [[nodiscard]] const std::vector<scenario::Operation>& operations() const { return operations_; }
  // The operation that prefills; the workload has one if it prefills.
  [[nodiscard]] std::uint8_t prefill_operation() const { return 0; }
  // The operation that fills what missed; absent: no cache-aside.
  [[nodiscard]] std::optional<std::uint8_t> fill_operation() const { return fill_operation_; }
  // By what requests differ: whether values have sizes of several classes.
  [[nodiscard]] bool has_size_classes() const { return has_size_classes_; }
  // Whether the keys of some operation are not all equally popular.
  [[nodiscard]] bool has_popular_keys() const { return has_popular_keys_; }
  [[nodiscard]] const ValueBlock& values() const { return values_; }
  [[nodiscard]] bool verifies() const { return verifies_; }
  [[nodiscard]] bool replays() const { return replays_; }
  [[nodiscard]] std::optional<Nanos> keys_move_every() const { return keys_move_every_; }
  // The bytes around the key of an operation of which nothing else changes.
  [[nodiscard]] const std::optional<AroundKey>& around_key(std::size_t operation) const {
    return around_keys_[operation];
  }

 private:
  std::vector<scenario::Operation> operations_;
  std::optional<Nanos> keys_move_every_;
  bool verifies_;
  bool replays_;
  std::optional<std::uint8_t> fill_operation_;
  bool has_size_classes_ = false;
  bool has_popular_keys_ = false;
  ValueBlock values_;
  std::vector<std::optional<AroundKey>> around_keys_;
};

struct Request {
  std::uint8_t operation = 0;
  bool hot = false;       // its key is, by the operation's distribution; as far as it is watched
  std::uint64_t key = 0;  // the index of its first key
  // Of a workload that is verified: the version that it writes, or the oldest that it may read.
  std::uint64_t version = 0;
};

// The random streams of one connection.
struct ConnectionStreams {
  ConnectionStreams(std::uint64_t seed, std::uint32_t worker, std::uint32_t connection)
      : operations(make_stream(seed, worker, connection, Purpose::kOperations)),
        keys(make_stream(seed, worker, connection, Purpose::kKeys)),
        numbers(make_stream(seed, worker, connection, Purpose::kNumbers)) {}
  Random operations;
  Random keys;
  Random numbers;
};

// Draws and encodes the requests of one worker. Not thread-safe: it is that worker's.
class Generator {
 public:
  // `plan` outlives the generator. `share` is the worker's.
  Generator(const WorkloadPlan& plan, std::uint64_t seed, const KeyShare& share);

  // Operations by weight, keys as the operation's distribution says.
  [[nodiscard]] Request draw(ConnectionStreams& streams) {
    const std::uint64_t ticket = streams.operations.below(total_weight_);
    std::uint8_t operation = 0;
    while (ticket >= commands_[operation].ends_at) ++operation;
    return {operation, false, commands_[operation].keys.draw(streams.keys), 0};
  }
  // The request that prefills the key at this place of the worker's share.
  [[nodiscard]] Request prefill(std::uint64_t place) const {
    return {plan_.prefill_operation(), false, share_.begin + place, 0};
  }

  void encode(const Request& request, ConnectionStreams& streams, Batch& batch) {
    const Command& command = commands_[request.operation];
    if (command.plain) [[likely]] {
      command.plain->encode(request.key, batch);
    } else {
      encode_program(request, streams, batch);
    }
  }

  [[nodiscard]] std::size_t operations() const { return commands_.size(); }
  // Of a cluster: where requests of this operation go.
  [[nodiscard]] Route route(std::size_t operation) const {
    return {plan_.operations()[operation].line, key_prefix(seed_, share_.owner)};
  }
  // Replies to one request of this operation; with more than one it is a transaction.
  [[nodiscard]] std::uint16_t replies(std::uint8_t operation) const {
    return rules_[operation].replies;
  }
  // No operation is a transaction.
  [[nodiscard]] bool single_replies() const {
    return std::ranges::all_of(rules_, [](const ReplyRule& rule) { return rule.replies == 1; });
  }
  // How a request of this operation, which is no transaction, ended by its reply. A reply of a kind
  // that the operation never gives is an error.
  [[nodiscard]] record::Outcome classify(std::uint8_t operation, const resp::Reply& reply) const {
    return load::classify(rules_[operation].meaning, reply);
  }

  // Of a workload that is verified: the request is made, and gets its version; what came of it,
  // with the value if it found one.
  [[nodiscard]] bool verifies() const { return verifier_ != nullptr; }
  void begin(Request& request);
  [[nodiscard]] ReplyFault end(const Request& request, record::Outcome outcome,
                               std::string_view value);
  [[nodiscard]] std::string key_of(const Request& request) const {
    return key_text(seed_, share_.owner, request.key);
  }

  // What a watch is told of a request: the size of the value that it writes to its only key, and
  // whether that key is hot.
  [[nodiscard]] std::optional<std::uint64_t> written_bytes(const Request& request) const;
  [[nodiscard]] std::optional<bool> hot(const Request& request) const;
  // Notes whether the request that was drawn last has a hot key.
  void note_hot(Request& request) const {
    request.hot = commands_[request.operation].keys.drew_hot();
  }

  // Cache-aside: whether a miss of this request is filled, and the request that fills it.
  [[nodiscard]] bool reads_through(std::uint8_t operation) const {
    return plan_.operations()[operation].reads_through;
  }
  [[nodiscard]] Request fill(const Request& missed) const {
    return {*plan_.fill_operation(), missed.hot, missed.key, 0};
  }

  // `since` is the time since the load began: moves the popular keys when that is due.
  void advance(Nanos since) {
    if (since >= move_at_) [[unlikely]]
      move_keys(since);
  }

  // How often each operation is drawn from now on, in their order; one weight at least is above 0.
  void weigh(const std::vector<std::uint32_t>& weights) {
    total_weight_ = 0;
    for (std::size_t i = 0; i < commands_.size(); ++i)
      commands_[i].ends_at = total_weight_ += weights[i];
  }

  [[nodiscard]] std::uint64_t keys() const { return share_.count; }
  // How many of the share's keys are hot for an operation; nullopt: none is more popular.
  [[nodiscard]] std::optional<std::uint64_t> hot_keys(std::size_t operation) const {
    return commands_[operation].keys.hot_keys();
  }
  [[nodiscard]] const std::string& operation_name(std::uint8_t operation) const {
    return plan_.operations()[operation].name;
  }

 private:
  struct Command {
    std::optional<CommandTemplate> plain;  // else the program
    std::uint64_t ends_at = 0;  // tickets below this, and not below the one before, draw it
    KeySampler keys;
    std::unique_ptr<ValueSizes> sizes;
    std::unique_ptr<CommandProgram> program;
    std::size_t key_count = 0;
    bool writes_value = false;  // one, to one key
  };
  void encode_program(const Request& request, ConnectionStreams& streams, Batch& batch);
  void move_keys(Nanos since);

  const WorkloadPlan& plan_;
  const std::uint64_t seed_;
  const KeyShare share_;
  std::vector<Command> commands_;
  std::vector<ReplyRule> rules_;
  std::unique_ptr<Verifier> verifier_;
  std::uint64_t total_weight_ = 0;
  Nanos move_at_ = Nanos::max();
};

}  // namespace headroom::load
