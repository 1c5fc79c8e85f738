#include "load/workload.h"

#include <algorithm>

#include "base/check.h"
#include "record/request.h"

namespace headroom::load {
namespace {

std::uint64_t largest_value(const std::vector<scenario::Operation>& operations) {
  std::uint64_t largest = 0;
  for (const scenario::Operation& operation : operations)
    largest = std::max(largest, scenario::largest_bytes(operation.value_size));
  return largest;
}

std::size_t count_values(const scenario::CommandLine& line) {
  using Kind = scenario::WordPart::Kind;
  std::ptrdiff_t values = 0;
  for (const scenario::CommandWords& command : line.commands) {
    for (const scenario::Word& word : command)
      values += std::ranges::count(word, Kind::kData, &scenario::WordPart::kind);
  }
  return static_cast<std::size_t>(values);
}

bool sizes_differ_by_class(const std::vector<scenario::Operation>& operations) {
  std::uint64_t smallest = ~std::uint64_t{0};
  for (const scenario::Operation& operation : operations)
    smallest = std::min(smallest, scenario::smallest_bytes(operation.value_size));
  return record::size_class(smallest) != record::size_class(largest_value(operations));
}

bool is_popular(const scenario::KeyDistribution& keys) {
  return !std::holds_alternative<scenario::UniformKeys>(keys) &&
         !std::holds_alternative<scenario::SequentialKeys>(keys);
}

}  // namespace

WorkloadPlan::WorkloadPlan(const scenario::Workload& workload, std::uint64_t seed,
                           const std::optional<TraceSummary>& trace)
    : operations_(trace ? operations_of(*trace) : scenario::operations_of(workload)),
      keys_move_every_(workload.keys_move_every),
      verifies_(workload.verify),
      replays_(trace.has_value()),
      values_(workload.value_content, largest_value(operations_),
              make_stream(seed, kNone, kNone, Purpose::kValue)) {
  check(std::ranges::any_of(operations_, [](const auto& o) { return o.weight > 0; }),
        "a workload has an operation with a weight");
  for (const scenario::Operation& operation : operations_) {
    auto around = load::around_key(operation.line, ValueSizes(operation.value_size, 0), values_);
    // A value that is stamped is another each time.
    if (verifies_ && count_values(operation.line) > 0) around.reset();
    if (operation.fills) fill_operation_ = static_cast<std::uint8_t>(around_keys_.size());
    around_keys_.push_back(std::move(around));
  }
  has_popular_keys_ = std::ranges::any_of(operations_, &is_popular, &scenario::Operation::keys);
  has_size_classes_ = sizes_differ_by_class(operations_);
}

Generator::Generator(const WorkloadPlan& plan, std::uint64_t seed, const KeyShare& share)
    : plan_(plan), seed_(seed), share_(share) {
  const auto seed_of = [&](Purpose purpose) {
    return derive_seed(seed, {share.owner, kNone, static_cast<std::uint64_t>(purpose)});
  };
  const std::string prefix = key_prefix(seed, share.owner);
  const auto& operations = plan.operations();
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const scenario::Operation& operation = operations[i];
    total_weight_ += operation.weight;
    Command command{
        .plain = std::nullopt,
        .ends_at = total_weight_,
        .keys = KeySampler(operation.keys, share, seed_of(Purpose::kPopularity)),
        .sizes = std::make_unique<ValueSizes>(operation.value_size, seed_of(Purpose::kSizes)),
        .program = nullptr,
        .key_count = std::max<std::size_t>(operation.line.keys, 1),
        .writes_value = operation.line.keys == 1 && count_values(operation.line) == 1};
    const std::optional<AroundKey>& around = plan.around_key(i);
    if (around && CommandTemplate::fits(around->before, prefix)) {
      command.plain.emplace(around->before, prefix, around->after);
    } else {
      command.program = std::make_unique<CommandProgram>(
          operation.line, prefix, *command.sizes, plan.values(),
          plan.verifies() ? std::optional(share.owner) : std::nullopt);
    }
    commands_.push_back(std::move(command));
    // A recorded SET may have had conditions.
    const bool any_set = plan.replays() && operation.name == "SET";
    rules_.push_back(any_set ? ReplyRule{} : reply_rule(operation.line));
  }
  // SET and GET: all values have the same sizes.
  if (plan.verifies())
    verifier_ = std::make_unique<Verifier>(share, *commands_.front().sizes, plan.values());
  if (plan.keys_move_every()) move_at_ = *plan.keys_move_every();
}

void Generator::encode_program(const Request& request, ConnectionStreams& streams, Batch& batch) {
  Command& command = commands_[request.operation];
  std::array<std::uint64_t, scenario::CommandLine::kMostKeys> keys;
  keys[0] = request.key;
  for (std::size_t i = 1; i < command.key_count; ++i) keys[i] = command.keys.draw(streams.keys);
  command.program->encode({{keys.data(), command.key_count}, streams.numbers, request.version},
                          batch);
}

std::optional<std::uint64_t> Generator::written_bytes(const Request& request) const {
  const Command& command = commands_[request.operation];
  if (!command.writes_value) return std::nullopt;
  return command.sizes->of(request.key);
}

std::optional<bool> Generator::hot(const Request& request) const {
  if (!commands_[request.operation].keys.hot_keys()) return std::nullopt;
  return request.hot;
}

void Generator::begin(Request& request) {
  const bool reads = rules_[request.operation].meaning == ReplyMeaning::kValue;
  request.version =
      reads ? verifier_->begin_read(request.key) : verifier_->begin_write(request.key);
}

ReplyFault Generator::end(const Request& request, record::Outcome outcome, std::string_view value) {
  if (outcome == record::Outcome::kHit)
    return verifier_->judge(request.key, request.version, value);
  if (rules_[request.operation].meaning == ReplyMeaning::kValue) return ReplyFault::kSound;
  if (record::is_completed(outcome)) {
    verifier_->written(request.key, request.version);
  } else {
    verifier_->refused(request.key);
  }
  return ReplyFault::kSound;
}

void Generator::move_keys(Nanos since) {
  const Nanos every = *plan_.keys_move_every();
  const auto epoch = since / every;
  for (Command& command : commands_) command.keys.move_to(static_cast<std::uint64_t>(epoch));
  move_at_ = every * (epoch + 1);
}

}  // namespace headroom::load
