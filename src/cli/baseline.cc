#include "cli/baseline.h"

#include <fmt/format.h>

#include <utility>

#include "analysis/comparison.h"
#include "cli/arms.h"
#include "cli/show.h"
#include "cli/terminal.h"
#include "scenario/value.h"

namespace headroom::cli {

Result<double> read_percent(const std::string& flag, const std::string& text) {
  const scenario::DecimalType type{0.1, 100, true};
  const auto value = scenario::read_value(type, text);
  if (!value) return fail(ErrorKind::kUsage, "{}: {}", flag, value.error().message);
  return std::get<double>(*value) / 100;
}

ExitCode hold_against_baseline(const std::string& file, const std::vector<std::string>& baseline,
                               std::optional<double> margin) {
  ArmFiles files;
  files.files = {file};
  files.baseline = baseline;
  auto arms = read_arms(files);
  if (!arms) return print_error(arms.error());
  analysis::ComparisonOptions options;
  options.baseline = true;
  options.contrast.margin = margin;
  const analysis::Comparison comparison = analysis::compare(std::move(*arms), std::move(options));
  if (comparison.contract.standing == analysis::Standing::kInvalid) {
    std::string text;
    for (const analysis::Reason& reason : comparison.contract.reasons)
      text += fmt::format("baseline  may not be compared: {}\n", reason.seen);
    print_message(text);
    return kInvalid;
  }
  std::string text;
  for (const analysis::AgainstBaseline& figure : comparison.against) {
    if (figure.primary && figure.verdict != analysis::Against::kRegressed)
      text += fmt::format("baseline  {}: {}\n", against_name(figure.verdict), figure.line());
  }
  print_message(text);
  return tell_regressions(comparison.against);
}

}  // namespace headroom::cli
