#include "scenario/workload_options.h"

#include "base/units.h"
#include "scenario/option_access.h"

namespace headroom::scenario {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

constexpr std::uint32_t kHighestWeight = 1'000'000;

const BytesType kSize{1, 512 * kMiB};
const DurationType kLifetime{milliseconds{1}, hours{100 * 365 * 24}};

FormsType key_distribution_type() {
  const DecimalType of_keys{0, 100, true};
  const DecimalType some{0.001, 100, true};
  return {{
      {.name = "uniform", .meaning = "every key is equally likely"},
      {.name = "sequential", .meaning = "each worker runs through its share of the keys in order"},
      {.name = "gaussian",
       .parameters = {{"CENTRE%", {of_keys}}, {"SPREAD%", {some}}},
       .meaning = "normal about the key at CENTRE% of the key space, with the standard deviation "
                  "SPREAD% of it, cut off at its ends"},
      {.name = "zipf",
       .parameters = {{"EXPONENT", {DecimalType{0, 100}}}},
       .meaning = "the key of rank i is drawn in proportion to 1/i^EXPONENT; a permutation by the "
                  "seed says which key has which rank"},
      {.name = "hotspot",
       .parameters = {{"REQUESTS%", {of_keys}}, {"KEYS%", {some}}},
       .meaning = "REQUESTS% of the requests go to the first KEYS% of the keys, evenly, the others "
                  "to the rest"},
  }};
}

FormsType value_content_type() {
  return {{
      {.name = "random", .meaning = "bytes that do not compress"},
      {.name = "compressible",
       .parameters = {{"RATIO%", {DecimalType{0.1, 100, true}}}},
       .meaning = "RATIO% of every 64 bytes are one repeated byte, the rest is random"},
  }};
}

FormsType ttl_type() {
  return {{
      {.parameters = {{"DURATION", {kLifetime}}}, .meaning = "always the same"},
      {.name = "range",
       .parameters = {{"DURATION", {kLifetime}}, {"DURATION", {kLifetime}}},
       .meaning = "evenly between the two, drawn at each write"},
      {.name = "jitter",
       .parameters = {{"DURATION", {kLifetime}}, {"PERCENT%", {DecimalType{0.1, 100, true}}}},
       .meaning = "evenly between DURATION less and plus PERCENT%, drawn at each write"},
  }};
}

constexpr Access kRatioAccess = {[](const Scenario& s, std::size_t) -> std::optional<Value> {
                                   const Ratio ratio{s.workload.set_weight, s.workload.get_weight};
                                   return ratio == Ratio{} ? std::nullopt
                                                           : std::optional<Value>(ratio);
                                 },
                                 [](Scenario& s, std::size_t, const Value& value) {
                                   const auto ratio = std::get<Ratio>(value);
                                   s.workload.set_weight = ratio.set;
                                   s.workload.get_weight = ratio.get;
                                 }};

void add_values(std::vector<Option>& table) {
  table.push_back({.section = "workload",
                   .name = "value_size",
                   .type = value_size_type(),
                   .default_text = "1KiB",
                   .help = "Size of the values. A key's size follows from the seed and the key "
                           "alone, so that writing it again changes no memory. 512 MiB is the most "
                           "that the engine takes.",
                   .excluded_by = "workload.trace.file",
                   .access = at<&Scenario::workload, &Workload::value_size>()});
  table.push_back({.section = "workload",
                   .name = "value_content",
                   .type = value_content_type(),
                   .default_text = "random",
                   .help = "What values consist of.",
                   .access = at<&Scenario::workload, &Workload::value_content>()});
  table.push_back({.section = "workload",
                   .name = "ttl",
                   .type = ttl_type(),
                   .when_absent = "keys do not expire",
                   .help = "How long what SET writes lives (PX), prefill included; in whole "
                           "milliseconds. A command of [[workload.command]] says its own.",
                   .excluded_by = "workload.trace.file",
                   .access = at<&Scenario::workload, &Workload::ttl>()});
}

void add_verify(std::vector<Option>& table) {
  table.push_back({.section = "workload",
                   .name = "verify",
                   .type = BooleanType{},
                   .default_text = "false",
                   .help = "Whether every value that is read is compared with what was written: "
                           "wrong, truncated and stale ones end as \"corrupt\". Values have 16 "
                           "bytes at least. For SET and GET of ratio.",
                   .unless = "workload.command",
                   .excluded_by = "workload.trace.file",
                   .access = at<&Scenario::workload, &Workload::verify>()});
}

void add_keys(std::vector<Option>& table) {
  table.push_back({.section = "workload",
                   .name = "keys",
                   .type = CountType{1, 1'000'000'000'000, true},
                   .default_text = "auto",
                   .unit = "all workers together",
                   .help = "Size of the key space. auto sizes it from the node's memory, which has "
                           "to be known, and the mean of the value sizes, so that writing all of "
                           "it passes the memory cliff.",
                   .excluded_by = "workload.trace.file",
                   .access = at<&Scenario::workload, &Workload::keys>()});
  table.push_back({.section = "workload",
                   .name = "key_space",
                   .type = choice_of<KeyOwnership>(),
                   .default_text = "per-worker",
                   .help = "per-worker: each worker has an equal part of the keys of its own, and "
                           "key_distribution is over that part. shared: all workers draw from the "
                           "whole, and agree on which keys are popular.",
                   .excluded_by = "workload.trace.file",
                   .access = at<&Scenario::workload, &Workload::key_space>()});
  table.push_back({.section = "workload",
                   .name = "key_distribution",
                   .type = key_distribution_type(),
                   .default_text = "uniform",
                   .help = "Which keys are asked for, and how often.",
                   .excluded_by = "workload.trace.file",
                   .access = at<&Scenario::workload, &Workload::key_distribution>()});
  table.push_back({.section = "workload",
                   .name = "keys_move_every",
                   .type = DurationType{milliseconds{100}, hours{7 * 24}},
                   .when_absent = "popular keys stay popular",
                   .help = "After this time, counted from the begin of the warm-up, and each time "
                           "again, other keys are the popular ones.",
                   .excluded_by = "workload.trace.file",
                   .access = at<&Scenario::workload, &Workload::keys_move_every>()});
}

void add_command(std::vector<Option>& table) {
  constexpr auto kCommands = &Workload::commands;
  table.push_back({.section = "workload.command",
                   .name = "command",
                   .type = TextType{TextForm::kProse, 4096},
                   .when_absent = "none; every command needs it",
                   .help = "Words as in the engine's command line, with placeholders: __key__ (a "
                           "key; each is drawn anew), __key1__ to __key9__ (the same key wherever "
                           "the same number stands), __data__ (a value), __rand(A,B)__ (a whole "
                           "number from A to B). \"MULTI; ...; EXEC\" is one request.",
                   .access = at_row<&Scenario::workload, kCommands, &WeightedCommand::text>()});
  table.push_back({.section = "workload.command",
                   .name = "name",
                   .type = TextType{TextForm::kName, 32},
                   .when_absent = "the first word, made unique",
                   .help = "What its numbers are shown under.",
                   .access = at_row<&Scenario::workload, kCommands, &WeightedCommand::name>()});
  table.push_back({.section = "workload.command",
                   .name = "weight",
                   .type = CountType{0, kHighestWeight},
                   .default_text = "1",
                   .help = "How often it is drawn, beside the weights of the others. 0: only in a "
                           "stage whose mix names it.",
                   .access = at_row<&Scenario::workload, kCommands, &WeightedCommand::weight>()});
  table.push_back({.section = "workload.command",
                   .name = "tenant",
                   .type = TextType{TextForm::kName, 32},
                   .when_absent = "every tenant that has neither commands nor a ratio of its own",
                   .help = "Name of the [[tenant]] that sends it.",
                   .access = at_row<&Scenario::workload, kCommands, &WeightedCommand::tenant>()});
  table.push_back({.section = "workload.command",
                   .name = "keys",
                   .type = key_distribution_type(),
                   .when_absent = "workload.key_distribution",
                   .help = "Which keys this command is about.",
                   .access = at_row<&Scenario::workload, kCommands, &WeightedCommand::keys>()});
  table.push_back(
      {.section = "workload.command",
       .name = "value_size",
       .type = value_size_type(),
       .when_absent = "workload.value_size",
       .help = "Size of this command's __data__.",
       .access = at_row<&Scenario::workload, kCommands, &WeightedCommand::value_size>()});
}

}  // namespace

FormsType value_size_type() {
  return {{
      {.parameters = {{"SIZE", {kSize}}}, .meaning = "every value has this size"},
      {.name = "range",
       .parameters = {{"SIZE", {kSize}}, {"SIZE", {kSize}}},
       .meaning = "every size from the first to the second is equally likely"},
      {.name = "list",
       .parameters = {{"SIZE:WEIGHT", {kSize, CountType{1, kHighestWeight}}}},
       .repeats = true,
       .meaning = "these sizes, by weight"},
  }};
}

void add_workload_options(std::vector<Option>& table) {
  add_values(table);
  table.push_back({.section = "workload",
                   .name = "ratio",
                   .type = RatioType{kHighestWeight},
                   .default_text = "1:10",
                   .help = "How many SETs for how many GETs: the short form of two commands.",
                   .unless = "workload.command",
                   .excluded_by = "workload.trace.file",
                   .access = kRatioAccess});
  add_keys(table);
  table.push_back({.section = "workload",
                   .name = "prefill",
                   .type = BooleanType{},
                   .default_text = "false",
                   .help = "Whether every key is written once with SET, and counted, before the "
                           "warm-up.",
                   .excluded_by = "workload.trace.file",
                   .access = at<&Scenario::workload, &Workload::prefill>()});
  add_verify(table);
  add_command(table);
}

}  // namespace headroom::scenario
