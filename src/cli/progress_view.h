// Draws a run while it goes, on stderr: one live line on a terminal, a line every 10 s elsewhere,
// nothing when quiet (notes and the file's name excepted).
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "base/clock.h"
#include "lab/observer.h"

namespace headroom::cli {

enum class ProgressStyle { kLive, kLines, kQuiet };

class ProgressView final : public lab::Observer {
 public:
  ProgressView(ProgressStyle style, const Clock& clock) : style_(style), clock_(clock) {}
  ~ProgressView() override { clear_live_line(); }

  void file_created(const std::filesystem::path& path) override;
  void target_ready(const target::Description& description,
                    std::optional<std::uint64_t> keys) override;
  void phase_began(record::Phase phase) override;
  void progress(const lab::Progress& progress) override;
  void note(const std::string& line) override;

 private:
  void print_line(const std::string& line);
  void clear_live_line();

  const ProgressStyle style_;
  const Clock& clock_;
  bool live_line_drawn_ = false;
  record::Phase phase_ = record::Phase::kProvision;
  std::optional<Nanos> last_line_;  // clock time
};

struct ProgressTextOptions {
  std::optional<std::size_t> columns = std::nullopt;  // nullopt: as many as it takes
  bool colour = false;
};

// "measure   32 s left  101 k/s  rejected 830/s  p99 420 us  memory 83.1 %  evictions 0"
// "measure   32 s left  9.97 k/s of 10.0 k/s  p99 420 us  ..." of an open loop
// "warmup     3 s left, then 10 s  98.2 k/s  ..."
// What matters most comes first. Where the columns do not suffice, whole fields are left out, from
// the right. Pure.
[[nodiscard]] std::string progress_text(const lab::Progress& progress,
                                        const ProgressTextOptions& options = {});

}  // namespace headroom::cli
