#include "record/load.h"

namespace headroom::record {

void OperationCounts::add(const OperationCounts& other) {
  sent += other.sent;
  for (std::size_t i = 0; i < outcomes.size(); ++i) outcomes[i] += other.outcomes[i];
}

void NodeCounts::add(const NodeCounts& other) {
  requests.add(other.requests);
  moved += other.moved;
  asked += other.asked;
  retried += other.retried;
}

}  // namespace headroom::record
