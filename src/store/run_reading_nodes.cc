// The reading of what came of a cluster's nodes.
#include <algorithm>

#include "store/run_reading.h"

namespace headroom::store {

Status Reading::read_nodes() {
  return each("nodes", "SELECT node_id, name FROM nodes ORDER BY node_id", [&](TypedRow& row) {
    nodes_.insert_or_assign(row.integer(0, INT64_MIN, INT64_MAX), row.text(1));
  });
}

// The name of the node in this column; the row complains if there is none.
std::string Reading::node_at(TypedRow& row, int column) {
  const auto node = nodes_.find(row.integer(column, INT64_MIN, INT64_MAX));
  if (node != nodes_.end()) return node->second;
  row.complain(column, "names an unknown node");
  return {};
}

Status Reading::read_node_intervals() {
  return each("node_intervals",
              "SELECT interval_id, node_id, sent, hit, miss, ok, rejected, error, timeout, lost,"
              " unsent, corrupt, moved, asked, retried, service, response FROM node_intervals"
              " ORDER BY interval_id, node_id",
              [&](TypedRow& row) {
                const auto merged = merged_.find(row.integer(0, INT64_MIN, INT64_MAX));
                if (merged == merged_.end()) return row.complain(0, "names an unknown interval");
                record::NodeSeries series;
                series.node = node_at(row, 1);
                series.counts.requests = counts_at(row, 2);
                series.counts.moved = row.count(12);
                series.counts.asked = row.count(13);
                series.counts.retried = row.count(14);
                if (!row.is_null(15)) series.service = histogram_at(row, 15);
                if (!row.is_null(16)) series.response = histogram_at(row, 16);
                run_.intervals[merged->second].nodes.push_back(std::move(series));
              });
}

Status Reading::read_outages() {
  return each("outages",
              "SELECT interval_id, node_id, worker, begin_ns, end_ns, successor FROM outages"
              " ORDER BY outage_id",
              [&](TypedRow& row) {
                const auto merged = merged_.find(row.integer(0, INT64_MIN, INT64_MAX));
                if (merged == merged_.end()) return row.complain(0, "names an unknown interval");
                record::Outage outage;
                outage.node = node_at(row, 1);
                outage.worker = static_cast<std::uint32_t>(row.integer(2, 0, kMostWorkers));
                outage.begin = row.time(3);
                outage.end = row.time_or_null(4);
                if (outage.end && *outage.end < outage.begin) row.complain(4, "is before begin_ns");
                if (!row.is_null(5)) outage.successor = node_at(row, 5);
                run_.intervals[merged->second].outages.push_back(std::move(outage));
              });
}

}  // namespace headroom::store
