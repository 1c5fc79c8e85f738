#include "lab/environment.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string_view>

#include "base/file.h"
#include "base/text.h"

namespace headroom::lab {
namespace {

using Facts = std::vector<std::pair<std::string, std::string>>;

std::optional<std::string> first_line(const std::filesystem::path& path) {
  const Result<std::string> content = read_file(path);
  if (!content) return std::nullopt;
  return std::string(trim(split(*content, '\n').front()));
}

// The value, without quotes, of the first line `key <separator> value` of a file.
std::optional<std::string> keyed_line(const std::filesystem::path& path, std::string_view key,
                                      char separator) {
  const Result<std::string> content = read_file(path);
  if (!content) return std::nullopt;
  for (const std::string_view line : split(*content, '\n')) {
    const auto at = line.find(separator);
    if (at == std::string_view::npos || trim(line.substr(0, at)) != key) continue;
    std::string_view value = trim(line.substr(at + 1));
    if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
      value = value.substr(1, value.size() - 2);
    return std::string(value);
  }
  return std::nullopt;
}

void add(Facts& facts, std::string key, std::optional<std::string> value) {
  if (value && !value->empty()) facts.emplace_back(std::move(key), printable(*value));
}

}  // namespace

Facts host_facts() {
  Facts facts;
  utsname name{};
  if (::uname(&name) == 0) {
    add(facts, "host.kernel", fmt::format("{} {}", name.sysname, name.release));
    add(facts, "host.architecture", std::string(name.machine));
  }
  add(facts, "host.os", keyed_line("/etc/os-release", "PRETTY_NAME", '='));
  add(facts, "host.cpu_model", keyed_line("/proc/cpuinfo", "model name", ':'));
  if (const long cpus = ::sysconf(_SC_NPROCESSORS_ONLN); cpus > 0)
    add(facts, "host.cpus", fmt::format("{}", cpus));
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0)
    add(facts, "host.cpus_allowed", fmt::format("{}", CPU_COUNT(&allowed)));
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page_bytes = ::sysconf(_SC_PAGESIZE);
  if (pages > 0 && page_bytes > 0)
    add(facts, "host.memory_bytes", fmt::format("{}", pages * page_bytes));
  add(facts, "host.clocksource",
      first_line("/sys/devices/system/clocksource/clocksource0/current_clocksource"));
  add(facts, "host.cpu_governor",
      first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
  add(facts, "host.transparent_hugepages",
      first_line("/sys/kernel/mm/transparent_hugepage/enabled"));
  add(facts, "tool.compiler", std::string(__VERSION__));
#ifdef NDEBUG
  add(facts, "tool.build", "release");
#else
  add(facts, "tool.build", "debug");
#endif
  return facts;
}

}  // namespace headroom::lab
