// What an interrupt reaches while something long goes on: it is told once, and tells whatever is
// going on at that moment how to end.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <utility>

namespace headroom::lab {

// Thread-safe.
class StopSwitch {
 public:
  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    if (end_) end_();
  }
  [[nodiscard]] bool stopped() const { return stopped_; }

  // While it lives, stop() calls `end` (once already if it was called before). One at a time.
  class Scope {
   public:
    Scope(StopSwitch& owner, std::function<void()> end) : switch_(owner) {
      const std::lock_guard lock(switch_.mutex_);
      switch_.end_ = std::move(end);
      if (switch_.stopped_) switch_.end_();
    }
    ~Scope() {
      const std::lock_guard lock(switch_.mutex_);
      switch_.end_ = nullptr;
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    StopSwitch& switch_;
  };

 private:
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  std::function<void()> end_;  // guarded by mutex_
};

}  // namespace headroom::lab
