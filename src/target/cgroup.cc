#include "target/cgroup.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <csignal>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "target/lock.h"

namespace headroom::target {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kPeriodUs = 20'000;
constexpr std::int64_t kSmallestQuotaUs = 1'000;  // the kernel's
constexpr std::int64_t kLongestPeriodUs = 1'000'000;
constexpr double kMicro = 1e6;
constexpr double kNano = 1e9;
constexpr int kLockAttempts = 5;

// A mount of a cgroup hierarchy.
struct Mount {
  fs::path point;
  fs::path root;  // which group of the hierarchy is mounted there
  bool v2 = false;
  std::vector<std::string> controllers;  // version 1
};

// mountinfo writes blanks and backslashes as \040 and the like.
std::string unescaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 3 >= text.size()) {
      result += text[i];
      continue;
    }
    int code = 0;
    std::from_chars(text.data() + i + 1, text.data() + i + 4, code, 8);
    result += static_cast<char>(code);
    i += 3;
  }
  return result;
}

std::vector<Mount> cgroup_mounts(std::string_view mountinfo) {
  std::vector<Mount> mounts;
  for (const std::string_view line : split(mountinfo, '\n')) {
    // id parent major:minor root point options [tags] - type source super-options
    const auto fields = split(line, ' ');
    const auto dash = std::ranges::find(fields, "-");
    if (fields.size() < 6 || fields.end() - dash < 4) continue;
    const std::string_view type = *(dash + 1);
    if (type != "cgroup" && type != "cgroup2") continue;
    Mount mount{unescaped(fields[4]), unescaped(fields[3]), type == "cgroup2", {}};
    for (const std::string_view option : split(*(dash + 3), ',')) {
      mount.controllers.emplace_back(option);
    }
    mounts.push_back(std::move(mount));
  }
  return mounts;
}

// This process's group in the hierarchy of `controller` (version 2: empty), as /proc/self/cgroup
// has it.
std::optional<std::string> own_group(std::string_view own_cgroups, std::string_view controller) {
  for (const std::string_view line : split(own_cgroups, '\n')) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const auto names = split(line.substr(first + 1, second - first - 1), ',');
    if (std::ranges::find(names, controller) != names.end())
      return std::string(line.substr(second + 1));
  }
  return std::nullopt;
}

// Where that group's directory is; the mount itself if the group is not below what is mounted.
fs::path directory_of(const Mount& mount, const std::string& group) {
  const fs::path below = fs::path(group).lexically_relative(mount.root);
  if (below.empty() || below.string().starts_with("..")) return mount.point;
  return (mount.point / below).lexically_normal();
}

bool has_word(const fs::path& file, std::string_view word) {
  const auto text = read_file(file);
  if (!text) return false;
  const auto words = split(trim(*text), ' ');
  return std::ranges::find(words, word) != words.end();
}

// The groups from this process's own up to the mount that hand the cpu controller on to their
// children, or can be made to: a group that has processes cannot, but for the root.
void add_v2(std::vector<CpuHierarchy>& places, const Mount& mount, const std::string& group) {
  fs::path directory = directory_of(mount, group);
  while (true) {
    const fs::path control = directory / "cgroup.subtree_control";
    const bool is_top = directory == mount.point;
    const bool can_be_made = is_top && has_word(directory / "cgroup.controllers", "cpu");
    if (has_word(control, "cpu") || can_be_made)
      places.push_back({CgroupVersion::kV2, directory, directory});
    if (is_top || !directory.has_parent_path() || directory == directory.parent_path()) return;
    directory = directory.parent_path();
  }
}

void add_v1(std::vector<CpuHierarchy>& places, const std::vector<Mount>& mounts,
            std::string_view own_cgroups) {
  const auto directory = [&](std::string_view controller) -> std::optional<fs::path> {
    const auto mount = std::ranges::find_if(mounts, [&](const Mount& m) {
      return !m.v2 && std::ranges::find(m.controllers, controller) != m.controllers.end();
    });
    const auto group = own_group(own_cgroups, controller);
    if (mount == mounts.end() || !group) return std::nullopt;
    return directory_of(*mount, *group);
  };
  const auto cpu = directory("cpu");
  const auto accounting = directory("cpuacct");
  if (cpu && accounting) places.push_back({CgroupVersion::kV1, *cpu, *accounting});
}

Status write_control(const fs::path& path, std::string_view text) {
  const UniqueFd file(::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  if (file.valid() && ::write(file.get(), text.data(), text.size()) == std::ssize(text)) return {};
  return fail(ErrorKind::kTarget, "cannot write {} to {}: {}", text, path.string(),
              errno_text(errno));
}

std::optional<double> stat_value(std::string_view text, std::string_view name) {
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t blank = line.find(' ');
    if (blank == std::string_view::npos || line.substr(0, blank) != name) continue;
    const std::string_view digits = line.substr(blank + 1);
    std::uint64_t value = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc{} || stop != digits.data() + digits.size()) return std::nullopt;
    return static_cast<double>(value);
  }
  return std::nullopt;
}

std::optional<double> divided(std::optional<double> value, double unit) {
  return value ? std::optional(*value / unit) : std::nullopt;
}

std::vector<pid_t> processes_in(const fs::path& directory) {
  std::vector<pid_t> pids;
  const auto text = read_file(directory / "cgroup.procs");
  if (!text) return pids;
  for (const std::string_view line : split(*text, '\n')) {
    pid_t pid = 0;
    const auto [stop, error] = std::from_chars(line.data(), line.data() + line.size(), pid);
    if (error == std::errc{} && stop != line.data() && pid > 0) pids.push_back(pid);
  }
  return pids;
}

// A group is empty once the kernel is done with what was in it, which nothing tells.
bool remove_directory(const fs::path& directory) {
  const Nanos until = real_clock().now() + std::chrono::seconds{1};
  while (::rmdir(directory.c_str()) != 0) {
    if (errno == ENOENT) return true;
    if (errno != EBUSY || real_clock().now() >= until) return false;
    ::poll(nullptr, 0, 5);
  }
  return true;
}

int make_directory(const fs::path& path) { return ::mkdir(path.c_str(), 0755) == 0 ? 0 : errno; }

}  // namespace

std::vector<CpuHierarchy> cpu_hierarchies(std::string_view mountinfo,
                                          std::string_view own_cgroups) {
  std::vector<CpuHierarchy> places;
  const std::vector<Mount> mounts = cgroup_mounts(mountinfo);
  const auto group = own_group(own_cgroups, "");
  for (const Mount& mount : mounts) {
    if (mount.v2 && group) add_v2(places, mount, *group);
  }
  add_v1(places, mounts, own_cgroups);
  return places;
}

std::vector<CpuHierarchy> cpu_hierarchies() {
  const auto mountinfo = read_file("/proc/self/mountinfo");
  const auto own = read_file("/proc/self/cgroup");
  if (!mountinfo || !own) return {};
  return cpu_hierarchies(*mountinfo, *own);
}

std::optional<CpuUse> parse_cpu_stat(std::string_view text, CgroupVersion version) {
  const bool v2 = version == CgroupVersion::kV2;
  CpuUse use;
  const auto seconds = divided(stat_value(text, "usage_usec"), kMicro);
  use.periods = stat_value(text, "nr_periods");
  use.throttled_periods = stat_value(text, "nr_throttled");
  use.throttled_seconds = v2 ? divided(stat_value(text, "throttled_usec"), kMicro)
                             : divided(stat_value(text, "throttled_time"), kNano);
  if (v2 ? !seconds : !use.periods) return std::nullopt;
  use.seconds = seconds.value_or(0);
  return use;
}

CpuQuota cpu_quota(double vcpus) {
  const auto asked =
      static_cast<std::int64_t>(std::ceil(static_cast<double>(kSmallestQuotaUs) / vcpus));
  const std::int64_t period = std::clamp(asked, kPeriodUs, kLongestPeriodUs);
  return {std::max(std::llround(vcpus * static_cast<double>(period)),
                   static_cast<long long>(kSmallestQuotaUs)),
          period};
}

Result<CpuGroup> CpuGroup::create(const std::vector<CpuHierarchy>& places, const std::string& name,
                                  double vcpus) {
  return create(places, name, vcpus, make_directory);
}

Result<CpuGroup> CpuGroup::create(const std::vector<CpuHierarchy>& places, const std::string& name,
                                  double vcpus, const Make& make) {
  Status last = fail(ErrorKind::kTarget, "no cgroup hierarchy with the cpu controller is mounted");
  for (const CpuHierarchy& place : places) {
    if (place.version == CgroupVersion::kV2 &&
        !has_word(place.parent / "cgroup.subtree_control", "cpu")) {
      last = write_control(place.parent / "cgroup.subtree_control", "+cpu");
      if (!last) continue;
    }
    CpuGroup group(place.version);
    last = group.add_directory(place.parent / name, make);
    if (last && place.accounting != place.parent)
      last = group.add_directory(place.accounting / name, make);
    if (last) last = group.set_quota(vcpus);
    if (last) return group;
  }
  return fail(std::move(last.error()));
}

Status CpuGroup::add_directory(const fs::path& path, const Make& make) {
  for (int attempt = 0; attempt < kLockAttempts; ++attempt) {
    const int error = make(path);
    const bool is_ours = error == 0 || (error == EEXIST && attempt > 0);
    if (!is_ours) {
      return fail(ErrorKind::kTarget, "cannot make the cgroup {}: {}", path.string(),
                  errno_text(error));
    }
    directories_.push_back(path);
    // Before it is locked, somebody who clears up may look at it, or even remove it.
    UniqueFd lock = lock_directory(path);
    if (lock.valid()) {
      locks_.push_back(std::move(lock));
      return {};
    }
    directories_.pop_back();
  }
  return fail(ErrorKind::kTarget, "cannot lock the cgroup {}", path.string());
}

CpuGroup::~CpuGroup() { (void)remove(); }

Status CpuGroup::set_quota(double vcpus) {
  const CpuQuota quota = cpu_quota(vcpus);
  const fs::path& directory = directories_.front();
  if (version_ == CgroupVersion::kV2) {
    return write_control(directory / "cpu.max",
                         fmt::format("{} {}", quota.quota_us, quota.period_us));
  }
  if (auto period =
          write_control(directory / "cpu.cfs_period_us", fmt::format("{}", quota.period_us));
      !period)
    return period;
  return write_control(directory / "cpu.cfs_quota_us", fmt::format("{}", quota.quota_us));
}

std::optional<CpuUse> CpuGroup::use() const {
  const auto stat = read_file(directories_.front() / "cpu.stat");
  if (!stat) return std::nullopt;
  auto use = parse_cpu_stat(*stat, version_);
  if (!use || version_ == CgroupVersion::kV2) return use;
  const auto usage = read_file(directories_.back() / "cpuacct.usage");
  const auto nanoseconds =
      usage ? stat_value(fmt::format("usage {}", trim(*usage)), "usage") : std::nullopt;
  if (!nanoseconds) return std::nullopt;
  use->seconds = *nanoseconds / kNano;
  return use;
}

std::vector<fs::path> CpuGroup::procs_files() const {
  std::vector<fs::path> files;
  for (const fs::path& directory : directories_) files.push_back(directory / "cgroup.procs");
  return files;
}

Status CpuGroup::remove() {
  while (!directories_.empty()) {
    if (!remove_directory(directories_.back())) {
      return fail(ErrorKind::kTeardown, "cannot remove the cgroup {}: {}",
                  directories_.back().string(), errno_text(errno));
    }
    directories_.pop_back();
    locks_.pop_back();
  }
  return {};
}

std::vector<AbandonedGroup> find_abandoned_groups(const std::vector<CpuHierarchy>& places) {
  std::vector<fs::path> parents;
  for (const CpuHierarchy& place : places) {
    for (const fs::path& parent : {place.parent, place.accounting}) {
      if (std::ranges::find(parents, parent) == parents.end()) parents.push_back(parent);
    }
  }
  std::vector<AbandonedGroup> found;
  for (const fs::path& parent : parents) {
    std::error_code error;
    fs::directory_iterator entry(parent, fs::directory_options::skip_permission_denied, error);
    for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
      const fs::path& path = entry->path();
      if (path.filename().string().starts_with(kNodePrefix) && lock_directory(path).valid())
        found.push_back({path, processes_in(path)});
    }
  }
  return found;
}

bool remove_abandoned_group(const AbandonedGroup& group) {
  const UniqueFd lock = lock_directory(group.directory);
  if (!lock.valid()) return false;
  for (const pid_t pid : processes_in(group.directory)) ::kill(pid, SIGKILL);
  return remove_directory(group.directory);
}

}  // namespace headroom::target
