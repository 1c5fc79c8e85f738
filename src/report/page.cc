#include "report/page.h"

#include <algorithm>

#include "report/text.h"

namespace headroom::report {
namespace {

constexpr std::size_t kLabelWidth = 20;  // of a row, its indent of two included
constexpr std::size_t kValueWidth = 12;
constexpr std::size_t kNoteColumn = kLabelWidth + kValueWidth + 3;
constexpr std::size_t kParagraphIndent = 10;

std::string_view escape(Tone tone) {
  switch (tone) {
    case Tone::kPlain:
      return "";
    case Tone::kStrong:
      return "\x1b[1m";
    case Tone::kGood:
      return "\x1b[1;32m";
    case Tone::kCaution:
      return "\x1b[1;33m";
    case Tone::kBad:
      return "\x1b[1;31m";
  }
  return "";
}

}  // namespace

std::string_view tone_name(Tone tone) {
  switch (tone) {
    case Tone::kGood:
      return "good";
    case Tone::kCaution:
      return "caution";
    case Tone::kBad:
      return "bad";
    case Tone::kPlain:
    case Tone::kStrong:
      break;
  }
  return "plain";
}

std::string Page::toned(std::string_view text, Tone tone) const {
  if (!colour_ || tone == Tone::kPlain || text.empty()) return std::string(text);
  return std::string(escape(tone)) + std::string(text) + "\x1b[0m";
}

void Page::end_line(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  text_ += line;
  text_ += '\n';
}

void Page::section(std::string_view title, std::string_view remark) {
  text_ += '\n';
  const std::size_t taken = display_width(title) + display_width(remark);
  end_line(toned(title, Tone::kStrong) + std::string(kWidth > taken ? kWidth - taken : 1, ' ') +
           std::string(remark));
}

void Page::row(std::string_view label, std::string_view value, std::string_view note) {
  std::string line =
      pad_right("  " + std::string(label), kLabelWidth) + pad_left(value, kValueWidth);
  const std::vector<std::string> notes = wrap(note, kWidth - kNoteColumn);
  if (notes.empty()) return end_line(std::move(line));
  // The first line of a note may begin late; it then goes below instead of over the edge.
  line = pad_right(line, kNoteColumn);
  std::size_t next = 0;
  if (display_width(line) + display_width(notes[0]) <= kWidth) line += notes[next++];
  end_line(std::move(line));
  for (; next < notes.size(); ++next) end_line(std::string(kNoteColumn, ' ') + notes[next]);
}

void Page::paragraph(std::string_view label, std::string_view text, Tone tone) {
  std::string head = pad_right(label, kParagraphIndent);
  for (const std::string& part : wrap(text, kWidth - kParagraphIndent)) {
    end_line(head + toned(part, tone));
    head = std::string(kParagraphIndent, ' ');
    tone = Tone::kPlain;
  }
}

void Page::line(std::string_view text, Tone tone) { end_line(toned(text, tone)); }

void Page::table(const std::vector<std::vector<std::string>>& cells) {
  std::vector<std::size_t> widths;
  for (const auto& row : cells) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], display_width(row[i]));
  }
  for (const auto& row : cells) {
    std::string line = "  ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += "  ";
      line += i == 0 ? pad_right(row[i], widths[i]) : pad_left(row[i], widths[i]);
    }
    end_line(std::move(line));
  }
}

}  // namespace headroom::report
