#include "scenario/trace_options.h"

#include "scenario/option_access.h"

namespace headroom::scenario {
namespace {

const DurationType kBackendTime{std::chrono::microseconds{1}, std::chrono::minutes{1}};

FormsType backend_time_type() {
  return {{
      {.parameters = {{"TIME", {kBackendTime}}}, .meaning = "always the same"},
      {.name = "range",
       .parameters = {{"TIME", {kBackendTime}}, {"TIME", {kBackendTime}}},
       .meaning = "evenly between the two"},
      {.name = "exponential",
       .parameters = {{"MEAN", {kBackendTime}}},
       .meaning = "exponentially distributed"},
  }};
}

}  // namespace

void add_trace_options(std::vector<Option>& table) {
  constexpr auto kTrace = &Workload::trace;
  table.push_back({.section = "workload.cache_aside",
                   .name = "backend_time",
                   .type = backend_time_type(),
                   .when_absent = "a miss ends its request",
                   .help = "When a GET of one key misses, its slot waits so long for a modelled "
                           "backend and then writes the key with SET, as operation \"fill\". What "
                           "the user waited, from the GET to the SET's reply, is shown as "
                           "\"cache-aside\".",
                   .excluded_by = "workload.trace.file",
                   .access = at<&Scenario::workload, &Workload::backend_time>()});
  table.push_back({.section = "workload.trace",
                   .name = "file",
                   .type = TextType{TextForm::kPath, 4095},
                   .when_absent = "requests are drawn",
                   .help = "The trace. It is read as it is replayed, once for each worker.",
                   .access = at<&Scenario::workload, kTrace, &Trace::file>()});
  table.push_back({.section = "workload.trace",
                   .name = "format",
                   .type = choice_of<TraceFormat>(),
                   .default_text = "monitor",
                   .help = "monitor: what MONITOR printed; commands go out with their arguments. "
                           "csv, tsv: a header that names the columns op, key, time (in seconds), "
                           "size (bytes), ttl (in seconds); values are made up by size.",
                   .needs = "file",
                   .access = at<&Scenario::workload, kTrace, &Trace::format>()});
  table.push_back({.section = "workload.trace",
                   .name = "timing",
                   .type = choice_of<TraceTiming>(),
                   .default_text = "original",
                   .help = "original: requests are due when they came, counted from the first. "
                           "scaled: the same, faster or slower by speed. fast: as soon as their "
                           "connection has a free slot.",
                   .needs = "file",
                   .access = at<&Scenario::workload, kTrace, &Trace::timing>()});
  table.push_back({.section = "workload.trace",
                   .name = "speed",
                   .type = DecimalType{0.001, 100'000},
                   .when_absent = "none; timing = \"scaled\" needs it",
                   .help = "How many times as fast as it was: 2 is twice as fast.",
                   .needs = "file",
                   .access = at<&Scenario::workload, kTrace, &Trace::speed>()});
  table.push_back({.section = "workload.trace",
                   .name = "loop",
                   .type = BooleanType{},
                   .default_text = "false",
                   .help = "Whether the trace begins again at its end. If not, the load ends with "
                           "it.",
                   .needs = "file",
                   .access = at<&Scenario::workload, kTrace, &Trace::loop>()});
}

}  // namespace headroom::scenario
