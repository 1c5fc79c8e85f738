#include "lab/machine.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "lab/environment.h"

namespace headroom::lab {
namespace {

namespace fs = std::filesystem;

constexpr int kClockReadings = 1000;

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words = split(line, ' ');
  std::erase_if(words, [](std::string_view word) { return word.empty(); });
  return words;
}

std::optional<double> number(std::string_view text) {
  text = trim(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> number_in(const fs::path& file) {
  const Result<std::string> content = read_file(file);
  return content ? number(*content) : std::nullopt;
}

// The value of the line "key value" of a file.
std::optional<double> field_in(const fs::path& file, std::string_view key) {
  const Result<std::string> content = read_file(file);
  if (!content) return std::nullopt;
  for (const std::string_view line : split(*content, '\n')) {
    const auto words = words_of(line);
    if (words.size() == 2 && words[0] == key) return number(words[1]);
  }
  return std::nullopt;
}

// Version 2: "MAX PERIOD" in cpu.max, both in microseconds, MAX may be "max".
std::optional<CpuQuota> unified_quota(const fs::path& group) {
  const Result<std::string> content = read_file(group / "cpu.max");
  if (!content) return std::nullopt;
  const auto words = words_of(trim(*content));
  if (words.size() != 2) return std::nullopt;
  const auto most = number(words[0]);
  const auto period = number(words[1]);
  if (!most || !period || *period <= 0) return std::nullopt;
  CpuQuota quota{*most / *period, std::nullopt};
  if (const auto throttled = field_in(group / "cpu.stat", "throttled_usec"))
    quota.throttled_seconds = *throttled / 1e6;
  return quota;
}

// Version 1: a quota of -1 is none; throttled time is in nanoseconds.
std::optional<CpuQuota> classic_quota(const fs::path& group) {
  const auto most = number_in(group / "cpu.cfs_quota_us");
  const auto period = number_in(group / "cpu.cfs_period_us");
  if (!most || *most <= 0 || !period || *period <= 0) return std::nullopt;
  CpuQuota quota{*most / *period, std::nullopt};
  if (const auto throttled = field_in(group / "cpu.stat", "throttled_time"))
    quota.throttled_seconds = *throttled / 1e9;
  return quota;
}

template <class Read>
void take_narrowest(const fs::path& root, const fs::path& own, Read read,
                    std::optional<CpuQuota>& narrowest) {
  for (fs::path group = own.relative_path();; group = group.parent_path()) {
    const std::optional<CpuQuota> quota = read(root / group);
    if (quota && (!narrowest || quota->cpus < narrowest->cpus)) narrowest = quota;
    if (group.empty()) return;
  }
}

std::vector<int> allowed_cpus() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &allowed)) cpus.push_back(cpu);
  }
  return cpus;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

double own_cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

Nanos clock_reading_cost() {
  const Clock& clock = real_clock();
  const Nanos begin = clock.now();
  Nanos last = begin;
  for (int i = 0; i < kClockReadings; ++i) last = clock.now();
  return (last - begin) / kClockReadings;
}

}  // namespace

std::optional<CpuTimes> parse_cpu_times(std::string_view stat, std::span<const int> cpus,
                                        double ticks_per_second) {
  // proc(5): cpuN user nice system idle iowait irq softirq steal guest guest_nice; the guests' time
  // is in user's.
  constexpr std::size_t kSteal = 8;
  CpuTimes times;
  std::size_t found = 0;
  for (const std::string_view line : split(stat, '\n')) {
    const auto words = words_of(line);
    if (words.size() <= kSteal || !words[0].starts_with("cpu") || words[0] == "cpu") continue;
    const auto cpu = number(words[0].substr(3));
    if (!cpu || std::ranges::find(cpus, static_cast<int>(*cpu)) == cpus.end()) continue;
    std::array<double, kSteal> ticks{};
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      const auto value = number(words[i + 1]);
      if (!value) return std::nullopt;
      ticks[i] = *value;
    }
    const auto [user, nice, system, idle, iowait, irq, softirq, steal] = ticks;
    times.busy += (user + nice + system + irq + softirq) / ticks_per_second;
    times.idle += (idle + iowait) / ticks_per_second;
    times.steal += steal / ticks_per_second;
    ++found;
  }
  if (found == 0 || found != cpus.size()) return std::nullopt;
  return times;
}

std::optional<CpuQuota> read_cpu_quota(const fs::path& root, std::string_view own) {
  std::optional<CpuQuota> narrowest;
  for (const std::string_view line : split(own, '\n')) {
    // "HIERARCHY:CONTROLLERS:PATH"; version 2 has the hierarchy 0 and no controllers.
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const std::string_view controllers = line.substr(first + 1, second - first - 1);
    const fs::path path = line.substr(second + 1);
    if (controllers.empty()) take_narrowest(root, path, unified_quota, narrowest);
    for (const std::string_view controller : split(controllers, ',')) {
      if (controller == "cpu") take_narrowest(root / controllers, path, classic_quota, narrowest);
    }
  }
  return narrowest;
}

MachineWatch::MachineWatch() : allowed_(allowed_cpus()), first_(read()) {}

MachineWatch::Reading MachineWatch::read() const {
  Reading reading;
  reading.at = real_clock().now();
  reading.own_seconds = own_cpu_seconds();
  if (const auto stat = read_file("/proc/stat"))
    reading.cpus = parse_cpu_times(*stat, allowed_, static_cast<double>(sysconf(_SC_CLK_TCK)));
  if (const auto own = read_file("/proc/self/cgroup"))
    reading.quota = read_cpu_quota("/sys/fs/cgroup", *own);
  return reading;
}

analysis::MachineFacts MachineWatch::facts() const {
  const Reading last = read();
  analysis::MachineFacts facts;
  facts.cpus_allowed = static_cast<std::uint32_t>(allowed_.size());
  facts.clock_reading = clock_reading_cost();
  for (const auto& [key, value] : host_facts()) {
    if (key == "host.clocksource") facts.clocksource = value;
    if (key == "host.cpu_governor") facts.governor = value;
    if (key == "host.cpu_model") facts.cpu_model = value;
    if (key == "host.kernel") facts.kernel = value;
    if (key == "tool.build") facts.optimized_build = value == "release";
  }
  const double elapsed = std::chrono::duration<double>(last.at - first_.at).count();
  if (elapsed <= 0) return facts;
  if (first_.cpus && last.cpus) {
    const double total = last.cpus->total() - first_.cpus->total();
    const double own = last.own_seconds - first_.own_seconds;
    facts.others_cpus = std::max(0.0, (last.cpus->busy - first_.cpus->busy - own) / elapsed);
    if (total > 0) facts.steal_ratio = (last.cpus->steal - first_.cpus->steal) / total;
  }
  if (last.quota) {
    facts.quota_cpus = last.quota->cpus;
    if (first_.quota && first_.quota->throttled_seconds && last.quota->throttled_seconds)
      facts.throttled_ratio =
          (*last.quota->throttled_seconds - *first_.quota->throttled_seconds) / elapsed;
  }
  return facts;
}

}  // namespace headroom::lab
