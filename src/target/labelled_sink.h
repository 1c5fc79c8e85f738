// A sink for one of several engines, so that what they leave can be told apart.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>

#include "record/forwarding_sink.h"

namespace headroom::target {

// Puts the engine's label before the text of events, warnings and receipts, and "node.N." before
// the names of facts of every engine but the first, whose facts stand for the target. Without a
// label nothing is changed. Thread-safe, as every Sink; `inner` outlives it.
class LabelledSink final : public record::ForwardingSink {
 public:
  // `number` from 1.
  LabelledSink(record::Sink& inner, std::string label, std::size_t number)
      : ForwardingSink(inner), label_(std::move(label)), number_(number) {}

  void event(record::Event event) override {
    event.text = labelled(std::move(event.text));
    ForwardingSink::event(std::move(event));
  }
  void warning(record::Warning warning) override {
    warning.text = labelled(std::move(warning.text));
    ForwardingSink::warning(std::move(warning));
  }
  void fact(std::string key, std::string value) override {
    ForwardingSink::fact(number_ > 1 ? fmt::format("node.{}.{}", number_, key) : std::move(key),
                         std::move(value));
  }
  void receipt(record::Receipt receipt) override {
    receipt.evidence = labelled(std::move(receipt.evidence));
    ForwardingSink::receipt(std::move(receipt));
  }

 private:
  [[nodiscard]] std::string labelled(std::string text) const {
    return label_.empty() ? std::move(text) : fmt::format("{}: {}", label_, text);
  }

  const std::string label_;
  const std::size_t number_;
};

}  // namespace headroom::target
