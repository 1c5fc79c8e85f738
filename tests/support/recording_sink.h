// A sink that keeps everything, for tests to look at and to wait on.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "record/sink.h"

namespace headroom {

// Thread-safe, as every Sink.
class RecordingSink final : public record::Sink {
 public:
  struct Content {
    std::vector<record::WorkerInterval> intervals;
    std::vector<record::SampleBatch> batches;
    std::vector<record::Member> members;
    std::vector<record::Event> events;
    std::vector<record::Warning> warnings;
    std::map<std::string, std::string> facts;
    std::vector<record::Receipt> receipts;

    [[nodiscard]] std::size_t count(record::EventKind kind) const {
      std::size_t result = 0;
      for (const auto& event : events) result += event.kind == kind ? 1 : 0;
      return result;
    }
    [[nodiscard]] std::size_t count(record::WarningKind kind) const {
      std::size_t result = 0;
      for (const auto& warning : warnings) result += warning.kind == kind ? 1 : 0;
      return result;
    }
    // Every value of one metric, label and node, in order.
    [[nodiscard]] std::vector<double> values(std::string_view metric, std::string_view label = "",
                                             std::string_view node = "") const {
      std::vector<double> result;
      for (const auto& batch : batches) {
        if (batch.node != node) continue;
        for (const auto& sample : batch.samples) {
          if (sample.metric == record::metric(metric) && sample.label == label) {
            result.push_back(sample.value);
          }
        }
      }
      return result;
    }
  };

  void interval(record::WorkerInterval interval) override {
    change([&] { content_.intervals.push_back(std::move(interval)); });
  }
  void samples(record::SampleBatch batch) override {
    change([&] { content_.batches.push_back(std::move(batch)); });
  }
  void member(record::Member member) override {
    change([&] { content_.members.push_back(std::move(member)); });
  }
  void event(record::Event event) override {
    change([&] { content_.events.push_back(std::move(event)); });
  }
  void warning(record::Warning warning) override {
    change([&] { content_.warnings.push_back(std::move(warning)); });
  }
  void fact(std::string key, std::string value) override {
    change([&] { content_.facts[std::move(key)] = std::move(value); });
  }
  void receipt(record::Receipt receipt) override {
    change([&] { content_.receipts.push_back(std::move(receipt)); });
  }

  // Forgets everything: for the next of several runs.
  void clear() {
    change([&] { content_ = {}; });
  }
  [[nodiscard]] Content content() const {
    const std::lock_guard lock(mutex_);
    return content_;
  }
  // Waits until `condition` holds; false if `timeout` passes first.
  [[nodiscard]] bool wait_until(const std::function<bool(const Content&)>& condition,
                                Nanos timeout) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, timeout, [&] { return condition(content_); });
  }

 private:
  template <class Change>
  void change(Change&& change) {
    {
      const std::lock_guard lock(mutex_);
      change();
    }
    changed_.notify_all();
  }

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  Content content_;
};

}  // namespace headroom
