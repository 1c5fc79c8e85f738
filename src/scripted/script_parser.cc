#include <algorithm>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "scripted/script.h"

namespace headroom::scripted {
namespace {

// The words of one line. Each take_*() uses up what it returns; the first that cannot leaves an
// error.
class Line {
 public:
  Line(std::string_view text, std::size_t number) : rest_(trim(text)), number_(number) {}

  [[nodiscard]] bool empty() const { return rest_.empty(); }
  [[nodiscard]] bool failed() const { return error_.has_value(); }
  [[nodiscard]] Status status() const {
    if (error_) return fail(*error_);
    if (!rest_.empty()) return complain(fmt::format("'{}' is left over", printable(rest_)));
    return {};
  }

  std::string_view word() {
    const std::size_t end = std::min(rest_.find_first_of(" \t"), rest_.size());
    const std::string_view word = rest_.substr(0, end);
    rest_ = trim(rest_.substr(end));
    return word;
  }

  bool next_is(std::string_view keyword) {
    Line ahead = *this;
    if (ahead.word() != keyword) return false;
    *this = ahead;
    return true;
  }

  void expect(std::string_view keyword) {
    if (!next_is(keyword)) give_up(fmt::format("'{}' is missing", keyword));
  }

  std::uint64_t count() {
    const std::string_view text = word();
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size()) {
      give_up(fmt::format("'{}' is no count", printable(text)));
    }
    return value;
  }

  std::vector<std::size_t> counts() {
    std::vector<std::size_t> values;
    for (const std::string_view text : split(word(), ',')) {
      Line item(text, number_);
      values.push_back(item.count());
      if (item.failed()) error_ = item.error_;
    }
    if (!std::ranges::is_sorted(values)) give_up("offsets are to ascend");
    return values;
  }

  Nanos duration() {
    const Result<Nanos> value = parse_duration(word());
    if (!value) give_up(value.error().message);
    return value.value_or(Nanos{0});
  }

  std::vector<Nanos> durations() {
    std::vector<Nanos> values;
    for (const std::string_view text : split(word(), ',')) {
      Line item(text, number_);
      values.push_back(item.duration());
      if (item.failed()) error_ = item.error_;
    }
    return values;
  }

  // All that is left, with \r, \n, \\ and \xNN undone.
  std::string text() {
    std::string bytes;
    const std::string_view escaped = std::exchange(rest_, {});
    for (std::size_t i = 0; i < escaped.size(); ++i) {
      if (escaped[i] != '\\') {
        bytes += escaped[i];
        continue;
      }
      const char code = i + 1 < escaped.size() ? escaped[++i] : '\0';
      unsigned value = 0;
      if (code == 'r' || code == 'n' || code == '\\') {
        bytes += code == 'r' ? '\r' : code == 'n' ? '\n' : '\\';
      } else if (code == 'x' && i + 2 < escaped.size() &&
                 std::from_chars(&escaped[i + 1], &escaped[i + 3], value, 16).ptr ==
                     &escaped[i + 3]) {
        bytes += static_cast<char>(value);
        i += 2;
      } else {
        give_up("a backslash stands before r, n, \\ or xNN");
      }
    }
    return bytes;
  }

  void give_up(const std::string& what) {
    if (!error_) error_ = complain(what).value();
  }

 private:
  [[nodiscard]] tl::unexpected<Error> complain(const std::string& what) const {
    return headroom::fail(ErrorKind::kUsage, "script line {}: {}", number_, what);
  }

  std::string_view rest_;
  std::size_t number_;
  std::optional<Error> error_;
};

std::vector<std::string> commands_of(std::string_view list) {
  std::vector<std::string> commands;
  for (const std::string_view name : split(list, ',')) {
    commands.push_back(upper(name));
  }
  return commands;
}

void parse_close(Line& line, Rule& rule) {
  const std::string_view when = line.word();
  if (when == "before") {
    rule.disconnect_before();
  } else if (when == "within") {
    rule.disconnect_within(line.count());
  } else if (when == "after") {
    rule.disconnect_after();
  } else {
    line.give_up("'close' is followed by before, within N or after");
  }
}

void parse_action(Line& line, Rule& rule) {
  const std::string_view action = line.word();
  if (action == "delay") {
    rule.delays(line.durations());
  } else if (action == "error") {
    rule.error(line.text());
  } else if (action == "nil") {
    rule.nil();
  } else if (action == "raw") {
    rule.raw(line.text());
  } else if (action == "cut") {
    std::vector<std::size_t> cuts = line.counts();
    line.expect("pause");
    const Nanos pause = line.duration();
    if (!line.failed()) rule.fragments(std::move(cuts), pause);
  } else if (action == "close") {
    parse_close(line, rule);
  } else if (action == "silent") {
    rule.never_answer();
  } else {
    line.give_up(
        fmt::format("'{}' is no action; there are delay, error, nil, raw, cut, close, silent",
                    printable(action)));
  }
}

void parse_rule(Line& line, Script& script) {
  std::vector<std::string> commands;
  if (line.next_is("on")) commands = commands_of(line.word());
  Rule& rule = script.on(std::move(commands));
  if (line.next_is("connection")) rule.on_connection(line.count());
  if (line.next_is("nth")) {
    rule.nth(line.count());
  } else if (line.next_is("first")) {
    rule.first(line.count());
  } else if (line.next_is("from")) {
    rule.from(line.count());
  } else if (line.next_is("every")) {
    const std::uint64_t period = line.count();
    if (period == 0) line.give_up("'every' is followed by a count of at least 1");
    if (!line.failed()) rule.every(period);
  }
  parse_action(line, rule);
}

void parse_line(Line& line, Script& script) {
  if (line.next_is("stall")) {
    const Nanos length = line.duration();
    line.expect("every");
    const Nanos period = line.duration();
    if (length <= Nanos{0} || length >= period) line.give_up("a stall is shorter than its period");
    if (!line.failed()) script.stall(period, length);
  } else if (line.next_is("banner")) {
    script.banner(line.text());
  } else if (line.next_is("spin")) {
    script.spin();
  } else if (line.next_is("stamp")) {
    script.stamp_requests();
  } else {
    parse_rule(line, script);
  }
}

}  // namespace

Result<Script> parse_script(std::string_view text) {
  Script script;
  std::size_t number = 0;
  for (const std::string_view each : split(text, '\n')) {
    Line line(each.substr(0, each.find('#')), ++number);
    if (line.empty()) continue;
    parse_line(line, script);
    if (Status status = line.status(); !status) return fail(std::move(status.error()));
  }
  return script;
}

}  // namespace headroom::scripted
