#include "serve/catalogue.h"

#include <gmock/gmock.h>

#include <fstream>

#include "base/file.h"
#include "tests/support/run_builder.h"
#include "tests/support/run_files.h"

namespace headroom::serve {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Nanos kAmple = std::chrono::seconds{60};

void write_named(const fs::path& path, const std::string& name) {
  headroom::testing::RunBuilder builder;
  builder.measure(3).edit([&](record::Run& run) { run.header.scenario.name = name; });
  headroom::testing::write_run_file(path, builder.build());
}

class CatalogueTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = TempDir::create("headroom-catalogue");
    ASSERT_TRUE(made);
    dir_.emplace(std::move(*made));
    fs::create_directory(runs());
  }
  [[nodiscard]] fs::path outside() const { return dir_->path(); }
  [[nodiscard]] fs::path runs() const { return dir_->path() / "runs"; }
  [[nodiscard]] Catalogue open() const { return Catalogue::open(runs()).value(); }
  // What the list says of a run, or why it says nothing.
  static std::string scenario_of(const ListedRun& run) {
    return run.entry ? run.entry->scenario : "no entry: " + run.problem;
  }
  static std::vector<std::string> names(const Listing& listing) {
    std::vector<std::string> result;
    for (const ListedRun& run : listing.runs) result.push_back(run.file);
    return result;
  }

 private:
  std::optional<TempDir> dir_;
};

TEST_F(CatalogueTest, ListsRunFilesInFoldersAndNothingElse) {
  write_named(runs() / "b.run", "b");
  write_named(runs() / "deep" / "er" / "a.run", "a");
  std::ofstream(runs() / "notes.txt") << "no run";
  fs::create_directory(runs() / "folder.run");
  Catalogue catalogue = open();
  const Listing listing = catalogue.list(kAmple);
  EXPECT_THAT(names(listing), ElementsAre("b.run", "deep/er/a.run"));
  EXPECT_EQ(scenario_of(listing.runs[0]), "b");
  EXPECT_EQ(listing.unread, 0);
  EXPECT_FALSE(listing.too_many);
}

TEST_F(CatalogueTest, SaysWhyAFileCannotBeRead) {
  std::ofstream(runs() / "broken.run") << "not a database";
  Catalogue catalogue = open();
  const Listing listing = catalogue.list(kAmple);
  ASSERT_EQ(listing.runs.size(), 1);
  EXPECT_FALSE(listing.runs[0].entry);
  EXPECT_FALSE(listing.runs[0].problem.empty());
  EXPECT_THAT(listing.runs[0].problem, ::testing::Not(HasSubstr(runs().string())));
}

TEST_F(CatalogueTest, ReadsAFileAgainOnlyWhenItChanged) {
  write_named(runs() / "a.run", "before");
  Catalogue catalogue = open();
  EXPECT_EQ(scenario_of(catalogue.list(kAmple).runs.at(0)), "before");
  // No time to read: what is known is from before.
  EXPECT_EQ(scenario_of(catalogue.list(Nanos{0}).runs.at(0)), "before");
  fs::remove(runs() / "a.run");
  write_named(runs() / "a.run", "a-much-longer-name-after");
  const Listing unread = catalogue.list(Nanos{0});
  EXPECT_FALSE(unread.runs[0].entry);
  EXPECT_EQ(unread.unread, 1);
  EXPECT_EQ(scenario_of(catalogue.list(kAmple).runs.at(0)), "a-much-longer-name-after");
}

TEST_F(CatalogueTest, ReadsTheRestTheNextTime) {
  for (int i = 0; i < 5; ++i) write_named(runs() / (std::to_string(i) + ".run"), "x");
  Catalogue catalogue = open();
  Listing listing = catalogue.list(Nanos{0});
  EXPECT_EQ(listing.runs.size(), 5);
  EXPECT_EQ(listing.unread, 5);
  listing = catalogue.list(kAmple);
  EXPECT_EQ(listing.unread, 0);
  for (const ListedRun& run : listing.runs) EXPECT_TRUE(run.entry);
}

TEST_F(CatalogueTest, FollowsNoLinkThatLeadsOut) {
  write_named(outside() / "secret.run", "secret");
  fs::create_directory(outside() / "elsewhere");
  write_named(outside() / "elsewhere" / "other.run", "other");
  write_named(runs() / "own.run", "own");
  fs::create_symlink(outside() / "secret.run", runs() / "link.run");
  fs::create_symlink("../secret.run", runs() / "relative.run");
  fs::create_symlink(outside() / "elsewhere", runs() / "folder");
  fs::create_symlink("own.run", runs() / "inside.run");
  fs::create_symlink("nothing.run", runs() / "dangling.run");
  Catalogue catalogue = open();
  EXPECT_THAT(names(catalogue.list(kAmple)), ElementsAre("inside.run", "own.run"));
  for (const char* name : {"link.run", "relative.run", "folder/other.run", "dangling.run"})
    EXPECT_FALSE(catalogue.find(name)) << name;
  EXPECT_TRUE(catalogue.find("own.run"));
  EXPECT_TRUE(catalogue.find("inside.run"));
}

TEST_F(CatalogueTest, FindsNothingOutside) {
  write_named(outside() / "secret.run", "secret");
  write_named(runs() / "own.run", "own");
  const Catalogue catalogue = open();
  for (const std::string& name :
       {std::string("../secret.run"), std::string("/etc/passwd"),
        (outside() / "secret.run").string(), std::string("./own.run"), std::string("a/../own.run"),
        std::string("own.run/"), std::string(""), std::string("."), std::string(".."),
        std::string("own.run\0.run", 12), std::string("a//own.run"), std::string("OWN.run"),
        std::string("..%2fsecret.run"), std::string("..\\secret.run")})
    EXPECT_FALSE(catalogue.find(name)) << name;
  EXPECT_EQ(catalogue.find("own.run"), fs::canonical(runs()) / "own.run");
}

TEST_F(CatalogueTest, WantsADirectory) {
  std::ofstream(runs() / "file") << "x";
  for (const fs::path& path : {runs() / "file", runs() / "nothing"}) {
    const auto catalogue = Catalogue::open(path);
    ASSERT_FALSE(catalogue);
    EXPECT_EQ(catalogue.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(catalogue.error().message, HasSubstr("give"));
  }
  EXPECT_THAT(open().list(kAmple).runs, IsEmpty());
}

}  // namespace
}  // namespace headroom::serve
