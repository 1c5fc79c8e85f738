// SIGINT, SIGTERM and SIGHUP (the terminal was closed), as a run understands them: the first asks
// it to come to an orderly end, the second leaves at once and says what remains. SIGQUIT keeps its
// default, and under nohup, which has a SIGHUP ignored, it stays ignored.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace headroom::lab {

// Blocks these signals in the calling thread and in all threads it starts afterwards. To be
// called before the first thread of the process, or they would end it before an Interrupts hears of
// them.
void block_interrupts();

// Listens on a thread of its own while it lives. At most one at a time; needs block_interrupts().
class Interrupts {
 public:
  // `on_first` is called on the listening thread, once, with the signal's name, after the user was
  // told what now happens in the words of `answer`.
  Interrupts(std::function<void(const std::string&)> on_first, std::string answer);
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  // What a second signal leaves behind, for the last words to the user; one line. Any thread.
  void set_remains(std::string text);
  [[nodiscard]] bool interrupted() const { return interrupted_.load(); }

 private:
  void listen();

  const std::function<void(const std::string&)> on_first_;
  const std::string answer_;
  std::atomic<bool> interrupted_{false};
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::string remains_;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace headroom::lab
