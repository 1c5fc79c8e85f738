#include "load/trace.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "base/units.h"

namespace headroom::load {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{256} << 10U;
constexpr std::size_t kLongestPath = 4096;
// Distinct streams that are counted; there may be as many as there are keys.
constexpr std::size_t kCountedStreams = 1'000'000;

}  // namespace

TraceReader::TraceReader(UniqueFd fd, const scenario::Trace& trace, std::uint32_t database)
    : fd_(std::move(fd)),
      path_(printable(trace.file, kLongestPath)),
      parser_(trace.format, database) {}

Result<TraceReader> TraceReader::open(const scenario::Trace& trace, std::uint32_t database) {
  UniqueFd fd(::open(trace.file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat about{};
  const std::string path = printable(trace.file, kLongestPath);
  if (!fd.valid() || ::fstat(fd.get(), &about) != 0)
    return fail(ErrorKind::kUsage, "{}: cannot be read: {}", path, errno_text(errno));
  if (!S_ISREG(about.st_mode)) {
    return fail(ErrorKind::kUsage,
                "{}: is no regular file; a trace is read several times, so store it in one", path);
  }
  TraceReader reader(std::move(fd), trace, database);
  if (Status begun = reader.rewind(); !begun) return fail(std::move(begun.error()));
  return reader;
}

tl::unexpected<Error> TraceReader::at_line(std::string_view what) const {
  return fail(ErrorKind::kUsage, "{}:{}: {}", path_, line_, what);
}

Status TraceReader::rewind() {
  if (::lseek(fd_.get(), 0, SEEK_SET) != 0)
    return fail(ErrorKind::kUsage, "{}: cannot be read again: {}", path_, errno_text(errno));
  buffer_.clear();
  begin_ = 0;
  line_ = 0;
  at_end_ = false;
  if (!parser_.needs_header()) return {};
  const auto header = next_line();
  if (!header) return fail(header.error());
  if (!*header)
    return fail(ErrorKind::kUsage, "{}: is empty; its first line names the columns", path_);
  if (const Status read = parser_.read_header(**header); !read)
    return at_line(read.error().message);
  return {};
}

Result<std::optional<std::string_view>> TraceReader::next_line() {
  std::size_t searched = begin_;
  for (;;) {
    const std::size_t end = buffer_.find('\n', searched);
    if (end != std::string::npos || (at_end_ && begin_ < buffer_.size())) {
      const std::size_t line_end = std::min(end, buffer_.size());
      const auto line = std::string_view(buffer_).substr(begin_, line_end - begin_);
      begin_ = std::min(line_end + 1, buffer_.size());
      ++line_;
      return line;
    }
    if (at_end_) return std::nullopt;
    buffer_.erase(0, begin_);
    begin_ = 0;
    searched = buffer_.size();
    if (searched > kLongestLine) {
      ++line_;
      return at_line(fmt::format("is longer than {}", print_bytes(kLongestLine)));
    }
    buffer_.resize(searched + kChunkBytes);
    ssize_t bytes = -1;
    do {
      bytes = ::read(fd_.get(), buffer_.data() + searched, kChunkBytes);
    } while (bytes < 0 && errno == EINTR);
    if (bytes < 0)
      return fail(ErrorKind::kUsage, "{}: cannot be read: {}", path_, errno_text(errno));
    buffer_.resize(searched + static_cast<std::size_t>(bytes));
    at_end_ = bytes == 0;
  }
}

Result<bool> TraceReader::next(const StreamShare& share, TraceLine& line, bool& skipped) {
  for (;;) {
    const auto text = next_line();
    if (!text) return fail(text.error());
    if (!*text) return false;
    const auto kind = parser_.parse(**text, share, line);
    if (!kind) return at_line(kind.error().message);
    if (*kind != TraceLineKind::kRequest && *kind != TraceLineKind::kSkipped) continue;
    skipped = *kind == TraceLineKind::kSkipped;
    return true;
  }
}

std::uint8_t TraceSummary::operation(std::string_view verb) const {
  const auto found = std::ranges::find(verbs, verb);
  const auto place =
      found == verbs.end() ? verbs.size() - 1 : static_cast<std::size_t>(found - verbs.begin());
  return static_cast<std::uint8_t>(place);
}

Result<TraceSummary> scan_trace(const scenario::Trace& trace, std::uint32_t database) {
  auto reader = TraceReader::open(trace, database);
  if (!reader) return fail(std::move(reader.error()));
  const bool timed = trace.timing != scenario::TraceTiming::kFast;
  if (timed && !reader->has_time()) {
    return fail(ErrorKind::kUsage,
                "{}: has no column time, which workload.trace.timing = \"{}\" needs; give \"fast\"",
                printable(trace.file, kLongestPath),
                trace.timing == scenario::TraceTiming::kScaled ? "scaled" : "original");
  }
  TraceSummary summary;
  summary.has_time = reader->has_time();
  std::unordered_map<std::string, std::uint64_t> verbs;
  std::unordered_set<std::uint64_t> streams;
  std::optional<std::uint64_t> smallest;
  TraceLine line;
  for (;;) {
    bool skipped = false;
    const auto more = reader->next({}, line, skipped);
    if (!more) return fail(more.error());
    if (!*more) break;
    if (skipped) {
      ++summary.skipped[printable(line.words.front(), 40)];
      continue;
    }
    if (summary.requests++ == 0) summary.first = line.time;
    summary.length = std::max(summary.length, line.time - summary.first);
    ++verbs[line.words.front()];
    if (streams.size() < kCountedStreams) streams.insert(line.stream);
    if (const auto bytes = line.written_bytes()) {
      smallest = std::min(smallest.value_or(*bytes), *bytes);
      summary.largest_value = std::max(summary.largest_value, *bytes);
    }
  }
  if (summary.requests == 0) {
    return fail(ErrorKind::kUsage, "{}: holds no request that can be replayed",
                printable(trace.file, kLongestPath));
  }
  summary.smallest_value = smallest.value_or(0);
  summary.streams = streams.size();
  std::vector<std::pair<std::string, std::uint64_t>> by_count(verbs.begin(), verbs.end());
  std::ranges::sort(by_count, [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  for (const auto& [verb, count] : by_count) {
    if (summary.verbs.size() == TraceSummary::kMostVerbs) {
      summary.verbs.emplace_back(TraceSummary::kOther);
      break;
    }
    summary.verbs.push_back(printable(verb, 32));
  }
  return summary;
}

std::vector<scenario::Operation> operations_of(const TraceSummary& trace) {
  std::vector<scenario::Operation> operations;
  for (const std::string& verb : trace.verbs) {
    scenario::Operation operation;
    operation.name = verb;
    operation.weight = 1;
    const scenario::WordPart part{.kind = scenario::WordPart::Kind::kText, .text = verb};
    operation.line.commands.push_back(scenario::CommandWords{scenario::Word{part}});
    operation.value_size = trace.largest_value;
    if (trace.smallest_value != trace.largest_value)
      operation.value_size = scenario::SizeRange{trace.smallest_value, trace.largest_value};
    operations.push_back(std::move(operation));
  }
  return operations;
}

std::string describe_trace(const TraceSummary& summary, const scenario::Trace& trace) {
  std::string text = fmt::format("{} requests", grouped(summary.requests));
  const double seconds = std::chrono::duration<double>(summary.length).count();
  if (summary.has_time && seconds > 0) {
    text += fmt::format(" over {} ({}/s)", human_duration(summary.length),
                        human_count(static_cast<double>(summary.requests) / seconds));
  }
  const bool by_client = trace.format == scenario::TraceFormat::kMonitor;
  text += fmt::format(" {} {}{} {}", by_client ? "by" : "in",
                      summary.streams < kCountedStreams ? "" : "more than ",
                      grouped(summary.streams), by_client ? "clients" : "streams");
  std::string skipped;
  for (const auto& [why, count] : summary.skipped)
    skipped +=
        fmt::format("{}{} {}", skipped.empty() ? "; not replayed: " : ", ", grouped(count), why);
  return text + skipped;
}

}  // namespace headroom::load
