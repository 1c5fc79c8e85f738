#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "analysis/comparison.h"
#include "base/text.h"
#include "cli/arms.h"
#include "cli/baseline.h"
#include "cli/commands.h"
#include "cli/page_file.h"
#include "cli/show.h"
#include "cli/terminal.h"
#include "interop/utc.h"
#include "report/compare_html.h"
#include "report/compare_json.h"
#include "report/compare_markdown.h"
#include "report/compare_terminal.h"
#include "scenario/value.h"

namespace headroom::cli {
namespace {

struct CompareFlags {
  ArmFiles files;
  std::vector<std::string> factors;
  std::vector<std::string> figures;
  std::vector<std::string> prices;
  std::string margin;
  std::string difference = "5%";
  std::string html;
  bool open = false;
  bool json = false;
  bool markdown = false;
};

// "1:0.182,us-east-1,2026-06-01,https://..."
Status read_price(const std::string& text, std::vector<analysis::Arm>& arms) {
  const auto refuse = [&](std::string_view what) {
    return fail(ErrorKind::kUsage,
                "--price {}: {}; write 1:0.182,us-east-1,2026-06-01,WHERE for the first arm",
                printable(text), what);
  };
  const std::size_t colon = text.find(':');
  const auto parts = split(std::string_view(text).substr(std::min(colon, text.size())), ',');
  if (colon == std::string::npos || parts.size() < 4) return refuse("lacks a part");
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + colon, number);
  if (error != std::errc() || end != text.data() + colon || number < 1 || number > arms.size())
    return refuse(fmt::format("there are arms 1 to {}", arms.size()));
  const scenario::DecimalType type{0.000001, 1'000'000, false};
  const auto usd = scenario::read_value(type, parts[0].substr(1));
  if (!usd) return refuse(usd.error().message);
  analysis::Price price;
  price.usd_per_hour = std::get<double>(*usd);
  price.region = printable(parts[1], 60);
  price.date = printable(parts[2], 60);
  // The source may hold commas.
  price.source = printable(
      std::string_view(text).substr(static_cast<std::size_t>(parts[3].data() - text.data())), 200);
  if (!interop::parse_utc(price.date + "T00:00:00Z")) return refuse("its date is no YYYY-MM-DD");
  if (price.region.empty() || price.source.empty()) return refuse("lacks a region or a source");
  arms[number - 1].price = std::move(price);
  return {};
}

Result<analysis::ComparisonOptions> options_of(const CompareFlags& flags) {
  analysis::ComparisonOptions options;
  options.intended = flags.factors;
  if (!flags.files.by.empty()) options.intended.push_back(flags.files.by);
  const auto difference = read_percent("--difference", flags.difference);
  if (!difference) return fail(difference.error());
  options.contrast.smallest_difference = *difference;
  options.baseline = !flags.files.baseline.empty();
  if (!flags.margin.empty()) {
    const auto margin = read_percent("--margin", flags.margin);
    if (!margin) return fail(margin.error());
    options.contrast.margin = *margin;
  }
  if (flags.figures.empty()) return options;
  options.contrast.primary.clear();
  for (const std::string& figure : flags.figures)
    options.contrast.primary.push_back(analysis::figure_by_key(figure).value());
  return options;
}

// What the comparison comes to: nothing may be read from an invalid one; else what is not met, or
// got worse, is told on stderr.
ExitCode verdict_of(const analysis::Comparison& comparison) {
  if (comparison.contract.standing == analysis::Standing::kInvalid) return kInvalid;
  std::vector<std::string> unmet;
  for (const analysis::Arm& arm : comparison.arms) {
    for (const analysis::ObservedRun& run : arm.runs) {
      for (const analysis::ExpectationResult& result : run.expectations)
        if (!result.met) unmet.push_back(fmt::format("{}: {}", run.name, result.line()));
    }
  }
  const ExitCode held = tell_regressions(comparison.against);
  const ExitCode met = tell_unmet(unmet);
  return held == kDone ? met : held;
}

int write_comparison_page(const CompareFlags& flags, const analysis::Comparison& comparison) {
  const std::filesystem::path page = flags.html.empty() ? "comparison.html" : flags.html;
  if (const Status written = write_page(page, report::render_comparison_html(comparison)); !written)
    return print_error(written.error());
  const Status opened = flags.open ? open_page(page) : Status();
  if (!opened) return print_error(opened.error());
  return verdict_of(comparison);
}

int compare_files(const CompareFlags& flags) {
  const auto options = options_of(flags);
  if (!options) return print_error(options.error());
  ArmFiles files = flags.files;
  files.courses = !flags.html.empty() || flags.open;
  auto arms = read_arms(files);
  if (!arms) return print_error(arms.error());
  for (const std::string& price : flags.prices) {
    if (const Status read = read_price(price, *arms); !read) return print_error(read.error());
  }
  const analysis::Comparison comparison = analysis::compare(std::move(*arms), *options);
  if (!flags.html.empty() || flags.open) return write_comparison_page(flags, comparison);
  const std::string text = flags.json       ? report::render_comparison_json(comparison)
                           : flags.markdown ? report::render_comparison_markdown(comparison)
                                            : report::render_comparison_terminal(
                                                  comparison, {wants_colour(STDOUT_FILENO)});
  const ExitCode printed = print_output(text);
  if (printed != kDone) return printed;
  return verdict_of(comparison);
}

}  // namespace

void add_compare_command(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<CompareFlags>();
  CLI::App* const command = app.add_subcommand(
      "compare", "Compare groups of runs: what the evidence supports, and what it does not.");
  command->add_option("FILE", flags->files.files, "Run files, or tables of run summaries")
      ->required();
  CLI::Option* const versus =
      command->add_option("--vs", flags->files.versus, "The other side")->type_name("FILE");
  CLI::Option* const by =
      command
          ->add_option("--by", flags->files.by,
                       "Make one arm of each value of this scenario key or recorded fact")
          ->type_name("KEY");
  by->excludes(versus);
  command
      ->add_option(
          "--baseline", flags->files.baseline,
          "Older runs that FILE... are held against: exit code 5 if a figure got worse, by "
          "more than --margin")
      ->type_name("FILE")
      ->excludes(versus)
      ->excludes(by);
  add_expect_flag(*command, flags->files.expect);
  refuse_empty(*by);
  command
      ->add_option("--factor", flags->factors,
                   "A key that is meant to differ; else what target, engine and load differ in")
      ->type_name("KEY")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  CLI::Option* const figure = command
                                  ->add_option("--test", flags->figures,
                                               "A figure that is tested first, stated in advance "
                                               "(throughput_per_s and latency_p99_ns)")
                                  ->type_name("FIGURE")
                                  ->expected(1)
                                  ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  std::vector<std::string> figures;
  for (const analysis::FigureInfo& info : analysis::figure_catalogue())
    figures.emplace_back(info.key);
  accept_words(*figure, std::move(figures), invocation);
  command
      ->add_option("--margin", flags->margin,
                   "Within which arms count as equal, and the baseline as kept, such as 5%")
      ->type_name("PERCENT");
  command
      ->add_option("--difference", flags->difference,
                   "That would matter: how many runs would find it is said")
      ->type_name("PERCENT")
      ->capture_default_str();
  command
      ->add_option("--price", flags->prices,
                   "Of an arm by its number: N:USD_PER_HOUR,REGION,DATE,SOURCE")
      ->type_name("PRICE")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  CLI::Option* const json = command->add_flag("--json", flags->json, "As JSON");
  CLI::Option* const markdown =
      command->add_flag("--markdown", flags->markdown, "As Markdown")->excludes(json);
  CLI::Option* const html =
      command
          ->add_option("--html", flags->html,
                       "Write a page with charts there instead, one file that needs no network; "
                       "overwrites nothing but an older page")
          ->type_name("PAGE")
          ->excludes(json)
          ->excludes(markdown);
  refuse_empty(*html);
  command
      ->add_flag("--open", flags->open,
                 "Show that page in the browser; without --html it is comparison.html")
      ->excludes(json)
      ->excludes(markdown);
  command->footer(
      "Try: headroom compare a1.run a2.run a3.run --vs b1.run b2.run b3.run\n"
      "     headroom compare *.run --by load.pipeline\n"
      "     headroom compare new*.run --baseline old*.run --margin 5%\n"
      "Exit code 5: an expectation is not met, or something got worse than the baseline.\n"
      "Exit code 7: the comparison is invalid. docs/CLAIMS.md explains every claim and guard.");
  command->callback([flags, &invocation] { invocation.exit_code = compare_files(*flags); });
}

}  // namespace headroom::cli
