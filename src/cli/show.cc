#include "cli/show.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "cli/terminal.h"
#include "report/figure_list.h"
#include "report/html.h"
#include "report/json.h"
#include "report/markdown.h"
#include "report/terminal.h"
#include "scenario/expectation.h"
#include "scenario/loads.h"
#include "serve/run_source.h"
#include "store/run_reader.h"

namespace headroom::cli {

Status expect_of(std::span<const scenario::Expectation> expected, serve::ReadRun& read) {
  for (const scenario::Expectation& one : expected) {
    const std::string why = impossible(one, read.run.header.operations,
                                       scenario::is_open_loop(read.run.header.scenario));
    if (!why.empty()) return fail(ErrorKind::kUsage, "--expect \"{}\": {}", one.text(), why);
  }
  std::ranges::move(analysis::check_expectations(expected, read.summary),
                    std::back_inserter(read.summary.expectations));
  return {};
}

Result<Rendered> render_run(const std::filesystem::path& file, Format format, bool colour,
                            std::span<const std::string> expect) {
  const auto expected = scenario::read_expectations("--expect", expect);
  if (!expected) return fail(expected.error());
  auto read = serve::read_summed_up(file, file.string());
  if (!read) return fail(read.error());
  if (const Status checked = expect_of(*expected, *read); !checked) return fail(checked.error());
  const record::Run& run = read->run;
  const analysis::Summary& summary = read->summary;
  const report::Source& source = read->source;
  Rendered rendered;
  for (const analysis::ExpectationResult& result : summary.expectations)
    if (!result.met) rendered.unmet.push_back(result.line());
  switch (format) {
    case Format::kJson:
      rendered.text = report::render_json(run, summary, source);
      break;
    case Format::kHtml:
      rendered.text = report::render_html(run, summary, source);
      break;
    case Format::kMarkdown:
      rendered.text = report::render_markdown(run, summary, source);
      break;
    case Format::kTerminal:
      rendered.text =
          report::render_terminal(run, summary, source, report::TerminalOptions{colour});
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
