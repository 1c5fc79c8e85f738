// Builds a page of labelled rows, paragraphs and tables at a fixed width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace headroom::report {

enum class Tone { kPlain, kStrong, kGood, kCaution, kBad };
// "good", "caution", "bad" or "plain": what a web page colours by.
[[nodiscard]] std::string_view tone_name(Tone tone);

class Page {
 public:
  static constexpr std::size_t kWidth = 80;
  explicit Page(bool colour) : colour_(colour) {}

  // A heading after an empty line, with a remark at the right edge.
  void section(std::string_view title, std::string_view remark = {});
  // "  label        value   note": value right-aligned in its column, note wrapped in its own. A
  // value that is wider than its column pushes the note on.
  void row(std::string_view label, std::string_view value, std::string_view note = {});
  // "LABEL    text", text wrapped, following lines indented under it; the text's first line in
  // tone.
  void paragraph(std::string_view label, std::string_view text, Tone tone = Tone::kPlain);
  void line(std::string_view text, Tone tone = Tone::kPlain);
  // First column left-aligned, the others right-aligned, as wide as their content. cells[0] is the
  // head.
  void table(const std::vector<std::vector<std::string>>& cells);

  [[nodiscard]] std::string text() && { return std::move(text_); }

 private:
  [[nodiscard]] std::string toned(std::string_view text, Tone tone) const;
  void end_line(std::string line);  // without trailing blanks

  bool colour_;
  std::string text_;
};

}  // namespace headroom::report
