// Workloads of every shape against real engines: the engine counts the same commands, and holds the
// keys, sizes and times to live that were asked for.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "analysis/summary.h"
#include "load/keys.h"
#include "load/streams.h"
#include "load/values.h"
#include "resp/client.h"
#include "tests/e2e/harness.h"
#include "tests/support/raw_client.h"

namespace headroom::e2e {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class WorkloadTest : public EngineTest {
 protected:
  // Runs a scenario against an engine that the test started.
  record::Run run_against(const Engine& server, const std::string& toml) {
    const std::string file = path("workload.run");
    const Finished ended = run_headroom(
        {"run", endpoint_scenario(server.address(), toml), "-o", file, "--quiet"}, options());
    EXPECT_EQ(ended.exit_code, 0) << ended.err;
    return read(file);
  }
};
HEADROOM_FOR_EACH_ENGINE(WorkloadTest);

class Asker {
 public:
  explicit Asker(const Engine& server)
      : client_(resp::Client::connect({server.address(), {}, {}}, deadline())) {
    EXPECT_TRUE(client_) << client_.error().message;
  }
  std::int64_t number(std::string_view command, std::string_view key) {
    const auto reply = client_->call({command, key}, deadline());
    EXPECT_TRUE(reply && reply->is(resp::ReplyTree::Kind::kInteger)) << command << " " << key;
    return reply ? reply->integer : 0;
  }

 private:
  static Nanos deadline() { return real_clock().now() + 10s; }
  Result<resp::Client> client_;
};

TEST_P(WorkloadTest, TheEngineCountsEveryCommandOfAMix) {
  const std::string file = path("mix.run");
  const Finished ended = run_headroom(
      {"run",
       local_scenario(
           engine(),
           "[workload]\nkeys = 500\nprefill = true\nkey_distribution = \"zipf(0.8)\"\n"
           "value_size = \"range(10B, 200B)\"\n"
           "[[workload.command]]\ncommand = \"HSET h:__key__ f __data__\"\nweight = 5\n"
           "[[workload.command]]\ncommand = \"LPUSH l:__key__ __data__\"\nweight = 2\n"
           "[[workload.command]]\ncommand = \"INCR c:__key__\"\nweight = 3\n"
           "[[workload.command]]\ncommand = \"EXPIRE c:__key__ __rand(100,200)__\"\n"
           "[[workload.command]]\ncommand = \"GET __key__\"\nweight = 4\n"
           "[[workload.command]]\nname = \"hot\"\ncommand = \"GET __key__\"\n"
           "keys = \"hotspot(99%, 1%)\"\n"
           "[[workload.command]]\ncommand = \"MGET __key__ __key__ nobody\"\n"
           "[[workload.command]]\nname = \"count\"\n"
           "command = \"MULTI; INCR t:__key1__; EXPIRE t:__key1__ 60; EXEC\"\nweight = 2\n"
           "[load]\nworkers = 2\nconnections = 3\npipeline = 4\n"
           "[timing]\nwarmup = \"1s\"\nmeasure = \"2s\"\n"),
       "-o", file},
      options());
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("engine agrees"));
  const record::Run run = read(file);
  for (const std::string& operation : run.header.operations) {
    const record::OperationCounts counts = total(run, operation);
    EXPECT_GT(counts.sent, 0U) << operation;
    EXPECT_EQ(counts.completed(), counts.sent) << operation << "\n" << story(run);
  }
  const auto sent = [&](const std::string& operation) {
    return static_cast<double>(total(run, operation).sent);
  };
  const auto called = [&](const std::string& command) {
    return points(run, "command_calls", command).back().value;
  };
  EXPECT_EQ(called("set"), sent("prefill"));
  EXPECT_EQ(called("hset"), sent("HSET"));
  EXPECT_EQ(called("lpush"), sent("LPUSH"));
  EXPECT_EQ(called("incr"), sent("INCR") + sent("count"));
  EXPECT_EQ(called("expire"), sent("EXPIRE") + sent("count"));
  EXPECT_EQ(called("get"), sent("GET") + sent("hot"));
  EXPECT_EQ(called("mget"), sent("MGET"));
  EXPECT_EQ(called("multi"), sent("count"));
  EXPECT_EQ(called("exec"), sent("count"));
  EXPECT_EQ(analysis::summarize(run).conservation.engine_agrees, true);
  EXPECT_EQ(total(run, "MGET").of(record::Outcome::kHit), total(run, "MGET").sent);
}

TEST_P(WorkloadTest, PrefillWritesSizesAndTtlsAsDrawn) {
  Result<Engine> server = Engine::start(engine());
  ASSERT_TRUE(server) << server.error().message;
  const record::Run run =
      run_against(*server,
                  "[workload]\nkeys = 2000\nkey_space = \"shared\"\nprefill = true\n"
                  "value_size = \"list(10B:5, 300B:4, 20KiB:1)\"\nttl = \"range(1h, 2h)\"\n"
                  "value_content = \"compressible(50%)\"\n"
                  "[load]\nworkers = 2\nconnections = 2\n[timing]\nmeasure = \"1s\"\n");
  ASSERT_EQ(server->keys(), 2000U);
  const std::uint64_t seed = run.header.scenario.seed;
  const load::ValueSizes sizes(
      run.header.scenario.workload.value_size,
      derive_seed(seed,
                  {load::kNone, load::kNone, static_cast<std::uint64_t>(load::Purpose::kSizes)}));
  Asker asker(*server);
  std::map<std::int64_t, int> seen;
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  std::int64_t longest = 0;
  for (std::uint64_t index = 0; index < 2000; ++index) {
    const std::string key = load::key_text(seed, load::kNone, index);
    const std::int64_t size = asker.number("STRLEN", key);
    ASSERT_EQ(size, static_cast<std::int64_t>(sizes.of(index))) << key;
    ++seen[size];
    const std::int64_t ttl_ms = asker.number("PTTL", key);
    shortest = std::min(shortest, ttl_ms);
    longest = std::max(longest, ttl_ms);
  }
  // Weights of 5, 4 and 1: within five deviations of 2,000 draws.
  EXPECT_NEAR(seen[10], 1000, 112);
  EXPECT_NEAR(seen[300], 800, 110);
  EXPECT_NEAR(seen[20 * 1024], 200, 67);
  // Up to the time that the run took, between one hour and two, and spread over it.
  EXPECT_GT(shortest, 3'600'000 - 60'000);
  EXPECT_LE(longest, 7'200'000);
  EXPECT_LT(shortest, 4'000'000);
  EXPECT_GT(longest, 6'800'000);
}

// Of D draws, the key of rank i stays unwritten with probability (1 - p_i)^D.
TEST_P(WorkloadTest, StoresAsManyDistinctKeysAsZipfWould) {
  Result<Engine> server = Engine::start(engine());
  ASSERT_TRUE(server) << server.error().message;
  constexpr int kKeys = 100'000;
  const record::Run run = run_against(
      *server, fmt::format("[workload]\nkeys = {}\nkey_space = \"shared\"\nratio = \"1:0\"\n"
                           "key_distribution = \"zipf(0.99)\"\nvalue_size = \"10B\"\n"
                           "[load]\nworkers = 3\nconnections = 4\n[timing]\nmeasure = \"2s\"\n",
                           kKeys));
  const auto draws = static_cast<double>(total(run, "SET").of(record::Outcome::kOk));
  ASSERT_GT(draws, 1000) << "too few requests to tell";
  double weights = 0;
  for (int rank = 1; rank <= kKeys; ++rank) weights += std::pow(rank, -0.99);
  double expected = 0;
  double variance = 0;
  for (int rank = 1; rank <= kKeys; ++rank) {
    const double absent = std::exp(draws * std::log1p(-std::pow(rank, -0.99) / weights));
    expected += 1 - absent;
    variance += absent * (1 - absent);
  }
  // Whether keys are written is nearly independent, and so negatively dependent that the sum of
  // their variances is an upper bound.
  EXPECT_NEAR(static_cast<double>(server->keys()), expected, 5 * std::sqrt(variance));
}

TEST_P(WorkloadTest, SequentialKeysAreWrittenInWholePasses) {
  Result<Engine> server = Engine::start(engine());
  ASSERT_TRUE(server) << server.error().message;
  const record::Run run =
      run_against(*server,
                  "[workload]\nkeys = 30\nkey_space = \"shared\"\n"
                  "[[workload.command]]\ncommand = \"INCR __key__\"\nkeys = \"sequential\"\n"
                  "[load]\nworkers = 3\nconnections = 2\n[timing]\nmeasure = \"1s\"\n");
  ASSERT_EQ(server->keys(), 30U);
  std::map<std::uint32_t, std::uint64_t> sent;
  for (const record::WorkerCounts& worker : run.workers)
    sent[worker.worker] += worker.counts[0].sent;
  Result<testing::RawClient> client = testing::RawClient::connect(server->address());
  ASSERT_TRUE(client);
  for (std::uint32_t worker = 0; worker < 3; ++worker) {
    // Each worker runs through ten keys of its own: all have its requests / 10, rounded either way.
    for (std::uint64_t i = 0; i < 10; ++i) {
      const std::string key =
          load::key_text(run.header.scenario.seed, load::kNone, worker * 10 + i);
      const auto count = std::stoull(client->ask_bulk({"GET", key}));
      EXPECT_EQ(count, sent[worker] / 10 + (i < sent[worker] % 10 ? 1 : 0)) << worker << " " << i;
    }
  }
}

TEST_P(WorkloadTest, VerificationFindsNothingWrongWithASoundEngine) {
  Result<Engine> server = Engine::start(engine());
  ASSERT_TRUE(server) << server.error().message;
  const record::Run run =
      run_against(*server,
                  "[workload]\nkeys = 300\nratio = \"1:2\"\nprefill = true\nverify = true\n"
                  "value_size = \"list(16B:1, 900B:1, 100KiB:1)\"\n"
                  "[load]\nworkers = 2\nconnections = 4\npipeline = 4\n"
                  "[timing]\nmeasure = \"2s\"\n");
  EXPECT_GT(total(run, "GET").sent, 0U);
  EXPECT_EQ(total(run, "GET").of(record::Outcome::kHit), total(run, "GET").sent) << story(run);
}

TEST_P(WorkloadTest, VerificationFindsWhatSomebodyElseWrote) {
  Result<Engine> server = Engine::start(engine());
  ASSERT_TRUE(server) << server.error().message;
  Result<testing::RawClient> client = testing::RawClient::connect(server->address());
  ASSERT_TRUE(client);
  const std::string key = load::key_text(1, 0, 7);
  ASSERT_EQ(client->ask({"SET", key, "not ours"}, "+OK\r\n"), "+OK\r\n");
  const std::string file = path("corrupt.run");
  const Finished ended = run_headroom(
      {"run",
       endpoint_scenario(server->address(),
                         "allow_existing_data = true\n[workload]\nkeys = 20\nratio = \"0:1\"\n"
                         "verify = true\n[load]\nworkers = 1\n[timing]\nmeasure = \"1s\"\n"),
       "-o", file},
      options());
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("not what was written"));
  const record::Run run = read(file);
  EXPECT_GT(total(run, "GET").of(record::Outcome::kCorrupt), 0U);
  EXPECT_EQ(total(run, "GET").of(record::Outcome::kHit), 0U);
  EXPECT_THAT(story(run), HasSubstr(key + " has another size than was written"));
}

TEST_P(WorkloadTest, ATransactionThatFailsIsOneError) {
  Result<Engine> server = Engine::start(engine());
  ASSERT_TRUE(server) << server.error().message;
  const record::Run run = run_against(
      *server,
      "[workload]\nkeys = 10\n"
      "[[workload.command]]\nname = \"good\"\ncommand = \"MULTI; INCR a; EXEC\"\n"
      "[[workload.command]]\nname = \"at-queueing\"\ncommand = \"MULTI; INCR a; NOSUCH; EXEC\"\n"
      "[[workload.command]]\nname = \"inside\"\n"
      "command = \"MULTI; SET s x; LPUSH s y; EXEC\"\n"
      "[load]\nworkers = 1\nconnections = 2\npipeline = 3\n[timing]\nmeasure = \"1s\"\n");
  EXPECT_EQ(total(run, "good").of(record::Outcome::kOk), total(run, "good").sent);
  for (const char* name : {"at-queueing", "inside"}) {
    EXPECT_GT(total(run, name).sent, 0U);
    EXPECT_EQ(total(run, name).of(record::Outcome::kError), total(run, name).sent) << name;
  }
  EXPECT_THAT(story(run), HasSubstr("at-queueing was answered with: ERR unknown command"));
  EXPECT_THAT(story(run), HasSubstr("inside was answered with: a reply that has an error inside"));
}

}  // namespace
}  // namespace headroom::e2e
