// `headroom serve DIR` and `headroom run --serve` as a browser and Prometheus meet them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <filesystem>
#include <regex>

#include "report/html.h"
#include "scripted/scripted_server.h"
#include "tests/e2e/harness.h"
#include "tests/support/raw_client.h"

namespace headroom::e2e {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using headroom::testing::RawClient;
using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr Nanos kPatience = 60s;

// What a server answers to bytes as they stand.
std::string ask(std::uint16_t port, const std::string& bytes) {
  auto client = RawClient::connect({"127.0.0.1", port, ""});
  if (!client || !client->send(bytes)) return "no connection";
  return client->read_to_end();
}

std::string get(std::uint16_t port, const std::string& path, const std::string& headers = "") {
  return ask(port,
             fmt::format("GET {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{}\r\n", path, port, headers));
}

std::string body_of(const std::string& answer) {
  const std::size_t end = answer.find("\r\n\r\n");
  return end == std::string::npos ? std::string() : answer.substr(end + 4);
}

// A text that must not be printed whole when it lacks something.
bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

class ServeTest : public Test {
 protected:
  void SetUp() override {
    Test::SetUp();
    auto server = scripted::ScriptedServer::start(scripted::Script());
    ASSERT_TRUE(server);
    engine_ = std::move(*server);
  }

  // A run of so many seconds against a server that replies at once.
  [[nodiscard]] std::string short_scenario(int seconds) const {
    return endpoint_scenario(
        engine_->address(),
        fmt::format("[workload]\nkeys = 1000\n[timing]\nmeasure = \"{}s\"\n", seconds));
  }
  void make_run(const std::string& file) const {
    const Finished finished = run_headroom({"run", short_scenario(1), "-o", file, "--quiet",
                                            "--set", "target.allow_existing_data=true"},
                                           options());
    ASSERT_EQ(finished.exit_code, 0) << finished.err;
  }
  // The port that a program says it serves on.
  static std::uint16_t port_of(const Headroom& program) {
    static const std::regex kUrl("http://127\\.0\\.0\\.1:([0-9]+)/");
    std::smatch found;
    std::string err;
    EXPECT_TRUE(wait_until(
        [&] {
          err = program.err();
          return std::regex_search(err, found, kUrl);
        },
        kPatience))
        << err;
    return found.empty() ? 0 : static_cast<std::uint16_t>(std::stoi(found[1]));
  }

  std::unique_ptr<scripted::ScriptedServer> engine_;
};

TEST_F(ServeTest, ListsRunsAndOpensTheirReports) {
  make_run("runs/a.run");
  make_run("runs/b.run");
  Headroom server({"serve", "runs", "--listen", "127.0.0.1:0"}, options());
  const std::uint16_t port = port_of(server);
  const auto listing = [&] { return json::parse(body_of(get(port, "/runs.json"))); };
  ASSERT_TRUE(wait_until([&] { return listing()["unread"] == 0; }, kPatience));
  const json runs = listing()["runs"];
  ASSERT_THAT(runs, SizeIs(2));
  EXPECT_EQ(runs[0]["entry"]["state"], "complete");
  EXPECT_GT(runs[0]["entry"]["throughput_per_s"], 0);
  EXPECT_TRUE(report::is_html_report(body_of(get(port, "/"))));
  EXPECT_TRUE(has(get(port, "/run/a.run"), "\"file\":\"a.run\""));
  EXPECT_TRUE(has(get(port, "/compare?run=a.run&run=b.run"), "headroom-group"));
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait(kPatience).exit_code, 0);
}

TEST_F(ServeTest, GivesNothingThatIsNoRunOfTheDirectory) {
  make_run("runs/a.run");
  make_run("secret.run");
  fs::create_symlink(path("secret.run"), path("runs/link.run"));
  Headroom server({"serve", "runs", "--listen", "127.0.0.1:0"}, options());
  const std::uint16_t port = port_of(server);
  for (const char* target :
       {"/run/../secret.run", "/run/..%2fsecret.run", "/run/%2e%2e/secret.run", "/run/link.run",
        "/run//etc/passwd", "/run/%2fetc%2fpasswd", "/../secret.run", "/run/a.run%00.html",
        "/run/....//secret.run", "/json/../secret.run"}) {
    EXPECT_THAT(get(port, target).substr(0, 12), StartsWith("HTTP/1.1 40")) << target;
  }
  EXPECT_THAT(get(port, "/run/a.run").substr(0, 15), StartsWith("HTTP/1.1 200"));
}

TEST_F(ServeTest, RefusesOtherNamesOtherSitesAndOtherMethods) {
  make_run("runs/a.run");
  Headroom server({"serve", "runs", "--listen", "127.0.0.1:0"}, options());
  const std::uint16_t port = port_of(server);
  const auto status = [](const std::string& answer) { return answer.substr(9, 3); };
  EXPECT_EQ(status(ask(port, fmt::format("GET / HTTP/1.1\r\nHost: evil.example:{}\r\n\r\n", port))),
            "421");
  EXPECT_EQ(status(get(port, "/", "Origin: http://evil.example\r\n")), "403");
  EXPECT_EQ(status(ask(port, fmt::format("DELETE /run/a.run HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n",
                                         port))),
            "405");
  EXPECT_EQ(status(get(port, "/" + std::string(20'000, 'a'))), "414");
  EXPECT_TRUE(fs::exists(path("runs/a.run")));
  EXPECT_EQ(status(get(port, "/")), "200");
}

TEST_F(ServeTest, SaysWhatIsWrongWithItsArguments) {
  fs::create_directory(path("runs"));
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"serve", "nowhere"},
                                                    {"serve", "runs", "--listen", "9000"},
                                                    {"serve", "runs", "--listen", "192.0.2.1:0"},
                                                    {"serve"}}) {
    const Finished finished = run_headroom(arguments, options());
    EXPECT_EQ(finished.exit_code, 2) << finished.err;
    EXPECT_THAT(error_lines(finished), SizeIs(1)) << finished.err;
  }
  Headroom first({"serve", "runs", "--listen", "127.0.0.1:0"}, options());
  const Finished second = run_headroom(
      {"serve", "runs", "--listen", fmt::format("127.0.0.1:{}", port_of(first))}, options());
  EXPECT_EQ(second.exit_code, 2);
  EXPECT_THAT(error_lines(second), ElementsAre(HasSubstr("Address already in use")));
}

TEST_F(ServeTest, ARunThatGoesIsAPageAndMetrics) {
  Headroom run({"run", "--serve=127.0.0.1:0", short_scenario(4), "-o", "a.run", "--quiet"},
               options());
  const std::uint16_t port = port_of(run);
  ASSERT_TRUE(wait_until(
      [&] { return has(get(port, "/metrics"), "headroom_phase{headroom_phase=\"measure\"} 1"); },
      kPatience));
  const std::string metrics = get(port, "/metrics");
  EXPECT_TRUE(has(metrics, "Content-Type: application/openmetrics-text; version=1.0.0"));
  EXPECT_TRUE(metrics.ends_with("# EOF\n"));
  EXPECT_TRUE(has(get(port, "/"), "\"state\":\"running\""));
  // The stream ends by itself, with the page of the sealed file.
  const std::string events = get(port, "/events");
  EXPECT_TRUE(has(events, "event: grown\n"));
  EXPECT_TRUE(has(events.substr(events.rfind("event: ")), "event: last\n"));
  EXPECT_TRUE(has(events.substr(events.rfind("event: ")), "\"seal\":\"sealed\""));
  const Finished finished = run.wait(kPatience);
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_EQ(run_headroom({"verify", "a.run"}, options()).exit_code, 0);
}

TEST_F(ServeTest, AStreamBreaksWhenTheRunIsKilledAndTheFileHasTheRest) {
  expect_leftovers();
  Headroom run({"run", short_scenario(30), "--serve=127.0.0.1:0", "-o", "a.run", "--quiet"},
               options());
  const std::uint16_t port = port_of(run);
  auto viewer = RawClient::connect({"127.0.0.1", port, ""});
  ASSERT_TRUE(viewer);
  ASSERT_TRUE(
      viewer->send(fmt::format("GET /events HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", port)));
  ASSERT_TRUE(wait_until(
      [&] { return has(get(port, "/metrics"), "headroom_phase{headroom_phase=\"measure\"} 1"); },
      kPatience));
  run.signal(SIGKILL);
  const std::string events = viewer->read_to_end();
  EXPECT_FALSE(has(events, "event: last\n"));
  EXPECT_EQ(run_headroom({"verify", "a.run"}, options()).exit_code, 4);
}

TEST_F(ServeTest, APortThatIsTakenStopsARunBeforeItBegins) {
  fs::create_directory(path("runs"));
  Headroom first({"serve", "runs", "--listen", "127.0.0.1:0"}, options());
  const Finished run = run_headroom(
      {"run", short_scenario(1), fmt::format("--serve=127.0.0.1:{}", port_of(first))}, options());
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_TRUE(fs::is_empty(path("runs")));
}

TEST_F(ServeTest, SeveralRunsAreReportedAsAGroup) {
  make_run("a.run");
  make_run("b.run");
  const Finished text = run_headroom({"report", "a.run", "b.run"}, options());
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("RANGES"));
  const Finished parsed = run_headroom({"report", "a.run", "b.run", "--json"}, options());
  EXPECT_THAT(json::parse(parsed.out)["runs"], SizeIs(2));
  EXPECT_EQ(run_headroom({"report", "a.run", "b.run", "--html", "g.html", "--markdown", "g.md"},
                         options())
                .exit_code,
            0);
  EXPECT_TRUE(report::is_html_report(read_file(path("g.html")).value_or("")));
  EXPECT_THAT(read_file(path("g.md")).value_or(""), HasSubstr("## Ranges"));
  const Finished twice = run_headroom({"report", "a.run", "a.run"}, options());
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(error_lines(twice), ElementsAre(HasSubstr("given already")));
}

TEST_F(ServeTest, AMarkdownReportReplacesOnlyItself) {
  make_run("a.run");
  for (int time = 0; time < 2; ++time)
    EXPECT_EQ(run_headroom({"report", "a.run", "--markdown", "a.md"}, options()).exit_code, 0);
  EXPECT_THAT(read_file(path("a.md")).value_or(""), HasSubstr("## How to reproduce"));
  const Finished refused = run_headroom({"report", "a.run", "--markdown", "a.run"}, options());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(run_headroom({"verify", "a.run"}, options()).exit_code, 0);
}

}  // namespace
}  // namespace headroom::e2e
