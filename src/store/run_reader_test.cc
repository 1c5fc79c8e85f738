// Files that are not what they should be.
#include "store/run_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "base/random.h"
#include "store/run_samples.h"
#include "store/sqlite.h"

namespace headroom::store {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const std::filesystem::path& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

class RunReader : public testing::Test {
 protected:
  RunReader() { make_sealed_run(path_); }

  // Changes the sealed file as another program would.
  void change(const std::string& sql) {
    ::chmod(path_.c_str(), 0644);
    auto database = Database::open(path_, SQLITE_OPEN_READWRITE, path_);
    ASSERT_TRUE(database);
    ASSERT_EQ(database->execute(sql.c_str()), SQLITE_OK) << sql << ": " << database->failure();
  }
  // read_run's complaint: one line that names the file.
  std::string complaint() {
    const auto run = read_run(path_);
    if (run) return "none";
    EXPECT_EQ(run.error().kind, ErrorKind::kUsage) << run.error().message;
    EXPECT_THAT(run.error().message, AllOf(HasSubstr(path_.string()), Not(HasSubstr("\n"))));
    return run.error().message;
  }
  SealState state() {
    const auto verification = verify_run(path_);
    EXPECT_TRUE(verification) << verification.error().message;
    return verification ? verification->state : SealState::kIncomplete;
  }

  ScratchDirectory scratch_;
  std::filesystem::path path_ = scratch_ / "a.run";
};

TEST_F(RunReader, SaysWhatANonRunFileIs) {
  write(scratch_ / "empty", "");
  write(scratch_ / "text", std::string(5'000, 'x'));
  write(scratch_ / "short", "SQLite");
  ASSERT_EQ(::mkfifo((scratch_ / "pipe").c_str(), 0644), 0);
  const std::pair<const char*, const char*> cases[] = {
      {"empty", "is empty"},          {"text", "is no run file"},  {"short", "is no run file"},
      {"pipe", "is no regular file"}, {"missing", "No such file"}, {".", "is a directory"}};
  for (const auto& [name, words] : cases) {
    const auto run = read_run(scratch_ / name);
    ASSERT_FALSE(run) << name;
    EXPECT_EQ(run.error().kind, ErrorKind::kUsage) << name;
    EXPECT_THAT(run.error().message, AllOf(HasSubstr(name), HasSubstr(words)));
    EXPECT_FALSE(verify_run(scratch_ / name));
  }
}

TEST_F(RunReader, RefusesADatabaseOfAnotherProgram) {
  change("PRAGMA application_id = 7");
  EXPECT_THAT(complaint(), HasSubstr("no run file"));
}

TEST_F(RunReader, RefusesANewerSchemaAndSaysWhich) {
  change("PRAGMA user_version = 7");
  EXPECT_THAT(complaint(), HasSubstr("newer Headroom: schema 7, this one reads up to 1"));
}

TEST_F(RunReader, RefusesASchemaThatIsNotExactlyItsOwn) {
  const std::pair<const char*, const char*> changes[] = {
      {"DROP TABLE events", "events"},
      {"CREATE TABLE extra (x)", "extra"},
      {"CREATE INDEX extra ON samples (time_ns)", "extra"},
      {"ALTER TABLE receipts ADD COLUMN more", "receipts"},
      {"DROP TABLE facts; CREATE VIEW facts AS WITH RECURSIVE f(key, value) AS"
       " (SELECT 'a', 'b' UNION ALL SELECT key, value FROM f) SELECT * FROM f",
       "facts"},
      {"CREATE TRIGGER extra AFTER INSERT ON facts BEGIN DELETE FROM facts; END", "extra"},
      {"DROP TABLE metrics; CREATE VIEW metrics AS SELECT 0 metric_id, 'x' name", "metrics"},
      {"INSERT INTO metrics VALUES (999, 'x', '', '', '', '')", "metric"}};
  const std::string sealed = content(path_);
  for (const auto& [sql, name] : changes) {
    ::chmod(path_.c_str(), 0644);
    write(path_, sealed);
    change(sql);
    EXPECT_THAT(complaint(), HasSubstr(name)) << sql;
    EXPECT_FALSE(verify_run(path_)) << sql;
  }
}

TEST_F(RunReader, RefusesWrongContentNamingTheTable) {
  const std::pair<const char*, const char*> changes[] = {
      {"UPDATE phases SET phase = 99 WHERE phase = 4", "table phases: column phase"},
      {"UPDATE phases SET begin_ns = 'soon'", "table phases: column begin_ns"},
      {"UPDATE phases SET begin_ns = 9223372036854775807", "table phases: column begin_ns"},
      {"UPDATE phases SET end_ns = begin_ns - 1", "is before begin_ns"},
      {"UPDATE intervals SET workers = -1", "table intervals: column workers"},
      {"UPDATE intervals SET interval_id = interval_id + 7", "unknown interval"},
      {"UPDATE interval_counts SET sent = -1", "table interval_counts: column sent"},
      {"UPDATE interval_counts SET operation_id = 9 WHERE operation_id = 1", "interval_counts"},
      {"UPDATE latencies SET histogram = x'00ff'", "table latencies: column histogram"},
      {"UPDATE latencies SET histogram = zeroblob(1000000)", "table latencies"},
      {"UPDATE latencies SET count = count + 1", "disagrees with the histogram"},
      {"UPDATE latencies SET operation_id = 1, outcome = 0, kind = 0", "same histogram twice"},
      {"DELETE FROM worker_counts WHERE worker = 1", "worker_counts"},
      {"UPDATE worker_intervals SET worker = 70000 WHERE worker = 1", "worker_intervals"},
      {"UPDATE worker_failures SET worker = 5 WHERE worker = 1", "table worker_failures"},
      {"UPDATE worker_schedules SET worker = 5 WHERE worker = 1", "table worker_schedules"},
      {"UPDATE worker_latencies SET window_id = 77", "unknown window"},
      {"UPDATE labelled_samples SET series_id = 77 + series_id", "unknown series"},
      {"UPDATE labelled_series SET metric_id = 9999", "table labelled_series"},
      {"UPDATE cache_aside SET interval_id = interval_id + 77", "table cache_aside"},
      {"UPDATE cache_aside SET filled = filled + 1", "disagrees with the histogram"},
      {"UPDATE split_latencies SET part = 100 WHERE split = 0", "is no part of that split"},
      {"UPDATE split_latencies SET split = 7", "table split_latencies: column split"},
      {"INSERT INTO split_latencies SELECT NULL, split, part, operation_id, outcome, kind, count,"
       " p50_ns, p99_ns, max_ns, histogram FROM split_latencies",
       "same histogram twice"},
      {"UPDATE slowest_requests SET operation_id = 7", "table slowest_requests"},
      {"UPDATE slowest_requests SET service_ns = -1", "table slowest_requests"},
      {"UPDATE events SET kind = 77", "holds the unknown value 77"},
      {"UPDATE warnings SET kind = 77", "table warnings: column kind"},
      {"UPDATE receipts SET proved = 2", "table receipts: column proved"},
      {"UPDATE ending SET run_end = 9", "table ending: column run_end"},
      {"UPDATE run SET scenario_toml = 'load.wrokers = 3'", "its scenario is refused"},
      {"DELETE FROM run", "table run has 0 rows"},
      {"UPDATE operations SET operation_id = 5 WHERE operation_id = 1", "table operations"}};
  const std::string sealed = content(path_);
  for (const auto& [sql, words] : changes) {
    ::chmod(path_.c_str(), 0644);
    write(path_, sealed);
    change(sql);
    EXPECT_THAT(complaint(), HasSubstr(words)) << sql;
    EXPECT_EQ(state(), SealState::kTampered) << sql;
  }
}

TEST_F(RunReader, AnyChangeOfAValueIsSeenByTheDigest) {
  ASSERT_EQ(state(), SealState::kSealed);
  const std::string sealed = content(path_);
  for (const char* sql :
       {"UPDATE run SET command_line = command_line || ' '",
        "UPDATE facts SET value = value || 'x' WHERE key = 'empty'",
        "UPDATE phases SET begin_ns = begin_ns - 1 WHERE phase = 3",
        "UPDATE samples SET BytesUsedForCache = BytesUsedForCache + 1 WHERE sample_id = 1",
        "UPDATE samples SET maxmemory = 0 WHERE sample_id = 1",  // absent is not zero
        "DELETE FROM events WHERE event_id = 2", "INSERT INTO warnings VALUES (99, 1, 'x')",
        "UPDATE ending SET reason = 'another'", "UPDATE about SET explanation = ''",
        "UPDATE warning_kinds SET next_step = '' WHERE kind = 1",
        "UPDATE worker_windows SET loop_lag = CAST(loop_lag AS TEXT)",
        "UPDATE seal SET digest = lower(hex(zeroblob(32)))", "DELETE FROM seal"}) {
    ::chmod(path_.c_str(), 0644);
    write(path_, sealed);
    change(sql);
    EXPECT_EQ(state(), SealState::kTampered) << sql;
  }
}

TEST_F(RunReader, TheDigestDoesNotDependOnTheLayoutOfTheFile) {
  change("PRAGMA page_size = 1024; VACUUM");
  EXPECT_EQ(state(), SealState::kSealed);
}

TEST_F(RunReader, RefusesAFileBesideWhichAJournalLies) {
  write(scratch_ / "a.run-journal", "anything");
  EXPECT_THAT(complaint(), HasSubstr("another program began to change it"));
  EXPECT_EQ(content(scratch_ / "a.run-journal"), "anything");
}

TEST_F(RunReader, ASealedFileThatIsDamagedIsNoIncompleteRun) {
  const std::string sealed = content(path_);
  ::chmod(path_.c_str(), 0644);
  const auto expect_unreadable = [&](const char* how) {
    const auto verification = verify_run(path_);
    ASSERT_FALSE(verification) << how;
    EXPECT_EQ(verification.error().kind, ErrorKind::kUsage) << verification.error().message;
    EXPECT_NE(complaint(), "none") << how;
  };
  for (const std::size_t part : {2U, 3U, 10U}) {
    write(path_, sealed.substr(0, sealed.size() / part));
    expect_unreadable("truncated");
  }
  std::string zeroed = sealed;
  zeroed.replace(4'096, std::string::npos, sealed.size() - 4'096, '\0');
  write(path_, zeroed);
  expect_unreadable("zeros");
  write(scratch_ / "a.run-journal", "anything");
  expect_unreadable("a journal");
}

// Whatever is changed, the reader may refuse or accept, but must neither crash nor run for ever.
TEST_F(RunReader, SurvivesAnyMutation) {
  change("PRAGMA page_size = 1024; VACUUM");
  const std::string good = content(path_);
  const auto mutant = scratch_ / "mutant.run";
  Random random(11);
  int accepted = 0;
  constexpr int kMutants = 400;
  for (int i = 0; i < kMutants; ++i) {
    std::string bytes = good;
    const std::uint64_t flips = 1 + random.below(8);
    for (std::uint64_t flip = 0; flip < flips; ++flip) {
      bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
    }
    if (random.below(8) == 0) bytes.resize(random.below(bytes.size()));
    write(mutant, bytes);
    if (read_run(mutant)) ++accepted;
    const auto verification = verify_run(mutant);
    if (!verification) {
      EXPECT_EQ(verification.error().kind, ErrorKind::kUsage);
    }
    const bool changed = bytes != good;
    if (verification && changed && verification->state == SealState::kSealed) {
      // Only bytes that hold nothing (free space, counters of SQLite's) may differ.
      EXPECT_TRUE(read_run(mutant));
    }
  }
  EXPECT_LT(accepted, kMutants);
}

TEST_F(RunReader, GivesTheLogOfRequestsOneByOne) {
  std::vector<record::RequestRecord> requests;
  const Status read = read_request_log(
      path_, [&](const std::vector<std::string>& operations, const record::RequestRecord& request) {
        EXPECT_EQ(operations, sample_header().operations);
        requests.push_back(request);
      });
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(requests, sample_requests());
  change("UPDATE request_log SET outcome = 77");
  const Status damaged = read_request_log(path_, [](const auto&, const auto&) {});
  ASSERT_FALSE(damaged);
  EXPECT_THAT(damaged.error().message, HasSubstr("table request_log"));
}

TEST_F(RunReader, LeavesOutTheLatenciesOfSecondsWhereThoseOfPhasesSayTheSame) {
  const auto has_seconds = [](const Result<record::Run>& run) {
    return std::ranges::any_of(run->intervals, [](const record::MergedInterval& interval) {
      return !interval.latencies.empty();
    });
  };
  const auto everything = read_run(path_);
  const auto phases = read_run(path_, Detail::kPhases);
  ASSERT_TRUE(everything && phases);
  EXPECT_TRUE(has_seconds(everything));
  EXPECT_FALSE(has_seconds(phases));
  EXPECT_EQ(phases->intervals.size(), everything->intervals.size());
  EXPECT_EQ(phases->worker_windows.size(), everything->worker_windows.size());
  // A run that died never wrote those of its phases.
  {
    RunWriter writer = must_create(scratch_ / "died.run");
    write_run(writer, sample_run());
  }
  const auto died = read_run(scratch_ / "died.run", Detail::kPhases);
  ASSERT_TRUE(died) << died.error().message;
  EXPECT_TRUE(has_seconds(died));
}

}  // namespace
}  // namespace headroom::store
