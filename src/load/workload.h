// What requests a worker makes, and what a reply to one means. Pure: no socket, no clock.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "load/command.h"
#include "load/keys.h"
#include "load/streams.h"
#include "record/outcome.h"
#include "resp/parser.h"
#include "scenario/scenario.h"

namespace headroom::load {

// What a command does with its key, which decides what its replies mean.
enum class Access : std::uint8_t { kRead, kWrite };

struct Operation {
  std::string name;  // "SET"
  Access access = Access::kRead;
  std::uint32_t weight = 0;  // 0: never drawn, only used for the prefill
};

// A workload made ready, the same for all workers of a fleet. Constant after construction.
//
// Every value is the same string of random bytes, drawn from the seed and incompressible: what a
// cache stores and sends does not depend on the content, and one value keeps the generator cheap.
class WorkloadPlan {
 public:
  WorkloadPlan(const scenario::Workload& workload, std::uint64_t seed);
  WorkloadPlan(const WorkloadPlan&) = delete;  // templates point into it
  WorkloadPlan& operator=(const WorkloadPlan&) = delete;

  [[nodiscard]] const std::vector<Operation>& operations() const { return operations_; }
  // The operation that prefills; the workload has one if it prefills.
  [[nodiscard]] std::uint8_t prefill_operation() const { return 0; }
  [[nodiscard]] const std::string& value_part() const { return value_part_; }

  // The order of operations: that of record::LatencyKey::operation.
  [[nodiscard]] static std::vector<Operation> operations_of(const scenario::Workload& workload);

 private:
  std::vector<Operation> operations_;
  std::string value_part_;
};

struct Request {
  std::uint8_t operation = 0;
  std::uint64_t key = 0;  // index within the worker's share
};

// The random streams of one connection.
struct ConnectionStreams {
  ConnectionStreams(std::uint64_t seed, std::uint32_t worker, std::uint32_t connection)
      : operations(make_stream(seed, worker, connection, Purpose::kOperations)),
        keys(make_stream(seed, worker, connection, Purpose::kKeys)) {}
  Random operations;
  Random keys;
};

// Draws and encodes the requests of one worker. Constant after construction.
class Generator {
 public:
  // `plan` outlives the generator. `keys` is the worker's share, at least 1.
  Generator(const WorkloadPlan& plan, std::uint64_t seed, std::uint32_t worker, std::uint64_t keys);

  // Operations by weight, keys uniformly over the worker's share.
  [[nodiscard]] Request draw(ConnectionStreams& streams) const {
    const std::uint64_t ticket = streams.operations.below(total_weight_);
    std::uint8_t operation = 0;
    while (ticket >= commands_[operation].ends_at) ++operation;
    return {operation, streams.keys.below(keys_)};
  }

  void encode(const Request& request, Batch& batch) const {
    commands_[request.operation].command.encode(request.key, batch);
  }

  // How a request of this operation ended, by its reply. A reply of a kind that the operation never
  // gives is an error.
  [[nodiscard]] record::Outcome classify(std::uint8_t operation, const resp::Reply& reply) const {
    const Access access = commands_[operation].access;
    if (access == Access::kRead) {
      if (reply.type == resp::ReplyType::kBulk) return record::Outcome::kHit;
      if (reply.type == resp::ReplyType::kNull) return record::Outcome::kMiss;
    } else if (reply.type == resp::ReplyType::kSimple) {
      return record::Outcome::kOk;
    }
    return is_rejection(reply) ? record::Outcome::kRejected : record::Outcome::kError;
  }

  [[nodiscard]] std::uint64_t keys() const { return keys_; }
  [[nodiscard]] const std::string& operation_name(std::uint8_t operation) const {
    return plan_.operations()[operation].name;
  }

 private:
  [[nodiscard]] static bool is_rejection(const resp::Reply& reply);

  struct Command {
    CommandTemplate command;
    Access access;
    std::uint64_t ends_at;  // tickets below this, and not below the one before, draw it
  };
  const WorkloadPlan& plan_;
  std::vector<Command> commands_;
  std::uint64_t total_weight_ = 0;
  std::uint64_t keys_;
};

}  // namespace headroom::load
