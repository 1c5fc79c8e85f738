#include "cli/progress_view.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/prose.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/terminal.h"

namespace headroom::cli {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr Nanos kLineEvery = seconds{10};
constexpr Nanos kDrawEvery = milliseconds{200};

constexpr std::string_view kGap = "  ";
constexpr double kKept = 0.98;  // completed / asked, below which it is trouble

struct Field {
  std::string text;
  bool is_trouble = false;  // drawn in red where there is colour
};

// UTF-8 characters. Ours are all one column wide.
std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

// "3 s left, then 10 s": until the end of the phase, and from there until the end of measure. Where
// requests are counted: how many of all.
std::optional<Field> time_field(const lab::Progress& progress) {
  if (progress.requests_ended && progress.requests_total) {
    return Field{fmt::format("{} of {} requests", grouped(*progress.requests_ended),
                             grouped(*progress.requests_total))};
  }
  if (!progress.left_in_phase) return std::nullopt;
  std::string text =
      fmt::format("{:>3} s left", std::chrono::ceil<seconds>(*progress.left_in_phase).count());
  if (progress.left) {
    const auto then = std::chrono::round<seconds>(*progress.left - *progress.left_in_phase);
    if (then > seconds{0}) text += fmt::format(", then {} s", then.count());
  }
  return Field{std::move(text)};
}

std::vector<Field> fields_of(const lab::Progress& progress) {
  std::vector<Field> fields;
  fields.push_back({fmt::format("{:<7}", record::phase_name(progress.phase))});
  if (auto time = time_field(progress)) fields.push_back(std::move(*time));
  if (progress.prefilled && progress.prefill_total) {
    fields.push_back({fmt::format("{} of {} keys written", grouped(*progress.prefilled),
                                  grouped(*progress.prefill_total))});
  }
  if (progress.throughput_per_s) {
    std::string text = fmt::format("{}/s", human_count(*progress.throughput_per_s));
    if (progress.asked_per_s) text += fmt::format(" of {}/s", human_count(*progress.asked_per_s));
    // Behind by more than the two ends of a second explain.
    const bool behind = progress.asked_per_s.value_or(0) * kKept > *progress.throughput_per_s;
    fields.push_back({std::move(text), behind});
  }
  const auto add_trouble = [&fields](std::string_view name, std::optional<double> per_s) {
    if (per_s && *per_s > 0)
      fields.push_back({fmt::format("{} {}/s", name, human_count(*per_s)), true});
  };
  add_trouble("rejected", progress.rejected_per_s);
  add_trouble("failed", progress.failed_per_s);
  if (progress.p99) fields.push_back({fmt::format("p99 {}", human_duration(*progress.p99))});
  if (progress.memory_used_ratio) {
    fields.push_back({fmt::format("memory {}", analysis::percent(*progress.memory_used_ratio))});
  }
  if (progress.evictions)
    fields.push_back({fmt::format("evictions {}", human_count(*progress.evictions))});
  return fields;
}

}  // namespace

std::string progress_text(const lab::Progress& progress, const ProgressTextOptions& options) {
  std::string line;
  std::size_t columns = 0;
  for (const Field& field : fields_of(progress)) {
    const std::string_view gap = columns == 0 ? "" : kGap;
    columns += gap.size() + columns_of(field.text);
    if (options.columns && columns > *options.columns) break;
    line += gap;
    line += options.colour && field.is_trouble ? fmt::format("\x1b[1;31m{}\x1b[0m", field.text)
                                               : field.text;
  }
  return line;
}

void ProgressView::file_created(const std::filesystem::path& path) {
  print_line(fmt::format("run file  {}", printable(path.string(), 4096)));
}

void ProgressView::target_ready(const target::Description& description,
                                std::optional<std::uint64_t> keys) {
  if (style_ == ProgressStyle::kQuiet) return;
  std::string line = fmt::format("target    {} {} at {}", description.engine, description.version,
                                 description.server.address.text());
  const std::size_t nodes = description.nodes.size();
  if (nodes > 1) line += fmt::format(" and {} other{}", nodes - 1, nodes > 2 ? "s" : "");
  if (description.maxmemory_bytes) {
    line += fmt::format(", {}maxmemory {} {}", nodes > 1 ? "each " : "",
                        human_bytes(static_cast<double>(*description.maxmemory_bytes)),
                        description.maxmemory_policy);
  }
  if (keys) line += fmt::format("; {} keys", grouped(*keys));
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
  // In the last column some terminals would wrap already.
  const auto width = static_cast<std::size_t>(terminal_width(STDERR_FILENO));
  print_message(
      fmt::format("\r\x1b[K{}", progress_text(progress, {width - 1, wants_colour(STDERR_FILENO)})));
  live_line_drawn_ = true;
}

void ProgressView::note(const std::string& line) { print_line("note      " + line); }

void ProgressView::print_line(const std::string& line) {
  clear_live_line();
  print_message(line + "\n");
}

void ProgressView::clear_live_line() {
  if (!live_line_drawn_) return;
  print_message("\r\x1b[K");
  live_line_drawn_ = false;
}

}  // namespace headroom::cli
