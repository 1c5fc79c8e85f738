// The machine that Headroom itself runs on, as facts for the run file.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace headroom::lab {

// "host.kernel", "host.os", "host.cpu_model", "host.cpus", "host.cpus_allowed",
// "host.memory_bytes", "host.architecture", "host.clocksource", "host.cpu_governor",
// "host.transparent_hugepages", "tool.compiler", "tool.build". What cannot be read is not in the
// list.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> host_facts();

}  // namespace headroom::lab
