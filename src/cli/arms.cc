#include "cli/arms.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "analysis/comparison.h"
#include "analysis/expectations.h"
#include "analysis/observed_run.h"
#include "analysis/summary.h"
#include "base/file.h"
#include "base/text.h"
#include "interop/run_summaries.h"
#include "store/run_reader.h"

namespace headroom::cli {
namespace {

using analysis::Arm;
using analysis::ObservedRun;

// What one file holds: the groups of a table, or the one run of a run file as an arm without a
// name.
struct Content {
  std::vector<Arm> arms;
  std::string run_id;  // empty: a table
};

// Run files begin with "SQLite format 3"; a table is JSON.
bool looks_like_json(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  char first = 0;
  return stream >> first && (first == '{' || first == '[');
}

// One file, read and summed up; by any thread.
class FileReader {
 public:
  FileReader(std::vector<scenario::Expectation> expect, bool courses)
      : expect_(std::move(expect)),
        detail_(courses || std::ranges::any_of(expect_, asks_about_a_part)
                    ? store::Detail::kEverything
                    : store::Detail::kPhases) {}

  [[nodiscard]] Result<Content> read(const std::string& file) const {
    if (looks_like_json(file)) return read_table(file);
    const auto verification = store::verify_run(file);
    if (!verification) return fail(verification.error());
    const auto run = store::read_run(file, detail_);
    if (!run) return fail(run.error());
    std::optional<bool> intact;
    if (verification->state != store::SealState::kIncomplete)
      intact = verification->state == store::SealState::kSealed;
    const analysis::Summary summary = analysis::summarize(*run);
    Content content;
    content.run_id = run->header.run_id;
    content.arms.emplace_back();
    content.arms.back().runs.push_back(analysis::observe(
        *run, summary, printable(std::filesystem::path(file).filename().string(), 80), intact));
    content.arms.back().runs.back().expectations = analysis::check_expectations(expect_, summary);
    return content;
  }

 private:
  static bool asks_about_a_part(const scenario::Expectation& expectation) {
    return expectation.window != scenario::ExpectedWindow::kMeasure;
  }

  [[nodiscard]] Result<Content> read_table(const std::string& file) const {
    const auto text = read_file(file);
    if (!text) return fail(text.error());
    auto arms = interop::read_run_summaries(*text, file);
    if (!arms) return fail(arms.error());
    for (Arm& arm : *arms) {
      for (ObservedRun& run : arm.runs)
        run.expectations = analysis::check_expectations(expect_, run);
    }
    return Content{std::move(*arms), {}};
  }

  const std::vector<scenario::Expectation> expect_;
  const store::Detail detail_;
};

// All files of a command line, each run once.
class Reader {
 public:
  Reader(std::vector<scenario::Expectation> expect, bool courses)
      : reader_(std::move(expect), courses) {}

  // In the order of the files; the error is that of the first file that has one. A file is held in
  // memory only while it is summed up, so as many are read at a time as there are CPUs.
  Result<std::vector<Content>> read_all(const std::vector<std::string>& files) {
    std::vector<std::optional<Result<Content>>> results(files.size());
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t i = next++; i < files.size(); i = next++)
        results[i].emplace(reader_.read(files[i]));
    };
    {
      std::vector<std::jthread> helpers;
      const std::size_t cpus = std::max(1U, std::thread::hardware_concurrency());
      for (std::size_t i = 1; i < std::min(cpus, files.size()); ++i) helpers.emplace_back(work);
      work();
    }
    std::vector<Content> contents;
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (!*results[i]) return fail(results[i]->error());
      Content& content = **results[i];
      if (!content.run_id.empty() && !seen_.insert(content.run_id).second) {
        return fail(ErrorKind::kUsage, "{}: is a run that was given already; compare each run once",
                    printable(files[i]));
      }
      contents.push_back(std::move(content));
    }
    return contents;
  }

 private:
  const FileReader reader_;
  std::set<std::string> seen_;  // run ids
};

// Everything in one arm. A group whose figures are stated for all its runs together cannot be taken
// apart, so it must be alone.
Result<Arm> join(std::vector<Content> contents, const std::string& name) {
  std::vector<Arm> arms;
  for (Content& content : contents) std::ranges::move(content.arms, std::back_inserter(arms));
  if (arms.size() == 1) {
    if (arms.front().name.empty()) arms.front().name = name;
    return std::move(arms.front());
  }
  Arm joined;
  joined.name = name;
  for (Arm& arm : arms) {
    if (!arm.stated.empty())
      return fail(
          ErrorKind::kUsage,
          "{}: gives figures of the group, not of its runs, and cannot be joined with other "
          "runs; compare it by itself",
          arm.name);
    std::ranges::move(arm.runs, std::back_inserter(joined.runs));
  }
  return joined;
}

Result<std::vector<Arm>> two_sides(Reader& reader, const ArmFiles& asked) {
  std::vector<Arm> arms;
  const bool baseline = !asked.baseline.empty();
  const std::vector<std::string>& before = baseline ? asked.baseline : asked.files;
  const std::vector<std::string>& after = baseline ? asked.files : asked.versus;
  for (const auto& [files, name] :
       {std::pair{&before, baseline ? "baseline" : "A"}, {&after, baseline ? "now" : "B"}}) {
    auto contents = reader.read_all(*files);
    if (!contents) return fail(contents.error());
    auto arm = join(std::move(*contents), name);
    if (!arm) return fail(arm.error());
    arms.push_back(std::move(*arm));
  }
  if (arms[0].name == "A" && arms[1].name == "B") analysis::name_by_difference(arms);
  return arms;
}

Result<std::vector<Arm>> by_key(std::vector<Content> contents, const std::string& key) {
  std::vector<ObservedRun> runs;
  for (Content& content : contents) {
    for (Arm& arm : content.arms) {
      if (!arm.stated.empty())
        return fail(ErrorKind::kUsage,
                    "--by {}: {} gives figures of the group, not of its runs; leave --by out to "
                    "compare the groups of a table",
                    printable(key), arm.name);
      std::ranges::move(arm.runs, std::back_inserter(runs));
    }
  }
  return analysis::arms_by(key, std::move(runs));
}

}  // namespace

Result<std::vector<Arm>> read_arms(const ArmFiles& asked) {
  auto expect = scenario::read_expectations("--expect", asked.expect);
  if (!expect) return fail(expect.error());
  Reader reader(std::move(*expect), asked.courses);
  if (!asked.versus.empty() || !asked.baseline.empty()) return two_sides(reader, asked);
  auto contents = reader.read_all(asked.files);
  if (!contents) return fail(contents.error());
  if (!asked.by.empty()) return by_key(std::move(*contents), asked.by);
  const auto is_table = [](const Content& content) { return content.run_id.empty(); };
  if (std::ranges::none_of(*contents, is_table)) {
    auto arm = join(std::move(*contents), "all runs");
    if (!arm) return fail(arm.error());
    return std::vector<Arm>{std::move(*arm)};
  }
  if (!std::ranges::all_of(*contents, is_table))
    return fail(ErrorKind::kUsage,
                "tables and run files together: say with --vs which are the one side and which the "
                "other");
  std::vector<Arm> arms;
  for (Content& content : *contents) std::ranges::move(content.arms, std::back_inserter(arms));
  return arms;
}

}  // namespace headroom::cli
