// Where the workers' threads and the fleet's owner meet: commands out, progress back.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace headroom::load {

// Thread-safe.
class Board {
 public:
  enum class Status : std::uint8_t {
    kIdle,     // waits for a command
    kRunning,  // carries one out
    kDone,     // carries one out that has nothing left to do but wait for its release
  };
  using Command = std::function<void()>;

  explicit Board(std::size_t workers) : seats_(workers) {}

  // The owner's side. post() gives an idle worker its next command.
  void post(std::size_t worker, Command command) {
    {
      const std::lock_guard lock(mutex_);
      seats_[worker] = {Status::kRunning, std::move(command)};
    }
    changed_.notify_all();
  }
  // No more commands: serve() returns in every worker when it is idle.
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    changed_.notify_all();
  }
  // Waits until no worker is kRunning, at most `timeout`; true if so.
  [[nodiscard]] bool wait_for_all(std::chrono::milliseconds timeout) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, timeout, [this] { return none_is(Status::kRunning); });
  }
  void wait_for_all_idle() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return none_is(Status::kRunning) && none_is(Status::kDone); });
  }

  // A worker's side: carries out commands until close().
  void serve(std::size_t worker) {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return closed_ || seats_[worker].command; });
      if (!seats_[worker].command) return;
      const Command command = std::exchange(seats_[worker].command, nullptr);
      lock.unlock();
      command();
      lock.lock();
      seats_[worker].status = Status::kIdle;
      changed_.notify_all();
    }
  }
  void done(std::size_t worker) {
    {
      const std::lock_guard lock(mutex_);
      seats_[worker].status = Status::kDone;
    }
    changed_.notify_all();
  }

 private:
  struct Seat {
    Status status = Status::kIdle;
    Command command;
  };
  [[nodiscard]] bool none_is(Status status) const {
    for (const Seat& seat : seats_) {
      if (seat.status == status) return false;
    }
    return true;
  }

  std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::vector<Seat> seats_;
  bool closed_ = false;
};

}  // namespace headroom::load
