#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <string>
#include <vector>

#include "analysis/comparison.h"
#include "base/text.h"
#include "cli/arms.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "interop/utc.h"
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
  bool json = false;
  bool markdown = false;
};

Result<double> read_percent(const std::string& flag, const std::string& text) {
  const scenario::DecimalType type{0.1, 100, true};
  const auto value = scenario::read_value(type, text);
  if (!value) return fail(ErrorKind::kUsage, "{}: {}", flag, value.error().message);
  return std::get<double>(*value) / 100;
}

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

int compare_files(const CompareFlags& flags) {
  const auto options = options_of(flags);
  if (!options) return print_error(options.error());
  auto arms = read_arms(flags.files);
  if (!arms) return print_error(arms.error());
  for (const std::string& price : flags.prices) {
    if (const Status read = read_price(price, *arms); !read) return print_error(read.error());
  }
  const analysis::Comparison comparison = analysis::compare(std::move(*arms), *options);
  const std::string text = flags.json       ? report::render_comparison_json(comparison)
                           : flags.markdown ? report::render_comparison_markdown(comparison)
                                            : report::render_comparison_terminal(
                                                  comparison, {wants_colour(STDOUT_FILENO)});
  const ExitCode printed = print_output(text);
  if (printed != kDone) return printed;
  return comparison.contract.standing == analysis::Standing::kInvalid ? kInvalid : kDone;
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
  command->add_option("--margin", flags->margin, "Within which arms count as equal, such as 5%")
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
  command->add_flag("--markdown", flags->markdown, "As Markdown")->excludes(json);
  command->footer(
      "Try: headroom compare a1.run a2.run a3.run --vs b1.run b2.run b3.run\n"
      "     headroom compare *.run --by load.pipeline\n"
      "Exit code 7: the comparison is invalid. docs/CLAIMS.md explains every claim and guard.");
  command->callback([flags, &invocation] { invocation.exit_code = compare_files(*flags); });
}

}  // namespace headroom::cli
