// What a request costs in user space: drawn, encoded, its reply parsed, classified and recorded,
// with no system call. One iteration is one pipelined batch; "per_op" is the time of one request.
// With "slowest", the slowest requests are kept as well.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "load/in_flight.h"
#include "load/recorder.h"
#include "load/workload.h"
#include "resp/parser.h"

namespace headroom::load {
namespace {

class NoSink final : public record::Sink {
 public:
  void interval(record::WorkerInterval interval) override { benchmark::DoNotOptimize(interval); }
  void samples(record::SampleBatch) override {}
  void member(record::Member) override {}
  void event(record::Event) override {}
  void warning(record::Warning) override {}
  void fact(std::string, std::string) override {}
  void receipt(record::Receipt) override {}
};

scenario::Workload workload(std::uint64_t value_bytes) {
  scenario::Workload result;
  result.value_size = value_bytes;
  result.set_weight = 1;
  result.get_weight = 10;
  return result;
}

// What a server answers to a batch of requests that all hit.
std::string replies_to(const std::vector<Request>& requests, std::uint64_t value_bytes) {
  std::string replies;
  for (const Request& request : requests) {
    replies += request.operation == 0 ? "+OK\r\n"
                                      : "$" + std::to_string(value_bytes) + "\r\n" +
                                            std::string(value_bytes, 'x') + "\r\n";
  }
  return replies;
}

void hot_path(benchmark::State& state) {
  const auto depth = static_cast<std::uint32_t>(state.range(0));
  const auto value_bytes = static_cast<std::uint64_t>(state.range(1));
  const bool slowest = state.range(2) != 0;
  constexpr std::uint64_t kSeed = 1;
  constexpr std::uint64_t kKeys = 1'000'000;

  NoSink sink;
  const WorkloadPlan plan(workload(value_bytes), kSeed);
  Generator generator(plan, kSeed, {.owner = 0, .space = kKeys, .begin = 0, .count = kKeys});
  Recorder recorder(0, plan.operations().size(), Nanos{0}, sink,
                    RequestWatch({.slowest = slowest}, plan.operations().size(), Random(kSeed)));
  recorder.plan({{record::Phase::kMeasure, Nanos{0}}}, Nanos{0});
  ConnectionStreams streams(kSeed, 0, 0);
  std::vector<InFlight> slots(depth);
  std::vector<Request> kept(slowest ? depth : 0);
  InFlightQueue queue(slots.data(), depth);
  resp::ReplyParser parser;
  Batch batch;

  // The replies must match the requests, so the same ones are replayed from a copy of the streams.
  std::vector<Request> requests;
  ConnectionStreams rehearsal = streams;
  for (std::uint32_t i = 0; i < depth; ++i) requests.push_back(generator.draw(rehearsal));
  const std::string replies = replies_to(requests, value_bytes);
  const ConnectionStreams start = streams;

  Nanos now{1};
  Random jitter(kSeed);
  for (auto _ : state) {
    streams = start;
    batch.clear();
    for (std::uint32_t i = 0; i < depth; ++i) {
      const Request request = generator.draw(streams);
      queue.push(request.operation, batch.size());
      if (slowest) kept[queue.newest_slot()] = request;
      generator.encode(request, streams, batch);
    }
    benchmark::DoNotOptimize(batch.bytes().data());
    benchmark::ClobberMemory();
    queue.wrote(batch.size(), now,
                [&](std::uint8_t operation, Nanos) { recorder.sent(operation); });

    now += Nanos{80'000} + Nanos{static_cast<std::int64_t>(jitter() & 0x3fffU)};
    while (recorder.due(now)) recorder.cut({});
    const char* at = replies.data();
    const char* const end = at + replies.size();
    resp::Reply reply;
    while (parser.next(at, end, reply) == resp::ParseResult::kReply) {
      const std::uint8_t operation = queue.oldest_operation();
      const record::Outcome outcome = generator.classify(operation, reply);
      const Nanos latency = now - queue.oldest_sent();
      recorder.replied(operation, outcome, latency);
      if (recorder.watch().wants(latency)) [[unlikely]] {
        const Request& request = kept[queue.oldest_slot()];
        const EndedRequest ended{.operation = operation,
                                 .outcome = outcome,
                                 .hot = generator.hot(request),
                                 .value_bytes = generator.written_bytes(request),
                                 .service = latency};
        if (recorder.watch().ended(ended)) {
          recorder.watch().remember({.sent = queue.oldest_sent(),
                                     .operation = operation,
                                     .outcome = outcome,
                                     .key = generator.key_of(request),
                                     .value_bytes = ended.value_bytes,
                                     .service = latency});
        }
      }
      queue.pop();
    }
  }
  state.counters["per_op"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * depth,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(hot_path)
    ->ArgNames({"pipeline", "value", "slowest"})
    ->ArgsProduct({{1, 16, 64}, {100, 1024}, {0, 1}});

}  // namespace
}  // namespace headroom::load
