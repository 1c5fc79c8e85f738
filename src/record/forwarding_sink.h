// A sink that hands everything on: the base of those that change some of it on the way.
#pragma once

#include <string>
#include <utility>

#include "record/sink.h"

namespace headroom::record {

// Thread-safe, as every Sink. `inner` outlives it.
class ForwardingSink : public Sink {
 public:
  explicit ForwardingSink(Sink& inner) : inner_(inner) {}

  void interval(WorkerInterval interval) override { inner_.interval(std::move(interval)); }
  void samples(SampleBatch batch) override { inner_.samples(std::move(batch)); }
  void member(Member member) override { inner_.member(std::move(member)); }
  void event(Event event) override { inner_.event(std::move(event)); }
  void warning(Warning warning) override { inner_.warning(std::move(warning)); }
  void fact(std::string key, std::string value) override {
    inner_.fact(std::move(key), std::move(value));
  }
  void receipt(Receipt receipt) override { inner_.receipt(std::move(receipt)); }

 private:
  Sink& inner_;
};

}  // namespace headroom::record
