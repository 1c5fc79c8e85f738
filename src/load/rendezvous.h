// Where fleets that run side by side wait for one another.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "base/clock.h"

namespace headroom::load {

// Thread-safe. May be used any number of times, one after the other.
class Rendezvous {
 public:
  explicit Rendezvous(std::size_t parties) : parties_(parties) {}

  // Waits until every party that has not left has come; the latest of the times they brought.
  [[nodiscard]] Nanos meet(Nanos time) {
    std::unique_lock lock(mutex_);
    latest_ = std::max(latest_, time);
    ++waiting_;
    const std::uint64_t turn = turn_;
    let_go_if_complete();
    changed_.wait(lock, [&] { return turn_ != turn; });
    return agreed_;
  }
  // This party will not come any more.
  void leave() {
    const std::lock_guard lock(mutex_);
    --parties_;
    let_go_if_complete();
  }

 private:
  void let_go_if_complete() {
    if (waiting_ == 0 || waiting_ < parties_) return;
    agreed_ = latest_;
    latest_ = Nanos{0};
    waiting_ = 0;
    ++turn_;
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  std::size_t parties_;
  std::size_t waiting_ = 0;
  std::uint64_t turn_ = 0;
  Nanos latest_{0};  // of those that wait
  Nanos agreed_{0};  // of the last turn
};

}  // namespace headroom::load
