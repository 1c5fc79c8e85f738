// Any text parses, and every field that was read can be found again.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "resp/info.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace headroom;
  const auto info = resp::Info::parse(std::string_view(reinterpret_cast<const char*>(data), size));
  for (const auto& section : info.sections()) {
    check(info.section(section.name) != nullptr, "a section is found by its name");
    for (const auto& field : section.fields) {
      check(info.text(field.name).has_value(), "a field is found by its name");
      (void)resp::info_part(field.value, "keys");
      (void)resp::info_number(field.value);
    }
  }
  (void)info.keyspace_sum("keys");
  return 0;
}
