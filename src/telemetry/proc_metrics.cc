#include "telemetry/proc_metrics.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "resp/info.h"

namespace headroom::telemetry {
namespace {

namespace fs = std::filesystem;

void add(std::vector<record::Sample>& samples, std::string_view metric,
         std::optional<double> value) {
  if (value) samples.push_back({record::metric(metric), {}, *value});
}

double ticks_per_second() {
  static const auto kTicks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  return kTicks;
}

std::optional<std::string> read(const std::string& path, Unreadable& unreadable) {
  auto content = read_file(path);
  if (content) return std::move(*content);
  unreadable.push_back(path);
  return std::nullopt;
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> result;
  for (const std::string_view word : split(text, ' ')) {
    if (!word.empty()) result.push_back(word);
  }
  return result;
}

struct ContextSwitches {
  double voluntary = 0;
  double involuntary = 0;
};

// /proc/PID/status has them for one thread only, so all threads are asked.
std::optional<ContextSwitches> context_switches(const fs::path& process) {
  ContextSwitches sum;
  bool any = false;
  std::error_code error;
  for (fs::directory_iterator task(process / "task", error), end; !error && task != end;
       task.increment(error)) {
    const auto status = read_file(task->path() / "status");
    if (!status) continue;  // the thread has just ended
    const auto voluntary = proc_field(*status, "voluntary_ctxt_switches");
    const auto involuntary = proc_field(*status, "nonvoluntary_ctxt_switches");
    if (!voluntary || !involuntary) return std::nullopt;
    sum.voluntary += *voluntary;
    sum.involuntary += *involuntary;
    any = true;
  }
  return any ? std::optional(sum) : std::nullopt;
}

}  // namespace

std::optional<ProcessStat> parse_process_stat(std::string_view text, double ticks_a_second) {
  // The program's name, in parentheses, may hold anything; field 3 follows the last one.
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  const auto fields = words(trim(text.substr(name_end + 1)));
  const auto field = [&](std::size_t number) -> std::optional<double> {  // as proc(5) counts
    return number - 3 < fields.size() ? resp::info_number(fields[number - 3]) : std::nullopt;
  };
  const auto minor_faults = field(10);
  const auto major_faults = field(12);
  const auto user = field(14);
  const auto system = field(15);
  const auto threads = field(20);
  if (!minor_faults || !major_faults || !user || !system || !threads || !field(22)) {
    return std::nullopt;
  }
  return ProcessStat{
      *user / ticks_a_second, *system / ticks_a_second, *minor_faults, *major_faults, *threads,
      std::string(fields[19])};
}

std::optional<double> proc_field(std::string_view text, std::string_view name) {
  for (std::string_view line : split(text, '\n')) {
    if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != ':') continue;
    std::string_view value = trim(line.substr(name.size() + 1));
    constexpr double kKibibyte = 1024;
    double unit = 1;
    if (value.ends_with(" kB")) {
      value.remove_suffix(3);
      unit = kKibibyte;
    }
    const auto number = resp::info_number(trim(value));
    return number ? std::optional(*number * unit) : std::nullopt;
  }
  return std::nullopt;
}

std::vector<record::Sample> parse_host_cpu(std::string_view text, double ticks_a_second) {
  // cpu  user nice system idle iowait irq softirq steal guest guest_nice; the guests' time is part
  // of user and nice already.
  constexpr std::size_t kColumns = 8;
  constexpr std::size_t kIdle = 3;
  constexpr std::size_t kIoWait = 4;
  constexpr std::size_t kSteal = 7;
  double cpus = 0;
  std::array<double, kColumns> ticks{};
  bool found = false;
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with("cpu")) continue;
    if (!line.starts_with("cpu ")) {
      ++cpus;
      continue;
    }
    const auto columns = words(line);
    if (columns.size() < kColumns + 1) return {};
    for (std::size_t i = 0; i < kColumns; ++i) {
      const auto value = resp::info_number(columns[i + 1]);
      if (!value) return {};
      ticks[i] = *value;
    }
    found = true;
  }
  if (!found || cpus == 0) return {};
  double total = 0;
  for (const double column : ticks) total += column;
  std::vector<record::Sample> samples;
  add(samples, "host_cpu_busy_seconds", (total - ticks[kIdle] - ticks[kIoWait]) / ticks_a_second);
  add(samples, "host_cpu_total_seconds", total / ticks_a_second);
  add(samples, "host_cpu_steal_seconds", ticks[kSteal] / ticks_a_second);
  add(samples, "host_cpus", cpus);
  return samples;
}

std::vector<record::Sample> sample_machine(bool memory, Unreadable& unreadable) {
  std::vector<record::Sample> samples;
  if (const auto text = read("/proc/stat", unreadable)) {
    samples = parse_host_cpu(*text, ticks_per_second());
    if (samples.empty()) unreadable.emplace_back("the cpu lines of /proc/stat");
  }
  if (!memory) return samples;
  const auto text = read("/proc/meminfo", unreadable);
  if (!text) return samples;
  add(samples, "FreeableMemory", proc_field(*text, "MemAvailable"));
  const auto swap_total = proc_field(*text, "SwapTotal");
  const auto swap_free = proc_field(*text, "SwapFree");
  if (swap_total && swap_free) add(samples, "SwapUsage", *swap_total - *swap_free);
  return samples;
}

ProcessSampler::ProcessSampler(pid_t pid) : pid_(pid) {}

std::vector<record::Sample> ProcessSampler::sample(Unreadable& unreadable) {
  std::vector<record::Sample> samples;
  const std::string process = fmt::format("/proc/{}", pid_);
  const auto text = read(process + "/stat", unreadable);
  if (!text) return samples;
  const auto stat = parse_process_stat(*text, ticks_per_second());
  if (!stat) {
    unreadable.push_back("the fields of " + process + "/stat");
    return samples;
  }
  if (start_ticks_.empty()) start_ticks_ = stat->start_ticks;
  if (stat->start_ticks != start_ticks_) {
    unreadable.push_back(process + " (a later process has its number)");
    return samples;
  }
  add(samples, "process_cpu_user_seconds", stat->user_seconds);
  add(samples, "process_cpu_system_seconds", stat->system_seconds);
  add(samples, "process_threads", stat->threads);
  add(samples, "process_minor_faults", stat->minor_faults);
  add(samples, "process_major_faults", stat->major_faults);
  if (const auto main_text = read(fmt::format("{}/task/{}/stat", process, pid_), unreadable)) {
    if (const auto main_thread = parse_process_stat(*main_text, ticks_per_second())) {
      add(samples, "process_main_thread_cpu_user_seconds", main_thread->user_seconds);
      add(samples, "process_main_thread_cpu_system_seconds", main_thread->system_seconds);
    }
  }
  if (const auto status = read(process + "/status", unreadable)) {
    add(samples, "process_rss_bytes", proc_field(*status, "VmRSS"));
    add(samples, "process_swap_bytes", proc_field(*status, "VmSwap"));
  }
  if (const auto switches = context_switches(process)) {
    add(samples, "process_voluntary_context_switches", switches->voluntary);
    add(samples, "process_involuntary_context_switches", switches->involuntary);
  }
  return samples;
}

}  // namespace headroom::telemetry
