#include "telemetry/proc_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/subprocess.h"

namespace headroom::telemetry {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::optional<double> value_of(const std::vector<record::Sample>& samples,
                               std::string_view metric) {
  for (const auto& sample : samples) {
    if (sample.metric == record::metric(metric)) return sample.value;
  }
  return std::nullopt;
}

TEST(ProcessStatTest, ReadsPastAProgramNameWithSpacesAndParentheses) {
  const auto stat = parse_process_stat(
      "4711 (a) S (b c) S 1 4711 4711 0 -1 4194560 900 0 11 0 250 50 0 0 20 0 5 0 123456 4096 "
      "1024 18446744073709551615\n",
      100);
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->user_seconds, 2.5);
  EXPECT_EQ(stat->system_seconds, 0.5);
  EXPECT_EQ(stat->minor_faults, 900);
  EXPECT_EQ(stat->major_faults, 11);
  EXPECT_EQ(stat->threads, 5);
  EXPECT_EQ(stat->start_ticks, "123456");
}

TEST(ProcessStatTest, RefusesWhatTheKernelWouldNotWrite) {
  EXPECT_FALSE(parse_process_stat("", 100));
  EXPECT_FALSE(parse_process_stat("4711 (redis) S 1 4711", 100));
  EXPECT_FALSE(parse_process_stat("4711 redis S 1", 100));
}

TEST(ProcFieldTest, TurnsKilobytesIntoBytesAndMatchesWholeNames) {
  constexpr std::string_view kStatus =
      "Name:\tredis\nVmRSS:\t    1200 kB\nvoluntary_ctxt_switches:\t17\n"
      "nonvoluntary_ctxt_switches:\t3\n";
  EXPECT_EQ(proc_field(kStatus, "VmRSS"), 1200 * 1024);
  EXPECT_EQ(proc_field(kStatus, "voluntary_ctxt_switches"), 17);
  EXPECT_EQ(proc_field(kStatus, "nonvoluntary_ctxt_switches"), 3);
  EXPECT_EQ(proc_field(kStatus, "VmSwap"), std::nullopt);
  EXPECT_EQ(proc_field(kStatus, "Name"), std::nullopt);
}

TEST(HostCpuTest, CountsStolenTimeAsBusyAndGuestsOnce) {
  const auto samples = parse_host_cpu(
      "cpu  100 10 50 800 40 5 5 90 60 7\n"
      "cpu0 50 5 25 400 20 3 2 45 30 3\n"
      "cpu1 50 5 25 400 20 2 3 45 30 4\n"
      "intr 12345\n",
      100);
  EXPECT_EQ(value_of(samples, "host_cpu_total_seconds"), 11);
  EXPECT_EQ(value_of(samples, "host_cpu_busy_seconds"), 2.6);
  EXPECT_EQ(value_of(samples, "host_cpu_steal_seconds"), 0.9);
  EXPECT_EQ(value_of(samples, "host_cpus"), 2);
}

TEST(HostCpuTest, HasNothingForATextOfAnotherForm) {
  EXPECT_TRUE(parse_host_cpu("", 100).empty());
  EXPECT_TRUE(parse_host_cpu("cpu  1 2 3\ncpu0 1 2 3\n", 100).empty());
}

TEST(MachineTest, TellsOfCpusAndOfMemoryIfAsked) {
  Unreadable unreadable;
  const auto samples = sample_machine(true, unreadable);
  EXPECT_THAT(unreadable, testing::IsEmpty());
  for (const char* metric : {"host_cpu_busy_seconds", "host_cpu_total_seconds", "host_cpus",
                             "FreeableMemory", "SwapUsage"}) {
    EXPECT_TRUE(value_of(samples, metric)) << metric;
  }
  const auto without = sample_machine(false, unreadable);
  EXPECT_TRUE(value_of(without, "host_cpu_total_seconds"));
  EXPECT_FALSE(value_of(without, "FreeableMemory"));
}

TEST(ProcessSamplerTest, SamplesARunningProcess) {
  ProcessSampler sampler(::getpid());
  Unreadable unreadable;
  const auto samples = sampler.sample(unreadable);
  EXPECT_THAT(unreadable, testing::IsEmpty());
  for (const char* metric :
       {"process_cpu_user_seconds", "process_threads", "process_main_thread_cpu_system_seconds",
        "process_rss_bytes", "process_minor_faults", "process_voluntary_context_switches",
        "process_involuntary_context_switches"}) {
    EXPECT_TRUE(value_of(samples, metric)) << metric;
  }
  EXPECT_GT(value_of(samples, "process_rss_bytes"), 1e5);
}

TEST(ProcessSamplerTest, SaysThatAProcessCannotBeReadOnceItIsGone) {
  auto process = Subprocess::start({.argv = {"sleep", "60"}});
  ASSERT_TRUE(process) << process.error().message;
  ProcessSampler sampler(process->pid());
  Unreadable unreadable;
  EXPECT_TRUE(value_of(sampler.sample(unreadable), "process_rss_bytes"));
  (void)process->stop(std::chrono::seconds{10});
  EXPECT_FALSE(value_of(sampler.sample(unreadable), "process_rss_bytes"));
  EXPECT_THAT(unreadable, Contains(HasSubstr("/stat")));
}

}  // namespace
}  // namespace headroom::telemetry
