#include "target/confinement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <utility>

namespace headroom::target {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> texts(const std::vector<fs::path>& paths) {
  std::vector<std::string> result;
  for (const fs::path& path : paths) result.push_back(path.string());
  return result;
}

}  // namespace

Confinement::Confinement(std::optional<scenario::CpuEnvelope> envelope, const Clock& clock,
                         Nanos origin, record::Sink& sink)
    : envelope_(envelope), clock_(clock), origin_(origin), sink_(sink) {}

void Confinement::prepare(const std::string& name, const std::vector<CpuHierarchy>& places) {
  if (!envelope_) return;
  auto group = CpuGroup::create(places, name, envelope_->vcpus);
  if (!group) return give_up(group.error().message);
  group_.emplace(std::move(*group));
  made_ = group_->directories();
  sink_.fact("node.cpu",
             fmt::format("held to {} by cgroup version {}", scenario::envelope_text(*envelope_),
                         static_cast<int>(group_->version())));
  sink_.fact("node.enforcement", "cgroup");
  sink_.fact("node.cgroup", fmt::format("{}", fmt::join(texts(made_), ", ")));
  const auto cpus = static_cast<double>(::sysconf(_SC_NPROCESSORS_ONLN));
  if (envelope_->vcpus > cpus) {
    sink_.warning({record::WarningKind::kShapeNotHeld,
                   fmt::format("the node is to have {} vCPUs, and this machine has {} for engine "
                               "and generator together",
                               envelope_->vcpus, cpus)});
  }
}

std::vector<fs::path> Confinement::procs_files() const {
  return group_ ? group_->procs_files() : std::vector<fs::path>();
}

void Confinement::give_up(const std::string& reason) {
  group_.reset();
  sink_.fact("node.cpu", fmt::format("not enforced: {}", reason));
  sink_.fact("node.enforcement", "none");
  sink_.warning({record::WarningKind::kShapeNotHeld,
                 fmt::format("the engine is not held to {}: {}",
                             scenario::envelope_text(*envelope_), reason)});
}

void Confinement::begin() {
  if (group_ && !governor_)
    governor_ = std::make_unique<CpuGovernor>(*group_, *envelope_, clock_, origin_, sink_);
}

std::vector<record::Sample> Confinement::sample() {
  return governor_ ? governor_->sample() : std::vector<record::Sample>();
}

Status Confinement::end() {
  governor_.reset();
  if (!group_) return {};
  if (auto removed = group_->remove(); !removed) return removed;
  group_.reset();
  return {};
}

bool Confinement::prove_removed() {
  std::vector<fs::path> left;
  for (const fs::path& directory : made_) {
    std::error_code error;
    if (fs::exists(directory, error) || error) left.push_back(directory);
  }
  if (made_.empty()) return true;
  sink_.receipt({clock_.now() - origin_, "cgroup removed",
                 fmt::format("{}: {}", fmt::join(texts(left.empty() ? made_ : left), ", "),
                             left.empty() ? "no such cgroup" : "still there"),
                 left.empty()});
  return left.empty();
}

}  // namespace headroom::target
