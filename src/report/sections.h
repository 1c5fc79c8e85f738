// The parts of the terminal page. Internal to `report`.
#pragma once

#include "analysis/summary.h"
#include "record/run.h"
#include "report/page.h"

namespace headroom::report {

void add_throughput(Page& page, const analysis::Summary& summary);
// Nothing for a run of one load; nothing for one without stages.
void add_loads(Page& page, const analysis::Summary& summary);
void add_stages(Page& page, const analysis::Summary& summary);
void add_latency(Page& page, const analysis::Summary& summary);
void add_splits(Page& page, const analysis::Summary& summary);
void add_slowest(Page& page, const record::Run& run, const analysis::Summary& summary);
void add_connections(Page& page, const analysis::Summary& summary);
void add_nodes(Page& page, const record::Run& run, const analysis::Summary& summary);
void add_cache(Page& page, const record::Run& run, const analysis::Summary& summary);
void add_cpu(Page& page, const record::Run& run, const analysis::Summary& summary);
void add_engine_commands(Page& page, const analysis::Summary& summary);
void add_members(Page& page, const analysis::Summary& summary);
void add_boundary(Page& page, const analysis::Summary& summary);
void add_over_time(Page& page, const record::Run& run, const analysis::Summary& summary);
void add_account(Page& page, const analysis::Summary& summary);

}  // namespace headroom::report
