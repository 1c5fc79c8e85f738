#include "interop/run_summaries.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "analysis/prose.h"
#include "base/text.h"
#include "base/units.h"
#include "interop/utc.h"
#include "scenario/options.h"
#include "scenario/suggest.h"

namespace headroom::interop {
namespace {

using analysis::Arm;
using analysis::Figure;
using analysis::ObservedRun;
using Json = nlohmann::json;

constexpr std::uint64_t kMostRuns = 10'000;
constexpr double kLargestRatio = 2;  // more was meant as percent

// Where in the table something stands, for errors: "groups[0].figures".
using Place = std::string;

tl::unexpected<Error> refuse(const Place& place, std::string_view what) {
  return fail(ErrorKind::kUsage, "{}: {}", place, what);
}

Status only_keys(const Json& object, const Place& place, std::vector<std::string> allowed) {
  if (!object.is_object()) return refuse(place, "is not an object");
  for (const auto& [key, value] : object.items()) {
    if (std::ranges::find(allowed, key) != allowed.end()) continue;
    const auto meant = nearest(key, allowed);
    return refuse(place,
                  fmt::format("{} is unknown; {}", printable(key),
                              meant ? fmt::format("did you mean {}?", *meant)
                                    : fmt::format("there are {}", fmt::join(allowed, ", "))));
  }
  return {};
}

Result<std::string> read_text(const Json& value, const Place& place) {
  if (!value.is_string() || value.get_ref<const std::string&>().empty())
    return refuse(place, "is not a text");
  return value.get<std::string>();
}

Result<double> read_figure_value(const Json& value, Figure figure, const Place& place) {
  if (!value.is_number()) return refuse(place, "is not a number");
  const auto number = value.get<double>();
  const bool may_be_negative = figure == Figure::kHeadroom;
  if (!std::isfinite(number) || (number < 0 && !may_be_negative))
    return refuse(place, fmt::format("is {}; give a number from 0 on", number));
  if (analysis::figure_info(figure).unit == analysis::FigureUnit::kRatio && number > kLargestRatio)
    return refuse(place, fmt::format("is {}; a ratio runs from 0 to 1: write {} for {} %", number,
                                     number / 100, number));
  return number;
}

Result<Figure> read_figure_name(const std::string& key, const Place& place) {
  if (const auto figure = analysis::figure_by_key(key)) return *figure;
  std::vector<std::string> known;
  for (const analysis::FigureInfo& info : analysis::figure_catalogue())
    known.emplace_back(info.key);
  const auto meant = nearest(key, known);
  return refuse(place, fmt::format("{} is no figure; {}", printable(key),
                                   meant ? fmt::format("did you mean {}?", *meant)
                                         : std::string("docs/RUN_SUMMARIES.md lists them")));
}

// Of one run: numbers only.
Status read_run_figures(const Json& json, const Place& place, ObservedRun& run) {
  if (!json.is_object()) return refuse(place, "is not an object");
  for (const auto& [key, value] : json.items()) {
    const auto figure = read_figure_name(key, place);
    if (!figure) return fail(figure.error());
    const auto number = read_figure_value(value, *figure, place + "." + key);
    if (!number) return fail(number.error());
    run.figures[*figure] = *number;
  }
  return {};
}

// {"min": ..., "median": ..., "max": ..., "mean": ...}, some of them.
Result<analysis::Spread> read_range(const Json& json, Figure figure, std::size_t runs,
                                    const Place& place) {
  if (const Status keys = only_keys(json, place, {"min", "median", "max", "mean"}); !keys)
    return fail(keys.error());
  std::optional<double> min, median, max, mean;
  for (const auto& [name, into] :
       {std::pair{"min", &min}, {"median", &median}, {"max", &max}, {"mean", &mean}}) {
    if (!json.contains(name)) continue;
    const auto number = read_figure_value(json.at(name), figure, place + "." + name);
    if (!number) return fail(number.error());
    *into = *number;
  }
  if (min && max && *min > *max) return refuse(place, "has a min above its max");
  for (const auto& middle : {median, mean}) {
    if (middle && ((min && *middle < *min) || (max && *middle > *max)))
      return refuse(place, "has a median or mean outside its extremes");
  }
  return analysis::spread_of_stated(runs, min, median, max, mean);
}

// Of a group: a list with a value for each run, or a range.
Status read_group_figures(const Json& json, const Place& place, Arm& arm) {
  if (!json.is_object()) return refuse(place, "is not an object");
  for (const auto& [key, value] : json.items()) {
    const auto figure = read_figure_name(key, place);
    if (!figure) return fail(figure.error());
    const Place at = place + "." + key;
    if (value.is_object()) {
      auto spread = read_range(value, *figure, arm.size(), at);
      if (!spread) return fail(spread.error());
      arm.stated[*figure] = std::move(*spread);
      continue;
    }
    if (!value.is_array() || value.size() != arm.size())
      return refuse(at, fmt::format("is neither a range nor a list of {}",
                                    analysis::counted(arm.size(), "value")));
    for (std::size_t i = 0; i < value.size(); ++i) {
      const auto number = read_figure_value(value[i], *figure, fmt::format("{}[{}]", at, i));
      if (!number) return fail(number.error());
      arm.runs[i].figures[*figure] = *number;
    }
  }
  return {};
}

Result<std::string> read_setting(const std::string& key, const Json& value, const Place& place) {
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  if (!value.is_string() && !value.is_number() && !value.is_boolean())
    return refuse(place, "is neither a text nor a number");
  const scenario::Option* option = scenario::find_option(key);
  if (option == nullptr) {
    const std::size_t dot = key.find('.');
    const std::string_view section = std::string_view(key).substr(0, dot);
    if (dot != std::string::npos && scenario::find_section(section) != nullptr &&
        key != "workload.keys.realised")
      return refuse(place,
                    "is no scenario key; " +
                        scenario::suggest_key(section, std::string_view(key).substr(dot + 1)));
    return text;
  }
  const auto read = scenario::read_value(option->type, text);
  if (!read) return refuse(place, read.error().message);
  return scenario::print_value(option->type, *read);
}

Status read_settings(const Json& json, const Place& place,
                     std::map<std::string, std::string>& settings) {
  if (!json.is_object()) return refuse(place, "is not an object");
  for (const auto& [key, value] : json.items()) {
    auto setting = read_setting(key, value, place + "." + printable(key, 60));
    if (!setting) return fail(setting.error());
    settings[key] = std::move(*setting);
  }
  return {};
}

template <class Enum, class Name>
Result<Enum> read_word(const Json& value, const Place& place, Enum last, Name name) {
  std::vector<std::string> words;
  for (int i = 0; i <= static_cast<int>(last); ++i) words.emplace_back(name(static_cast<Enum>(i)));
  const auto found =
      std::ranges::find(words, value.is_string() ? value.get<std::string>() : std::string());
  if (found == words.end())
    return refuse(place, fmt::format("is none of {}", fmt::join(words, ", ")));
  return static_cast<Enum>(found - words.begin());
}

// What may be said of a run, or of all runs of a group at once.
Status read_state(const Json& json, const Place& place, ObservedRun& run) {
  if (json.contains("regime")) {
    const auto regime = read_word(json.at("regime"), place + ".regime",
                                  analysis::Regime::kRejecting, analysis::regime_name);
    if (!regime) return fail(regime.error());
    run.regime = *regime;
  }
  if (json.contains("limiter")) {
    const auto limiter = read_word(json.at("limiter"), place + ".limiter",
                                   analysis::Limiter::kUnclear, analysis::limiter_name);
    if (!limiter) return fail(limiter.error());
    run.limiter = *limiter;
  }
  for (const auto& [name, into] :
       {std::pair{"complete", &run.complete}, {"adds_up", &run.adds_up}}) {
    if (!json.contains(name)) continue;
    if (!json.at(name).is_boolean()) return refuse(place + "." + name, "is neither true nor false");
    *into = json.at(name).get<bool>();
  }
  if (json.contains("settings")) {
    if (const Status read = read_settings(json.at("settings"), place + ".settings", run.settings);
        !read)
      return read;
  }
  return {};
}

Status read_run(const Json& json, const Place& place, ObservedRun& run) {
  if (const Status keys = only_keys(json, place,
                                    {"name", "started_utc", "regime", "limiter", "complete",
                                     "adds_up", "settings", "figures"});
      !keys)
    return keys;
  if (json.contains("name")) {
    auto name = read_text(json.at("name"), place + ".name");
    if (!name) return fail(name.error());
    run.name = std::move(*name);
  }
  if (json.contains("started_utc")) {
    const auto text = read_text(json.at("started_utc"), place + ".started_utc");
    if (!text) return fail(text.error());
    run.started = parse_utc(*text);
    if (!run.started)
      return refuse(place + ".started_utc",
                    fmt::format("is {}; write 2026-05-28T05:25:50Z", printable(*text, 40)));
  }
  if (const Status state = read_state(json, place, run); !state) return state;
  if (json.contains("figures"))
    return read_run_figures(json.at("figures"), place + ".figures", run);
  return {};
}

// A limit or a fault that the table states of a run.
void add_faults(ObservedRun& run) {
  using analysis::FaultKind;
  if (run.complete == false)
    run.faults.push_back({FaultKind::kIncomplete, "it did not run to its end"});
  if (run.adds_up == false)
    run.faults.push_back({FaultKind::kAccount, "its requests and their outcomes do not add up"});
  if (run.limiter == analysis::Limiter::kGenerator)
    run.faults.push_back({FaultKind::kGeneratorLimited, "its generator was the limit"});
}

Status read_runs(const Json& json, const Place& place, const ObservedRun& common, Arm& arm) {
  if (json.is_number_unsigned()) {
    const auto count = json.get<std::uint64_t>();
    if (count == 0 || count > kMostRuns)
      return refuse(place, fmt::format("is {}; give 1 to {} runs", count, kMostRuns));
    arm.runs.assign(count, common);
  } else if (json.is_array() && !json.empty() && json.size() <= kMostRuns) {
    arm.runs.assign(json.size(), common);
  } else {
    return refuse(place, "is neither a number of runs nor a list of them");
  }
  for (std::size_t i = 0; i < arm.runs.size(); ++i) {
    ObservedRun& run = arm.runs[i];
    run.name = fmt::format("{} #{}", arm.name, i + 1);
    if (!json.is_array()) continue;
    if (const Status read = read_run(json[i], fmt::format("{}[{}]", place, i), run); !read)
      return read;
  }
  return {};
}

Result<analysis::Price> read_price(const Json& json, const Place& place) {
  if (const Status keys = only_keys(json, place, {"usd_per_hour", "region", "date", "source"});
      !keys)
    return fail(keys.error());
  for (const char* key : {"usd_per_hour", "region", "date", "source"}) {
    if (!json.contains(key)) return refuse(place, fmt::format("lacks {}", key));
  }
  const Json& usd = json.at("usd_per_hour");
  if (!usd.is_number() || usd.get<double>() <= 0)
    return refuse(place + ".usd_per_hour", "is no price above 0");
  analysis::Price price;
  price.usd_per_hour = usd.get<double>();
  for (const auto& [key, into] :
       {std::pair{"region", &price.region}, {"date", &price.date}, {"source", &price.source}}) {
    auto text = read_text(json.at(key), place + "." + key);
    if (!text) return fail(text.error());
    *into = std::move(*text);
  }
  return price;
}

Result<Arm> read_group(const Json& json, const Place& place) {
  if (const Status keys = only_keys(json, place,
                                    {"name", "runs", "settings", "regime", "limiter", "complete",
                                     "adds_up", "figures", "price"});
      !keys)
    return fail(keys.error());
  for (const char* key : {"name", "runs"}) {
    if (!json.contains(key)) return refuse(place, fmt::format("lacks {}", key));
  }
  Arm arm;
  auto name = read_text(json.at("name"), place + ".name");
  if (!name) return fail(name.error());
  arm.name = printable(*name, 60);
  ObservedRun common;
  common.imported = true;
  if (const Status state = read_state(json, place, common); !state) return fail(state.error());
  if (const Status runs = read_runs(json.at("runs"), place + ".runs", common, arm); !runs)
    return fail(runs.error());
  for (ObservedRun& run : arm.runs) {
    run.slots = analysis::slots_of(run.settings);
    add_faults(run);
  }
  if (json.contains("figures")) {
    if (const Status read = read_group_figures(json.at("figures"), place + ".figures", arm); !read)
      return fail(read.error());
  }
  if (json.contains("price")) {
    auto price = read_price(json.at("price"), place + ".price");
    if (!price) return fail(price.error());
    arm.price = std::move(*price);
  }
  return arm;
}

Result<std::vector<Arm>> read_table(const Json& json) {
  if (const Status keys =
          only_keys(json, "table", {"schema", "schema_version", "source", "groups"});
      !keys)
    return fail(keys.error());
  if (!json.contains("schema") || json.at("schema") != "headroom-run-summaries")
    return refuse("schema", "is not \"headroom-run-summaries\"");
  if (!json.contains("schema_version") || json.at("schema_version") != 1)
    return refuse("schema_version", "is not 1");
  if (!json.contains("groups") || !json.at("groups").is_array() || json.at("groups").empty())
    return refuse("groups", "is not a list with a group at least");
  std::vector<Arm> arms;
  for (std::size_t i = 0; i < json.at("groups").size(); ++i) {
    auto arm = read_group(json.at("groups")[i], fmt::format("groups[{}]", i));
    if (!arm) return fail(arm.error());
    if (std::ranges::find(arms, arm->name, &Arm::name) != arms.end())
      return refuse(fmt::format("groups[{}].name", i), arm->name + " is there already");
    arms.push_back(std::move(*arm));
  }
  return arms;
}

}  // namespace

Result<std::vector<Arm>> read_run_summaries(std::string_view text, std::string_view file) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded())
    return fail(ErrorKind::kUsage, "{}: is not JSON; see docs/RUN_SUMMARIES.md", printable(file));
  auto arms = read_table(json);
  if (!arms)
    return fail(ErrorKind::kUsage, "{}: {}", printable(file), std::move(arms.error().message));
  return arms;
}

}  // namespace headroom::interop
