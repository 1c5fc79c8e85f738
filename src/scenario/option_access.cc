#include "scenario/option_access.h"

#include <utility>

#include "base/check.h"

namespace headroom::scenario {
namespace {

Value bare(Scalar scalar_value) { return Call{"", {{std::move(scalar_value)}}}; }

}  // namespace

std::optional<Value> to_value(const KeyDistribution& distribution) {
  const Overloaded call{
      [](const UniformKeys&) { return Call{"uniform", {}}; },
      [](const SequentialKeys&) { return Call{"sequential", {}}; },
      [](const GaussianKeys& keys) {
        return Call{"gaussian", {{keys.centre_percent}, {keys.spread_percent}}};
      },
      [](const ZipfKeys& keys) { return Call{"zipf", {{keys.exponent}}}; },
      [](const HotspotKeys& keys) {
        return Call{"hotspot", {{keys.requests_percent}, {keys.keys_percent}}};
      },
  };
  return Value(std::visit(call, distribution));
}

void from_value(KeyDistribution& distribution, const Value& value) {
  const auto& call = std::get<Call>(value);
  if (call.form == "uniform") {
    distribution = UniformKeys{};
  } else if (call.form == "sequential") {
    distribution = SequentialKeys{};
  } else if (call.form == "gaussian") {
    distribution = GaussianKeys{scalar<double>(call, 0), scalar<double>(call, 1)};
  } else if (call.form == "zipf") {
    distribution = ZipfKeys{scalar<double>(call, 0)};
  } else {
    check(call.form == "hotspot", "every key distribution is known");
    distribution = HotspotKeys{scalar<double>(call, 0), scalar<double>(call, 1)};
  }
}

std::optional<Value> to_value(const ValueSize& size) {
  const Overloaded value{
      [](std::uint64_t bytes) { return bare(bytes); },
      [](const SizeRange& range) {
        return Value(Call{"range", {{range.lowest_bytes}, {range.highest_bytes}}});
      },
      [](const SizeList& list) {
        Call call{"list", {}};
        for (const WeightedSize& entry : list)
          call.arguments.push_back({entry.bytes, entry.weight});
        return Value(std::move(call));
      },
  };
  return std::visit(value, size);
}

void from_value(ValueSize& size, const Value& value) {
  const auto& call = std::get<Call>(value);
  if (call.form.empty()) {
    size = scalar<std::uint64_t>(call, 0);
  } else if (call.form == "range") {
    size = SizeRange{scalar<std::uint64_t>(call, 0), scalar<std::uint64_t>(call, 1)};
  } else {
    check(call.form == "list", "every form of a value size is known");
    SizeList list;
    for (std::size_t i = 0; i < call.arguments.size(); ++i)
      list.push_back({scalar<std::uint64_t>(call, i, 0), scalar<std::uint64_t>(call, i, 1)});
    size = std::move(list);
  }
}

std::optional<Value> to_value(const ValueContent& content) {
  if (content.compressible_percent == 0) return Value(Call{"random", {}});
  return Value(Call{"compressible", {{content.compressible_percent}}});
}

void from_value(ValueContent& content, const Value& value) {
  const auto& call = std::get<Call>(value);
  content.compressible_percent = call.form == "random" ? 0 : scalar<double>(call, 0);
}

std::optional<Value> to_value(const Ttl& ttl) {
  const Overloaded value{
      [](Nanos fixed) { return bare(fixed); },
      [](const TtlRange& range) { return Value(Call{"range", {{range.lowest}, {range.highest}}}); },
      [](const TtlJitter& jitter) {
        return Value(Call{"jitter", {{jitter.middle}, {jitter.percent}}});
      },
  };
  return std::visit(value, ttl);
}

void from_value(Ttl& ttl, const Value& value) {
  const auto& call = std::get<Call>(value);
  if (call.form.empty()) {
    ttl = scalar<Nanos>(call, 0);
  } else if (call.form == "range") {
    ttl = TtlRange{scalar<Nanos>(call, 0), scalar<Nanos>(call, 1)};
  } else {
    check(call.form == "jitter", "every form of a TTL is known");
    ttl = TtlJitter{scalar<Nanos>(call, 0), scalar<double>(call, 1)};
  }
}

std::optional<Value> to_value(const BackendTime& time) {
  const Overloaded value{
      [](Nanos fixed) { return bare(fixed); },
      [](const DurationRange& range) {
        return Value(Call{"range", {{range.lowest}, {range.highest}}});
      },
      [](const ExponentialDuration& drawn) { return Value(Call{"exponential", {{drawn.mean}}}); },
  };
  return std::visit(value, time);
}

void from_value(BackendTime& time, const Value& value) {
  const auto& call = std::get<Call>(value);
  if (call.form.empty()) {
    time = scalar<Nanos>(call, 0);
  } else if (call.form == "range") {
    time = DurationRange{scalar<Nanos>(call, 0), scalar<Nanos>(call, 1)};
  } else {
    check(call.form == "exponential", "every form of a backend's time is known");
    time = ExponentialDuration{scalar<Nanos>(call, 0)};
  }
}

}  // namespace headroom::scenario
