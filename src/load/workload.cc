#include "load/workload.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace headroom::load {
namespace {

std::string random_bytes(Random random, std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t at = 0; at < size; at += sizeof(std::uint64_t)) {
    const std::uint64_t word = random();
    std::memcpy(bytes.data() + at, &word, std::min(sizeof word, size - at));
  }
  return bytes;
}

}  // namespace

std::vector<Operation> WorkloadPlan::operations_of(const scenario::Workload& workload) {
  std::vector<Operation> operations;
  if (workload.set_weight > 0 || workload.prefill) {
    operations.push_back({"SET", Access::kWrite, workload.set_weight});
  }
  if (workload.get_weight > 0) operations.push_back({"GET", Access::kRead, workload.get_weight});
  return operations;
}

WorkloadPlan::WorkloadPlan(const scenario::Workload& workload, std::uint64_t seed)
    : operations_(operations_of(workload)),
      value_part_(CommandTemplate::value_part(
          random_bytes(make_stream(seed, kNone, kNone, Purpose::kValue), workload.value_bytes))) {
  check(workload.set_weight + std::uint64_t{workload.get_weight} > 0,
        "a workload has an operation with a weight");
}

Generator::Generator(const WorkloadPlan& plan, std::uint64_t seed, std::uint32_t worker,
                     std::uint64_t keys)
    : plan_(plan), keys_(keys) {
  check(keys > 0, "every worker has at least one key");
  const std::string prefix = key_prefix(seed, worker);
  for (const Operation& operation : plan.operations()) {
    total_weight_ += operation.weight;
    const std::string_view value =
        operation.access == Access::kWrite ? std::string_view(plan.value_part()) : "";
    commands_.push_back(
        {CommandTemplate(operation.name, prefix, value), operation.access, total_weight_});
  }
}

bool Generator::is_rejection(const resp::Reply& reply) {
  return reply.type == resp::ReplyType::kError &&
         (reply.text == "OOM" || reply.text.starts_with("OOM "));
}

}  // namespace headroom::load
