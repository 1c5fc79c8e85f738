#include "load/trace_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/random.h"
#include "base/text.h"
#include "load/trace_command.h"

namespace headroom::load {
namespace {

using scenario::TraceFormat;

constexpr std::int64_t kMostSeconds = 9'000'000'000;

tl::unexpected<Error> wrong(std::string_view what) { return fail(ErrorKind::kUsage, "{}", what); }

// FNV-1a (Fowler, Noll, Vo), mixed once more so that its low bits depend on all.
std::uint64_t stream_of(std::string_view name) {
  std::uint64_t hash = 14'695'981'039'346'656'037U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1'099'511'628'211U;
  return derive_seed(hash, {});
}

// "1339518083.107412": whole seconds and up to nine digits; what is finer is cut off.
std::optional<Nanos> parse_seconds(std::string_view text) {
  std::int64_t seconds = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, seconds);
  if (error != std::errc() || seconds < 0 || seconds > kMostSeconds) return std::nullopt;
  std::int64_t nanos = 0;
  if (at != end) {
    if (*at != '.') return std::nullopt;
    std::int64_t unit = 100'000'000;
    for (const char* digit = at + 1; digit != end; ++digit) {
      if (*digit < '0' || *digit > '9') return std::nullopt;
      nanos += unit * (*digit - '0');
      unit /= 10;
    }
  }
  return std::chrono::seconds{seconds} + Nanos{nanos};
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || at != end) return std::nullopt;
  return number;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Takes one quoted word from the front of `text`, which begins with its quote. False: it is none.
bool take_quoted(std::string_view& text, std::string& out) {
  out.clear();
  std::size_t at = 1;
  for (; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] != '\\') {
      out += text[at];
      continue;
    }
    if (++at == text.size()) return false;
    switch (text[at]) {
      case 'n':
        out += '\n';
        break;
      case 'r':
        out += '\r';
        break;
      case 't':
        out += '\t';
        break;
      case 'a':
        out += '\a';
        break;
      case 'b':
        out += '\b';
        break;
      case 'x': {
        if (at + 2 >= text.size()) return false;
        const int high = hex_digit(text[at + 1]);
        const int low = hex_digit(text[at + 2]);
        if (high < 0 || low < 0) return false;
        out += static_cast<char>(high * 16 + low);
        at += 2;
        break;
      }
      default:
        out += text[at];  // \\ and \"
    }
  }
  if (at >= text.size()) return false;
  text.remove_prefix(at + 1);
  return true;
}

// Word `index` of a command that is filled anew, in memory that may be there.
std::string& word_at(std::vector<std::string>& words, std::size_t index) {
  if (index == words.size()) words.emplace_back();
  return words[index];
}

}  // namespace

std::optional<std::uint64_t> TraceLine::written_bytes() const {
  if (made_up_bytes) return made_up_bytes;
  constexpr std::array<std::string_view, 4> kWriters = {"SET", "SETNX", "GETSET", "APPEND"};
  const bool writes = words.size() > 2 && std::ranges::find(kWriters, words[0]) != kWriters.end();
  if (!writes) return std::nullopt;
  return words[2].size();
}

TraceParser::TraceParser(TraceFormat format, std::uint32_t database)
    : format_(format), database_(database) {}

Result<TraceLineKind> TraceParser::parse(std::string_view line, const StreamShare& share,
                                         TraceLine& out) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (line.empty()) return TraceLineKind::kNothing;
  out.made_up_bytes.reset();
  return format_ == TraceFormat::kMonitor ? parse_monitor(line, share, out)
                                          : parse_row(line, share, out);
}

Result<TraceLineKind> TraceParser::parse_monitor(std::string_view line, const StreamShare& share,
                                                 TraceLine& out) const {
  if (line.front() == '+') line.remove_prefix(1);
  if (line == "OK") return TraceLineKind::kNothing;
  const std::size_t open = line.find(" [");
  const std::size_t close = line.find("] \"");
  const auto time = parse_seconds(line.substr(0, open));
  if (open == std::string_view::npos || close == std::string_view::npos || close < open || !time) {
    return wrong(
        "is no line of MONITOR: wanted TIME [DATABASE CLIENT] \"COMMAND\" \"ARGUMENT\"...");
  }
  const std::string_view who = line.substr(open + 2, close - open - 2);
  const std::size_t space = who.find(' ');
  const auto database = parse_number(who.substr(0, space));
  if (space == std::string_view::npos || !database)
    return wrong("names no database and client in [...]");
  const std::string_view client = who.substr(space + 1);
  out.time = *time;
  out.stream = stream_of(client);
  if (!share.has(out.stream)) return TraceLineKind::kOthers;

  std::string_view rest = line.substr(close + 2);
  std::size_t words = 0;
  for (; !rest.empty(); ++words) {
    if (rest.front() != '"' || !take_quoted(rest, word_at(out.words, words)))
      return wrong("has an argument that is not closed; was the capture cut off?");
    if (rest.empty()) continue;
    if (rest.front() != ' ') return wrong("has no blank between two arguments");
    rest.remove_prefix(1);
  }
  out.words.resize(words);
  out.words.front() = upper(out.words.front());
  if (client == "lua") {
    out.words = {"by a script"};  // the call of the script is in the trace too
  } else if (*database != database_) {
    out.words = {"of another database"};
  } else if (is_replayed(out.words)) {
    return TraceLineKind::kRequest;
  }
  return TraceLineKind::kSkipped;
}

Status TraceParser::read_header(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  if (Status split = split_row(line); !split) return split;
  columns_ = cells_.size();
  const auto column = [&](std::initializer_list<std::string_view> names) {
    const auto found = std::ranges::find_if(cells_, [&](const std::string& name) {
      return std::ranges::find(names, lower(trim(name))) != names.end();
    });
    return found == cells_.end()
               ? std::nullopt
               : std::optional(static_cast<std::size_t>(std::distance(cells_.begin(), found)));
  };
  time_ = column({"time", "timestamp", "ts"});
  op_ = column({"op", "operation", "command"});
  key_ = column({"key"});
  size_ = column({"size", "value_size"});
  ttl_ = column({"ttl"});
  client_ = column({"client", "client_id"});
  if (!op_ || !key_) {
    return fail(ErrorKind::kUsage,
                "the header names no column {}; wanted op and key, and perhaps time, size, ttl, "
                "client",
                op_ ? "key" : "op");
  }
  return {};
}

std::string_view TraceParser::cell(const std::optional<std::size_t>& column) const {
  return column ? trim(cells_[*column]) : std::string_view();
}

Status TraceParser::split_row(std::string_view line) {
  const char separator = format_ == TraceFormat::kCsv ? ',' : '\t';
  std::size_t count = 0;
  for (;;) {
    std::string& out = word_at(cells_, count++);
    out.clear();
    if (separator == ',' && !line.empty() && line.front() == '"') {
      std::size_t at = 1;
      for (;; ++at) {
        if (at >= line.size())
          return fail(ErrorKind::kUsage, "has a quoted cell that is not closed");
        if (line[at] == '"' && (at + 1 == line.size() || line[at + 1] != '"')) break;
        if (line[at] == '"') ++at;
        out += line[at];
      }
      line.remove_prefix(at + 1);
      if (!line.empty() && line.front() != separator)
        return fail(ErrorKind::kUsage, "has something behind a quoted cell");
    } else {
      const std::size_t end = std::min(line.find(separator), line.size());
      out = line.substr(0, end);
      line.remove_prefix(end);
    }
    if (line.empty()) break;
    line.remove_prefix(1);
  }
  cells_.resize(count);
  return {};
}

Result<TraceLineKind> TraceParser::parse_row(std::string_view line, const StreamShare& share,
                                             TraceLine& out) {
  if (Status split = split_row(line); !split) return fail(std::move(split.error()));
  if (cells_.size() != columns_) {
    return fail(ErrorKind::kUsage, "has {} cells, where the header has {}", cells_.size(),
                columns_);
  }
  const std::string_view key = cells_[*key_];  // blanks are a part of it
  out.stream = stream_of(client_ ? cell(client_) : key);
  out.time = Nanos{0};
  if (time_) {
    const auto time = parse_seconds(cell(time_));
    if (!time) {
      return fail(ErrorKind::kUsage, "has the time \"{}\"; wanted seconds, such as 12.345",
                  printable(cell(time_), 40));
    }
    out.time = *time;
  }
  if (!share.has(out.stream)) return TraceLineKind::kOthers;
  const TableRow row{cell(op_), key, cell(size_), cell(ttl_)};
  if (Status made = make_command(row, out.words, out.made_up_bytes); !made)
    return fail(std::move(made.error()));
  return TraceLineKind::kRequest;
}

}  // namespace headroom::load
