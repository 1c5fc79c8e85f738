#include "target/cpu_governor.h"

#include <fmt/format.h>

#include <utility>

namespace headroom::target {

CpuGovernor::CpuGovernor(CpuGroup& group, const scenario::CpuEnvelope& envelope, const Clock& clock,
                         Nanos origin, record::Sink& sink)
    : envelope_(envelope),
      clock_(clock),
      origin_(origin),
      sink_(sink),
      group_(group),
      vcpus_(envelope.vcpus),
      last_(clock.now()) {
  if (const auto use = group_.use()) last_cpu_s_ = use->seconds;
  if (!envelope.credits) return;
  bucket_.emplace(envelope);
  if (bucket_->exhausted()) change_quota(bucket_->vcpus());
  thread_ = std::thread([this] { run(); });
}

CpuGovernor::~CpuGovernor() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wanted_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void CpuGovernor::run() {
  std::unique_lock lock(mutex_);
  while (!wanted_.wait_for(lock, kTurn, [this] { return stop_; })) (void)keep_account();
}

std::optional<CpuUse> CpuGovernor::keep_account() {
  const auto use = group_.use();
  if (!use || !bucket_) return use;
  const Nanos now = clock_.now();
  const auto elapsed = std::chrono::duration<double>(now - last_).count();
  bucket_->advance(elapsed, use->seconds - last_cpu_s_);
  last_ = now;
  last_cpu_s_ = use->seconds;
  if (bucket_->vcpus() != vcpus_) change_quota(bucket_->vcpus());
  return use;
}

void CpuGovernor::change_quota(double vcpus) {
  if (refused_) return;
  if (auto changed = group_.set_quota(vcpus); !changed) {
    refused_ = true;
    sink_.warning({record::WarningKind::kShapeNotHeld,
                   fmt::format("the CPU quota stayed at {} vCPUs when it was to be {}: {}", vcpus_,
                               vcpus, changed.error().message)});
    return;
  }
  sink_.event(
      {clock_.now() - origin_, record::EventKind::kNote,
       vcpus < vcpus_
           ? fmt::format("CPU credits are gone: the node falls from {} to {} vCPUs", vcpus_, vcpus)
           : fmt::format("CPU credits are back: the node may use {} vCPUs again", vcpus)});
  vcpus_ = vcpus;
}

std::vector<record::Sample> CpuGovernor::sample() {
  const std::lock_guard lock(mutex_);
  const auto use = keep_account();
  std::vector<record::Sample> samples;
  const auto add = [&](std::string_view metric, std::optional<double> value) {
    if (value) samples.push_back({record::metric(metric), {}, *value});
  };
  add("node_cpu_quota_ratio", vcpus_);
  if (use) {
    add("node_cpu_seconds", use->seconds);
    add("node_throttled_seconds", use->throttled_seconds);
    add("node_cpu_periods", use->periods);
    add("node_throttled_periods", use->throttled_periods);
  }
  if (bucket_) {
    add("CPUCreditBalance", bucket_->balance());
    add("CPUCreditUsage", bucket_->spent());
  }
  return samples;
}

}  // namespace headroom::target
