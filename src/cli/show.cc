#include "cli/show.h"

#include <unistd.h>

#include "analysis/summary.h"
#include "base/text.h"
#include "cli/terminal.h"
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

ExitCode show_run(const std::filesystem::path& file, Format format) {
  const auto verification = store::verify_run(file);
  if (!verification) return print_error(verification.error());
  const auto run = store::read_run(file);
  if (!run) return print_error(run.error());
  const report::Source source{file.string(), seal_of(verification->state),
                              verification->stored_digest};
  const analysis::Summary summary = analysis::summarize(*run);
  if (format == Format::kJson) return print_output(report::render_json(*run, summary, source));
  const report::TerminalOptions options{wants_colour(STDOUT_FILENO)};
  return print_output(report::render_terminal(*run, summary, source, options));
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
