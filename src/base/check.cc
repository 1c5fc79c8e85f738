#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace headroom {

void check_failed(const char* what, const char* file, int line) {
  std::fprintf(stderr, "headroom: internal error: %s does not hold (%s:%d). Please report it.\n",
               what, file, line);
  std::abort();
}

}  // namespace headroom
