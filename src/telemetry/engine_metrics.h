// From the text of one INFO to samples. Pure.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "record/metric.h"
#include "resp/info.h"

namespace headroom::telemetry {

// The sections that the metrics below stand in, for one INFO of several sections.
inline constexpr std::array<std::string_view, 9> kInfoSections = {
    "server",      "clients", "memory",       "persistence", "stats",
    "replication", "cpu",     "commandstats", "keyspace"};

// Every metric of the engine that the INFO has. A field that is missing, or is no number, gives no
// sample.
[[nodiscard]] std::vector<record::Sample> engine_samples(const resp::Info& info);

// Names of the metrics that every Valkey, and every Redis from 6.2 on, tells and this INFO did not.
[[nodiscard]] std::vector<std::string> missing_metrics(const resp::Info& info);

}  // namespace headroom::telemetry
