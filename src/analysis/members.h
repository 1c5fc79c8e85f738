// The nodes of a target of several, one by one.
#pragma once

#include <vector>

#include "analysis/summary.h"
#include "record/run.h"

namespace headroom::analysis {

// CPU of one engine over a window, seconds per second: of its main thread, by its own account; of
// its process, by its own account or the kernel's.
[[nodiscard]] Known<double> main_thread_cpu(const record::Run& run, const Window& window,
                                            std::string_view node);
[[nodiscard]] Known<double> process_cpu(const record::Run& run, const Window& window,
                                        std::string_view node);

// In the order of record::Run::members. Empty for a target of one node.
[[nodiscard]] std::vector<MemberSummary> summarize_members(const record::Run& run,
                                                           const Window& window);

}  // namespace headroom::analysis
