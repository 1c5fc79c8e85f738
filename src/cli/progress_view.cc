#include "cli/progress_view.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "base/units.h"
#include "cli/terminal.h"

namespace headroom::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Nanos kLineEvery = seconds{10};
constexpr Nanos kDrawEvery = milliseconds{200};

}  // namespace

std::string progress_text(const lab::Progress& progress) {
  std::string text = fmt::format("{:<9}", record::phase_name(progress.phase));
  if (progress.left) {
    const auto left = std::chrono::ceil<seconds>(*progress.left);
    text += fmt::format("{:>5} s left", left.count());
  }
  if (progress.prefilled && progress.prefill_total) {
    text += fmt::format("   {} of {} keys written", grouped(*progress.prefilled),
                        grouped(*progress.prefill_total));
  }
  if (progress.throughput_per_s)
    text += fmt::format("   {}/s", human_count(*progress.throughput_per_s));
  if (progress.p99) text += fmt::format("   p99 {}", human_duration(*progress.p99));
  if (progress.memory_used_ratio)
    text += fmt::format("   memory {:.1f} %", *progress.memory_used_ratio * 100);
  if (progress.evictions) text += fmt::format("   evictions {}", human_count(*progress.evictions));
  if (progress.failed && *progress.failed > 0)
    text += fmt::format("   failed {}/s", grouped(*progress.failed));
  return text;
}

void ProgressView::file_created(const std::filesystem::path& path) {
  print_line(fmt::format("run file  {}", path.string()));
}

void ProgressView::target_ready(const target::Description& description, std::uint64_t keys) {
  if (style_ == ProgressStyle::kQuiet) return;
  std::string line = fmt::format("target    {} {} at {}", description.engine, description.version,
                                 description.address.text());
  if (description.maxmemory_bytes) {
    line += fmt::format(", maxmemory {} {}",
                        human_bytes(static_cast<double>(*description.maxmemory_bytes)),
                        description.maxmemory_policy);
  }
  line += fmt::format("; {} keys", grouped(keys));
  print_line(line);
}

void ProgressView::phase_began(record::Phase phase) {
  phase_ = phase;
  last_line_.reset();
}

void ProgressView::progress(const lab::Progress& progress) {
  const Nanos now = clock_.now();
  const Nanos every = style_ == ProgressStyle::kLive ? kDrawEvery : kLineEvery;
  if (style_ == ProgressStyle::kQuiet || (last_line_ && now - *last_line_ < every)) return;
  // A pipe wants results, not the first moment of a phase.
  if (style_ == ProgressStyle::kLines && !last_line_) {
    last_line_ = now;
    return;
  }
  last_line_ = now;
  if (style_ == ProgressStyle::kLines) {
    print_line(progress_text(progress));
    return;
  }
  const auto width = static_cast<std::size_t>(terminal_width(STDERR_FILENO));
  fmt::print(stderr, "\r\x1b[K{}", progress_text(progress).substr(0, width > 0 ? width - 1 : 0));
  std::fflush(stderr);
  live_line_drawn_ = true;
}

void ProgressView::note(const std::string& line) { print_line("note      " + line); }

void ProgressView::print_line(const std::string& line) {
  clear_live_line();
  fmt::print(stderr, "{}\n", line);
}

void ProgressView::clear_live_line() {
  if (!live_line_drawn_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  live_line_drawn_ = false;
}

}  // namespace headroom::cli
