// `headroom report --html` and --open: the page is written, nothing but an older page is replaced,
// and the desktop is asked to show it.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "report/html.h"
#include "scripted/scripted_server.h"
#include "tests/e2e/harness.h"

namespace headroom::e2e {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ReportPageTest : public Test {
 protected:
  void SetUp() override {
    Test::SetUp();
    auto server = scripted::ScriptedServer::start(scripted::Script());
    ASSERT_TRUE(server);
    const std::string file = endpoint_scenario(
        (*server)->address(), "[workload]\nkeys = 1000\n[timing]\nmeasure = \"1s\"\n");
    const Finished finished = run_headroom({"run", file, "-o", "a.run", "--quiet"}, options());
    ASSERT_EQ(finished.exit_code, 0) << finished.err;
  }

  Finished report(std::vector<std::string> arguments, std::vector<std::string> environment = {}) {
    arguments.insert(arguments.begin(), "report");
    StartOptions with = options();
    with.environment.insert(with.environment.end(), environment.begin(), environment.end());
    return run_headroom(arguments, with);
  }

  // Puts an xdg-open on PATH that writes down what it is asked to show.
  std::string path_with_opener() {
    fs::create_directory(path("bin"));
    std::ofstream(path("bin/xdg-open"))
        << "#!/bin/sh\necho \"$1\" > shown.part && mv shown.part shown\n";
    fs::permissions(path("bin/xdg-open"), fs::perms::owner_all);
    return "PATH=" + path("bin").string() + ":" + std::getenv("PATH");
  }
};

TEST_F(ReportPageTest, WritesAPageAndReplacesIt) {
  for (int time = 0; time < 2; ++time) {
    const Finished finished = report({"a.run", "--html", "page.html"});
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    EXPECT_THAT(finished.out + finished.err, IsEmpty());
    const std::string page = read_file(path("page.html")).value_or("");
    EXPECT_TRUE(report::is_html_report(page));
    EXPECT_THAT(page, HasSubstr("\"file\":\"a.run\""));
  }
}

TEST_F(ReportPageTest, WritesToAPipe) {
  if (!std::filesystem::exists("/dev/stdout")) GTEST_SKIP() << "this machine has no /dev/stdout";
  const Finished finished = report({"a.run", "--html", "/dev/stdout"});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_TRUE(report::is_html_report(finished.out));
}

TEST_F(ReportPageTest, ReplacesNothingElse) {
  const std::string before = read_file(path("a.run")).value_or("");
  const Finished finished = report({"a.run", "--html", "a.run"});
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(error_lines(finished), ElementsAre(AllOf(HasSubstr("a.run: is there and is no report "
                                                                 "page"),
                                                       HasSubstr("another name to --html"))));
  EXPECT_EQ(read_file(path("a.run")).value_or(""), before);
}

TEST_F(ReportPageTest, RefusesTwoFormatsAtOnce) {
  EXPECT_EQ(report({"a.run", "--html", "page.html", "--json"}).exit_code, 2);
  EXPECT_EQ(report({"a.run", "--html", ""}).exit_code, 2);
  EXPECT_FALSE(fs::exists(path("page.html")));
}

TEST_F(ReportPageTest, OpensThePageBesideTheRunFile) {
  const Finished finished = report({"a.run", "--open"}, {path_with_opener()});
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  ASSERT_TRUE(wait_until([&] { return fs::exists(path("shown")); }, 20s));
  EXPECT_EQ(read_file(path("shown")).value_or(""), path("a.html").string() + "\n");
  EXPECT_TRUE(report::is_html_report(read_file(path("a.html")).value_or("")));
}

TEST_F(ReportPageTest, SaysThatThePageIsThereWhenNothingCanShowIt) {
  const Finished finished =
      report({"a.run", "--html", "page.html", "--open"}, {"PATH=" + path("nothing").string()});
  EXPECT_EQ(finished.exit_code, 4);
  EXPECT_THAT(
      error_lines(finished),
      ElementsAre(AllOf(HasSubstr("page.html: written, but not shown"), HasSubstr("xdg-open"))));
  EXPECT_TRUE(fs::exists(path("page.html")));
}

}  // namespace
}  // namespace headroom::e2e
