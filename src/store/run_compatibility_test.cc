// Files of every schema version so far are kept and stay readable. With HEADROOM_UPDATE_DATA=1 the
// file of the present version is written anew: only while that version is not yet released.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>

#include "store/run_reader.h"
#include "store/run_samples.h"
#include "store/sqlite.h"
#include "tests/support/source_folder.h"

namespace headroom::store {
namespace {

const std::filesystem::path kData = testing::source_folder() / "tests" / "data";

void update(const std::filesystem::path& path) {
  const ScratchDirectory scratch;
  make_sealed_run(scratch / "a.run");
  std::filesystem::remove(path);
  auto database = Database::open(scratch / "a.run", SQLITE_OPEN_READONLY, "a.run");
  ASSERT_TRUE(database);
  // Small pages, for a small file; the seal holds all the same.
  ASSERT_EQ(database->execute("PRAGMA page_size = 512"), SQLITE_OK);
  Statement vacuum(*database, "VACUUM INTO ?");
  ASSERT_EQ(vacuum.bind(1, std::string_view(path.native())).run(), SQLITE_OK);
}

TEST(RunCompatibility, TheSealedFileOfSchema1IsReadAndItsSealHolds) {
  const auto path = kData / "schema-1.run";
  if (std::getenv("HEADROOM_UPDATE_DATA") != nullptr) update(path);
  const auto verification = verify_run(path);
  ASSERT_TRUE(verification) << verification.error().message;
  EXPECT_EQ(verification->state, SealState::kSealed);
  EXPECT_EQ(verification->schema_version, 1);
  const auto run = read_run(path);
  ASSERT_TRUE(run) << run.error().message;
  record::Run expected = sample_run();
  expected.header.scenario_toml = run->header.scenario_toml;  // options may have come since
  expected.header.scenario = run->header.scenario;
  expected.end = record::RunEnd::kComplete;
  expected.end_reason = "all phases done";
  expected.warnings.resize(run->warnings.size());  // and kinds of warnings and events
  expected.events.resize(run->events.size());
  expect_same_run(*run, expected);
}

}  // namespace
}  // namespace headroom::store
