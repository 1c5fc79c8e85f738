#include "cli/show.h"

#include <unistd.h>

#include "analysis/summary.h"
#include "base/text.h"
#include "cli/page_file.h"
#include "cli/terminal.h"
#include "report/html.h"
#include "report/json.h"
#include "report/source.h"
#include "report/terminal.h"
#include "store/run_reader.h"

namespace headroom::cli {

namespace {

report::Seal seal_of(store::SealState state) {
  switch (state) {
    case store::SealState::kSealed:
      return report::Seal::kSealed;
    case store::SealState::kTampered:
      return report::Seal::kTampered;
    case store::SealState::kIncomplete:
      return report::Seal::kIncomplete;
  }
  return report::Seal::kNotChecked;
}

}  // namespace

Result<std::string> render_run(const std::filesystem::path& file, Format format, bool colour) {
  const auto verification = store::verify_run(file);
  if (!verification) return fail(verification.error());
  const auto run = store::read_run(file);
  if (!run) return fail(run.error());
  const report::Source source{file.string(), seal_of(verification->state),
                              verification->stored_digest};
  const analysis::Summary summary = analysis::summarize(*run);
  switch (format) {
    case Format::kJson:
      return report::render_json(*run, summary, source);
    case Format::kHtml:
      return report::render_html(*run, summary, source);
    case Format::kTerminal:
      break;
  }
  return report::render_terminal(*run, summary, source, report::TerminalOptions{colour});
}

ExitCode show_run(const std::filesystem::path& file, Format format) {
  const auto text = render_run(file, format, wants_colour(STDOUT_FILENO));
  return text ? print_output(*text) : print_error(text.error());
}

ExitCode show_page(const std::filesystem::path& file, const std::filesystem::path& page,
                   bool open) {
  const auto html = render_run(file, Format::kHtml, false);
  if (!html) return print_error(html.error());
  if (const Status written = write_page(page, *html); !written) return print_error(written.error());
  if (!open) return kDone;
  const Status opened = open_page(page);
  return opened ? kDone : print_error(opened.error());
}

std::string commented(std::string_view text) {
  std::string result;
  for (const std::string_view line : split(text, '\n')) {
    if (line.data() + line.size() == text.data() + text.size() && line.empty()) break;
    result += "# ";
    result += line;
    result += '\n';
  }
  return result;
}

}  // namespace headroom::cli
