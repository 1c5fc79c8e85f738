#include "cli/show.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "analysis/summary.h"
#include "base/text.h"
#include "cli/page_file.h"
#include "cli/terminal.h"
#include "report/figure_list.h"
#include "report/html.h"
#include "report/json.h"
#include "report/source.h"
#include "report/terminal.h"
#include "scenario/expectation.h"
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

Result<Rendered> render_run(const std::filesystem::path& file, Format format, bool colour,
                            std::span<const std::string> expect) {
  const auto expected = scenario::read_expectations("--expect", expect);
  if (!expected) return fail(expected.error());
  const auto verification = store::verify_run(file);
  if (!verification) return fail(verification.error());
  const auto run = store::read_run(file);
  if (!run) return fail(run.error());
  for (const scenario::Expectation& one : *expected) {
    const std::string why =
        impossible(one, run->header.operations, run->header.scenario.load.rate.has_value());
    if (!why.empty()) return fail(ErrorKind::kUsage, "--expect \"{}\": {}", one.text(), why);
  }
  const report::Source source{file.string(), seal_of(verification->state),
                              verification->stored_digest};
  analysis::Summary summary = analysis::summarize(*run);
  std::ranges::move(analysis::check_expectations(*expected, summary),
                    std::back_inserter(summary.expectations));
  Rendered rendered;
  for (const analysis::ExpectationResult& result : summary.expectations)
    if (!result.met) rendered.unmet.push_back(result.line());
  switch (format) {
    case Format::kJson:
      rendered.text = report::render_json(*run, summary, source);
      break;
    case Format::kHtml:
      rendered.text = report::render_html(*run, summary, source);
      break;
    case Format::kTerminal:
      rendered.text =
          report::render_terminal(*run, summary, source, report::TerminalOptions{colour});
      break;
  }
  return rendered;
}

ExitCode tell_unmet(std::span<const std::string> unmet) {
  if (unmet.empty()) return kDone;
  return print_error(
      {ErrorKind::kExpectation, fmt::format("not met: {}", fmt::join(unmet, "\nnot met: "))});
}

ExitCode tell_regressions(std::span<const analysis::AgainstBaseline> figures) {
  std::vector<std::string> lines;
  for (const analysis::AgainstBaseline& figure : figures) {
    if (figure.verdict == analysis::Against::kRegressed)
      lines.push_back("regressed: " + figure.line());
  }
  if (lines.empty()) return kDone;
  return print_error({ErrorKind::kExpectation, fmt::format("{}", fmt::join(lines, "\n"))});
}

ExitCode show_run(const std::filesystem::path& file, Format format,
                  std::span<const std::string> expect) {
  const auto rendered = render_run(file, format, wants_colour(STDOUT_FILENO), expect);
  if (!rendered) return print_error(rendered.error());
  const ExitCode printed = print_output(rendered->text);
  const ExitCode met = tell_unmet(rendered->unmet);
  return printed == kDone ? met : printed;
}

ExitCode show_page(const std::filesystem::path& file, const std::filesystem::path& page, bool open,
                   std::span<const std::string> expect) {
  const auto rendered = render_run(file, Format::kHtml, false, expect);
  if (!rendered) return print_error(rendered.error());
  if (const Status written = write_page(page, rendered->text); !written)
    return print_error(written.error());
  const ExitCode met = tell_unmet(rendered->unmet);
  const Status opened = open ? open_page(page) : Status();
  return opened ? met : print_error(opened.error());
}

ExitCode show_figures(const std::filesystem::path& file) {
  const auto run = store::read_run(file);
  if (!run) return print_error(run.error());
  return print_output(report::render_figure_list(analysis::summarize(*run)));
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
