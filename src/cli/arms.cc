#include "cli/arms.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "analysis/comparison.h"
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
  bool table = false;
};

// Run files begin with "SQLite format 3"; a table is JSON.
bool looks_like_json(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  char first = 0;
  return stream >> first && (first == '{' || first == '[');
}

class Reader {
 public:
  Result<Content> read(const std::string& file) {
    if (looks_like_json(file)) return read_table(file);
    const auto verification = store::verify_run(file);
    if (!verification) return fail(verification.error());
    const auto run = store::read_run(file);
    if (!run) return fail(run.error());
    if (!seen_.insert(run->header.run_id).second)
      return fail(ErrorKind::kUsage, "{}: is a run that was given already; compare each run once",
                  printable(file));
    std::optional<bool> intact;
    if (verification->state != store::SealState::kIncomplete)
      intact = verification->state == store::SealState::kSealed;
    Content content;
    content.arms.emplace_back();
    content.arms.back().runs.push_back(
        analysis::observe(*run, analysis::summarize(*run),
                          printable(std::filesystem::path(file).filename().string(), 80), intact));
    return content;
  }

 private:
  static Result<Content> read_table(const std::string& file) {
    const auto text = read_file(file);
    if (!text) return fail(text.error());
    auto arms = interop::read_run_summaries(*text, file);
    if (!arms) return fail(arms.error());
    return Content{std::move(*arms), true};
  }

  std::set<std::string> seen_;  // run ids
};

// All that the files of one side hold.
Result<std::vector<Content>> read_all(Reader& reader, const std::vector<std::string>& files) {
  std::vector<Content> contents;
  for (const std::string& file : files) {
    auto content = reader.read(file);
    if (!content) return fail(content.error());
    contents.push_back(std::move(*content));
  }
  return contents;
}

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
  for (const auto& [files, name] : {std::pair{&asked.files, "A"}, {&asked.versus, "B"}}) {
    auto contents = read_all(reader, *files);
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
  Reader reader;
  if (!asked.versus.empty()) return two_sides(reader, asked);
  auto contents = read_all(reader, asked.files);
  if (!contents) return fail(contents.error());
  if (!asked.by.empty()) return by_key(std::move(*contents), asked.by);
  const auto is_table = [](const Content& content) { return content.table; };
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
