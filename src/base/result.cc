#include "base/result.h"

#include <system_error>

namespace headroom {

std::string errno_text(int error_number) {
  return std::error_code(error_number, std::generic_category()).message();
}

}  // namespace headroom
