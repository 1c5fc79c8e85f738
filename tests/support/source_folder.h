// Where the tests find what is committed beside them.
#pragma once

#include <filesystem>

namespace headroom::testing {

// The repository's folder.
[[nodiscard]] std::filesystem::path source_folder();

}  // namespace headroom::testing
