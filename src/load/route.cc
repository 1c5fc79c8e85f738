#include "load/route.h"

#include "base/check.h"

namespace headroom::load {

Route::Route(const scenario::CommandLine& line, const std::string& prefix)
    : reads_(scenario::only_reads(line)) {
  const auto hashed = scenario::hashed_text(line);
  check(hashed.has_value(), "a cluster's workload has only commands of one slot");
  if (!*hashed) return;
  before_.add((*hashed)->before);
  has_key_ = (*hashed)->key.has_value();
  if (has_key_) before_.add(prefix);
  after_ = (*hashed)->after;
}

}  // namespace headroom::load
