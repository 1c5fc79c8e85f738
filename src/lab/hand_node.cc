#include "lab/hand_node.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include "base/clock.h"
#include "lab/interrupts.h"
#include "record/sink.h"

namespace headroom::lab {
namespace {

constexpr Nanos kGrace = std::chrono::seconds{2};
constexpr Nanos kLookPeriod = std::chrono::milliseconds{200};

// Keeps the facts and passes on what the user should know.
class TellingSink final : public record::Sink {
 public:
  explicit TellingSink(const HandNodeTold& told) : told_(told) {}
  void interval(record::WorkerInterval) override {}
  void samples(record::SampleBatch) override {}
  void member(record::Member) override {}
  void event(record::Event event) override { told_.warned(event.text); }
  void warning(record::Warning warning) override { told_.warned(warning.text); }
  void fact(std::string key, std::string value) override {
    const std::lock_guard lock(mutex_);
    facts_[std::move(key)] = std::move(value);
  }
  void receipt(record::Receipt receipt) override { told_.receipt(receipt); }

  [[nodiscard]] std::map<std::string, std::string> facts() const {
    const std::lock_guard lock(mutex_);
    return facts_;
  }

 private:
  const HandNodeTold& told_;
  mutable std::mutex mutex_;
  std::map<std::string, std::string> facts_;  // guarded by mutex_
};

// Until it is told to end (OK), or the engine ended (kTarget).
class Vigil {
 public:
  void end() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    wanted_.notify_all();
  }
  [[nodiscard]] Status keep(target::Target& target) {
    std::unique_lock lock(mutex_);
    while (!wanted_.wait_for(lock, kLookPeriod, [this] { return ended_; })) {
      if (const auto how = target.ended())
        return fail(ErrorKind::kTarget, "the engine ended: {}", *how);
    }
    return {};
  }

 private:
  std::mutex mutex_;
  std::condition_variable wanted_;
  bool ended_ = false;  // guarded by mutex_
};

}  // namespace

Status hold_node(const scenario::Target& scenario, const HandNodeTold& told) {
  if (auto fit = target::preflight(scenario); !fit) return fit;
  const Clock& clock = real_clock();
  TellingSink sink(told);
  Vigil vigil;
  const auto target = target::make_target(scenario, clock, clock.now(), sink);
  Interrupts interrupts(
      [&](const std::string&) {
        target->give_up();
        vigil.end();
      },
      "taking the node down; once more leaves at once");
  interrupts.set_remains("what is left of the node is shown by headroom node ls.");

  Status status;
  auto described = target->provision(clock.now() + target::start_limit(scenario));
  if (!described) {
    status = fail(std::move(described.error()));
  } else {
    told.ready(*described, sink.facts());
    status = vigil.keep(*target);
  }
  const Status down = target->teardown(kGrace);
  const Status gone = target->verify();
  if (!gone) return gone;
  return down ? status : down;
}

}  // namespace headroom::lab
