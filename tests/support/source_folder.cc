#include "tests/support/source_folder.h"

namespace headroom::testing {

std::filesystem::path source_folder() { return HEADROOM_SOURCE_DIR; }

}  // namespace headroom::testing
