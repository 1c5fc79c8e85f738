#include "record/load.h"

namespace headroom::record {

void OperationCounts::add(const OperationCounts& other) {
  sent += other.sent;
  for (std::size_t i = 0; i < outcomes.size(); ++i) outcomes[i] += other.outcomes[i];
}

}  // namespace headroom::record
