// libFuzzer: any bytes as a run file.
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "base/check.h"
#include "base/file.h"
#include "store/run_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const headroom::TempDir directory = [] {
    auto made = headroom::TempDir::create("run-reader-fuzz");
    headroom::check(made.has_value(), "a temporary directory");
    return std::move(*made);
  }();
  const std::filesystem::path path = directory.path() / "fuzz.run";
  {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  }
  static_cast<void>(headroom::store::read_run(path).has_value());
  static_cast<void>(headroom::store::verify_run(path).has_value());
  return 0;
}
