#include <unistd.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/page_file.h"
#include "cli/show.h"
#include "cli/terminal.h"
#include "report/figure_list.h"
#include "report/group.h"
#include "scenario/expectation.h"
#include "serve/run_source.h"

namespace headroom::cli {

namespace {

struct ReportFlags {
  std::vector<std::string> files;
  std::string html;
  std::string markdown;
  std::vector<std::string> expect;
  bool list_figures = false;
  bool json = false;
  bool open = false;
};

struct ReportedGroup {
  report::Group group;
  std::vector<std::string> unmet;  // of what was expected of its runs, a line each
};

// Of runs that were given together, read one after the other.
Result<ReportedGroup> read_group(const ReportFlags& flags) {
  const auto expected = scenario::read_expectations("--expect", flags.expect);
  if (!expected) return fail(expected.error());
  std::vector<report::GroupMember> members;
  ReportedGroup reported;
  std::set<std::string> seen;  // run ids
  for (const std::string& file : flags.files) {
    auto read = serve::read_summed_up(file, file);
    if (!read) return fail(read.error());
    if (!seen.insert(read->run.header.run_id).second)
      return fail(ErrorKind::kUsage, "{}: is a run that was given already; give each run once",
                  printable(file));
    if (const Status checked = expect_of(*expected, *read); !checked) return fail(checked.error());
    for (const analysis::ExpectationResult& result : read->summary.expectations)
      if (!result.met) reported.unmet.push_back(printable(file) + ": " + result.line());
    members.push_back(report::member_of(read->run, read->summary, read->source));
  }
  reported.group = report::make_group(std::move(members));
  return reported;
}

// What is reported on, in each of the formats.
class Reported {
 public:
  [[nodiscard]] static Result<Reported> read(const ReportFlags& flags) {
    Reported reported(flags);
    if (flags.files.size() == 1) return reported;
    auto group = read_group(flags);
    if (!group) return fail(group.error());
    reported.group_ = std::move(*group);
    return reported;
  }

  [[nodiscard]] Result<Rendered> render(Format format) const {
    const bool colour = format == Format::kTerminal && wants_colour(STDOUT_FILENO);
    if (!group_) return render_run(flags_.files.front(), format, colour, flags_.expect);
    return Rendered{group_text(format, colour), group_->unmet};
  }

  // Where a page goes if the user names no place: beside the run file.
  [[nodiscard]] std::filesystem::path default_page() const {
    std::filesystem::path page = std::filesystem::path(flags_.files.front()).replace_extension();
    page += group_ ? "-group.html" : ".html";
    return page;
  }

 private:
  explicit Reported(const ReportFlags& flags) : flags_(flags) {}

  [[nodiscard]] std::string group_text(Format format, bool colour) const {
    switch (format) {
      case Format::kJson:
        return report::render_group_json(group_->group);
      case Format::kHtml:
        return report::render_group_html(group_->group);
      case Format::kMarkdown:
        return report::render_group_markdown(group_->group);
      case Format::kTerminal:
        break;
    }
    return report::render_group_terminal(group_->group, {colour});
  }

  const ReportFlags& flags_;
  std::optional<ReportedGroup> group_;
};

// Puts the report where the flags say, and gives what of it is not met.
Result<std::vector<std::string>> put(const Reported& reported, const ReportFlags& flags) {
  std::vector<std::string> unmet;
  if (!flags.markdown.empty()) {
    auto document = reported.render(Format::kMarkdown);
    if (!document) return fail(document.error());
    if (const Status written = write_markdown(flags.markdown, document->text); !written)
      return fail(written.error());
    unmet = std::move(document->unmet);
  }
  if (flags.html.empty() && !flags.open) return unmet;
  const std::filesystem::path path =
      flags.html.empty() ? reported.default_page() : std::filesystem::path(flags.html);
  auto page = reported.render(Format::kHtml);
  if (!page) return fail(page.error());
  if (const Status written = write_page(path, page->text); !written) return fail(written.error());
  if (const Status opened = flags.open ? open_page(path) : Status(); !opened)
    return fail(opened.error());
  return std::move(page->unmet);
}

int report(const ReportFlags& flags) {
  if (flags.list_figures && flags.files.empty()) return print_output(report::render_figure_list());
  if (flags.files.empty()) {
    print_message("headroom: report: FILE is required (see headroom report --help)\n");
    return kUsage;
  }
  if (flags.list_figures && flags.files.size() > 1) {
    print_message("headroom: report: --list-figures is of one FILE\n");
    return kUsage;
  }
  if (flags.list_figures) return show_figures(flags.files.front());
  const auto reported = Reported::read(flags);
  if (!reported) return print_error(reported.error());
  if (!flags.markdown.empty() || !flags.html.empty() || flags.open) {
    const auto unmet = put(*reported, flags);
    return unmet ? tell_unmet(*unmet) : print_error(unmet.error());
  }
  const auto rendered = reported->render(flags.json ? Format::kJson : Format::kTerminal);
  if (!rendered) return print_error(rendered.error());
  const ExitCode printed = print_output(rendered->text);
  const ExitCode met = tell_unmet(rendered->unmet);
  return printed == kDone ? met : printed;
}

}  // namespace

void add_report_command(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<ReportFlags>();
  CLI::App* const command = app.add_subcommand(
      "report",
      "Show what a run file says: verdict, doubts, numbers; of several, what they agree on.");
  command->add_option("FILE", flags->files,
                      "Run files, sealed or not; several are repeats of one thing, seen together");
  CLI::Option* const json =
      command->add_flag("--json", flags->json, "As JSON (docs/SUMMARY_JSON.md)");
  CLI::Option* const html =
      command
          ->add_option("--html", flags->html,
                       "Write a page with charts there instead, one file that needs no network; "
                       "overwrites nothing but an older page")
          ->type_name("PAGE")
          ->excludes(json);
  refuse_empty(*html);
  CLI::Option* const markdown =
      command
          ->add_option("--markdown", flags->markdown,
                       "Write a Markdown document there instead; overwrites nothing but an older "
                       "one (/dev/stdout shows it)")
          ->type_name("DOCUMENT")
          ->excludes(json);
  refuse_empty(*markdown);
  command
      ->add_flag("--open", flags->open,
                 "Show that page in the browser; without --html it is written beside the run file")
      ->excludes(json);
  add_expect_flag(*command, flags->expect);
  command->add_flag("--list-figures", flags->list_figures,
                    "List what --expect may be about; with FILE, with the values that the run has");
  command->footer(
      "Exit code 5: what was expected, by --expect or by the run's own scenario, is not met.");
  command->callback([flags, &invocation] { invocation.exit_code = report(*flags); });
}

}  // namespace headroom::cli
