#include "serve/site.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "report/html.h"
#include "tests/support/run_files.h"
#include "tests/support/sample_runs.h"

namespace headroom::serve {
namespace {

namespace fs = std::filesystem;
using headroom::testing::RunBuilder;
using headroom::testing::write_run_file;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

// Whether a page holds a text; a matcher would print the page.
bool has(const HttpResponse& page, std::string_view text) {
  return page.body.find(text) != std::string::npos;
}

constexpr std::string_view kEvil = "</script><script>alert(1)</script>";

class SiteTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = TempDir::create("headroom-site");
    ASSERT_TRUE(made);
    dir_.emplace(std::move(*made));
    write("full.run", headroom::testing::boundary_run());
    write("room/y.run", headroom::testing::headroom_run());
    site_.emplace(Catalogue::open(dir_->path()).value());
  }
  void write(const std::string& name, RunBuilder builder, std::string run_id = "") {
    record::Run run = builder.build();
    run.header.run_id = run_id.empty() ? name : std::move(run_id);
    write_run_file(dir_->path() / name, std::move(run));
  }
  HttpResponse get(const std::string& path, std::multimap<std::string, std::string> query = {}) {
    HttpRequest request;
    request.method = "GET";
    request.path = path;
    request.query = std::move(query);
    return site_->answer(request);
  }
  // Until every file was read.
  nlohmann::json listing() {
    nlohmann::json list;
    do list = nlohmann::json::parse(get("/runs.json").body);
    while (list["unread"] > 0);
    return list;
  }

  std::optional<TempDir> dir_;
  std::optional<Site> site_;
};

TEST_F(SiteTest, ListsEveryRunWithItsFiguresAndPictures) {
  const nlohmann::json list = listing();
  ASSERT_THAT(list["runs"], SizeIs(2));
  const nlohmann::json& run = list["runs"][0];
  EXPECT_EQ(run["file"], "full.run");
  EXPECT_EQ(run["problem"], nullptr);
  EXPECT_EQ(run["entry"]["regime"], "boundary");
  EXPECT_EQ(run["entry"]["throughput_per_s"], 56'100);
  EXPECT_THAT(run["entry"]["lines"]["throughput_per_s"], SizeIs(40));
  EXPECT_EQ(list["runs"][1]["file"], "room/y.run");
}

TEST_F(SiteTest, ShowsTheListAsAPageWithAPolicy) {
  const HttpResponse page = get("/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  EXPECT_TRUE(has(page, "\"file\":\"full.run\""));
  ASSERT_THAT(page.headers, SizeIs(1));
  EXPECT_EQ(page.headers[0].first, "Content-Security-Policy");
  EXPECT_THAT(page.headers[0].second,
              AllOf(HasSubstr("default-src 'none'"), HasSubstr("script-src 'sha256-"),
                    HasSubstr("frame-ancestors 'none'"), Not(HasSubstr("unsafe"))));
}

TEST_F(SiteTest, OpensAReport) {
  const HttpResponse page = get("/run/room/y.run");
  EXPECT_EQ(page.status, 200);
  EXPECT_TRUE(report::is_html_report(page.body));
  EXPECT_TRUE(has(page, "\"file\":\"room/y.run\""));
  EXPECT_TRUE(has(page, "\"served\":{\"list\":\"/\",\"events\":null"));
  EXPECT_FALSE(has(page, dir_->path().string()));
  const nlohmann::json summary = nlohmann::json::parse(get("/json/room/y.run").body);
  EXPECT_EQ(summary["run"]["seal"], "sealed");
}

TEST_F(SiteTest, FindsNothingThatIsNotListed) {
  for (const char* path :
       {"/run/", "/run/no.run", "/run/../full.run", "/run//etc/passwd", "/run", "/full.run",
        "/json/../../etc/passwd", "/index.html", "//", "/runs.json/"})
    EXPECT_EQ(get(path).status, 404) << path;
}

TEST_F(SiteTest, SaysWhyARunCannotBeShownWithoutSayingWhereItIs) {
  ASSERT_TRUE(write_file(dir_->path() / "broken.run", "no database"));
  const HttpResponse page = get("/run/broken.run");
  EXPECT_EQ(page.status, 422);
  EXPECT_THAT(page.body, AllOf(HasSubstr("broken.run: "), Not(HasSubstr(dir_->path().string()))));
}

TEST_F(SiteTest, ComparesRunsByWhatTheyDifferIn) {
  for (const char* name : {"a1.run", "a2.run"}) write(name, RunBuilder());
  for (const char* name : {"b1.run", "b2.run"}) {
    RunBuilder builder;
    builder.edit([](record::Run& run) { run.header.scenario.load.pipeline = 4; });
    write(name, std::move(builder));
  }
  const HttpResponse page =
      get("/compare", {{"run", "a1.run"}, {"run", "b1.run"}, {"run", "a2.run"}, {"run", "b2.run"}});
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  EXPECT_TRUE(has(page, "load.pipeline = 1"));
  EXPECT_TRUE(has(page, "load.pipeline = 4"));
}

TEST_F(SiteTest, ShowsRepeatsOfOneThingAsAGroup) {
  for (const char* name : {"a1.run", "a2.run"}) write(name, RunBuilder());
  const HttpResponse page = get("/compare", {{"run", "a1.run"}, {"run", "a2.run"}});
  EXPECT_EQ(page.content_type, "text/html; charset=utf-8");
  EXPECT_TRUE(has(page, "\"schema\":\"headroom-group\""));
}

TEST_F(SiteTest, RefusesAComparisonOfFewerThanTwoRuns) {
  EXPECT_EQ(get("/compare").status, 400);
  EXPECT_EQ(get("/compare", {{"run", "full.run"}}).status, 400);
  write("copy.run", headroom::testing::boundary_run(), "full.run");  // the same run again
  EXPECT_EQ(get("/compare", {{"run", "full.run"}, {"run", "copy.run"}}).status, 400);
  EXPECT_EQ(get("/compare", {{"run", "full.run"}, {"run", "../x.run"}}).status, 404);
}

TEST_F(SiteTest, ShowsMarkupInARunFileAsText) {
  RunBuilder builder;
  builder.edit([](record::Run& run) {
    run.header.command_line = std::string(kEvil);
    run.facts["engine.version"] = kEvil;
    run.facts[std::string(kEvil)] = kEvil;
    run.header.operations[0] = "<img src=x onerror=alert(1)>";
    run.warnings = {{record::WarningKind::kTelemetryAbsent, std::string(kEvil)}};
  });
  write("<img src=x>.run", std::move(builder));
  listing();
  for (const HttpResponse& page : {get("/"), get("/run/<img src=x>.run")}) {
    EXPECT_EQ(page.status, 200);
    EXPECT_FALSE(has(page, kEvil));
    EXPECT_FALSE(has(page, "<img"));
  }
  const HttpResponse compared = get("/compare", {{"run", "<img src=x>.run"}, {"run", "full.run"}});
  EXPECT_EQ(compared.status, 200);
  EXPECT_FALSE(has(compared, kEvil));
  EXPECT_FALSE(has(compared, "<img"));
}

}  // namespace
}  // namespace headroom::serve
