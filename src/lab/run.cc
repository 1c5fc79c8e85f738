#include "lab/run.h"

#include <fmt/format.h>

#include <random>
#include <utility>

#include "base/units.h"
#include "lab/conductor.h"
#include "lab/notifier.h"
#include "lab/recorder.h"
#include "load/fleet.h"
#include "scenario/loads.h"
#include "scenario/notify.h"
#include "scenario/print.h"
#include "store/run_writer.h"
#include "target/target.h"

namespace headroom::lab {
namespace {

std::string random_run_id() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", device(), device(), device(), device());
}

// Creates the folder that the run file will stand in.
Status make_parent(const std::filesystem::path& file) {
  const std::filesystem::path parent = file.parent_path();
  if (parent.empty()) return {};
  std::error_code error;
  std::filesystem::create_directories(parent, error);
  if (error) {
    return fail(ErrorKind::kUsage, "{}: cannot create this folder for the run file: {}",
                parent.string(), error.message());
  }
  return {};
}

}  // namespace

std::filesystem::path default_run_path(const std::string& scenario_name, WallTime started) {
  const std::filesystem::path folder = "runs";
  const std::string stem = fmt::format("{}-{}", scenario_name, compact_time(started));
  std::filesystem::path path = folder / (stem + ".run");
  for (int copy = 2; std::filesystem::exists(path); ++copy)
    path = folder / fmt::format("{}-{}.run", stem, copy);
  return path;
}

Result<RunResult> conduct_run(const RunRequest& request, Observer& observer) {
  if (Status fit = target::preflight(request.scenario.target); !fit) {
    return fail(std::move(fit.error()));
  }
  for (const scenario::NamedLoad& load : scenario::loads_of(request.scenario)) {
    if (Status read = load::check_files(load); !read) return fail(std::move(read.error()));
  }
  const auto webhook = webhook_of(request.scenario.notify);
  if (!webhook) return fail(webhook.error());
  auto trace = load::look_through_trace(request.scenario);
  if (!trace) return fail(std::move(trace.error()));
  const Clock& clock = real_clock();
  const Nanos origin = clock.now();
  record::RunHeader header;
  header.run_id = random_run_id();
  header.started = clock.wall();
  header.scenario = request.scenario;
  header.scenario_toml = scenario::print_scenario(request.scenario);
  header.operations = load::operation_names(request.scenario, *trace);
  header.command_line = request.command_line;
  header.tool_version = request.tool_version;

  const std::filesystem::path file = request.output.empty()
                                         ? default_run_path(request.scenario.name, header.started)
                                         : request.output;
  if (Status made = make_parent(file); !made) return fail(std::move(made.error()));
  auto writer = store::RunWriter::create(file, header);
  if (!writer) return fail(std::move(writer.error()));
  observer.file_created(file);
  if (request.follower != nullptr) request.follower->began(header, file);

  Recorder recorder(std::move(*writer), scenario::worker_count(request.scenario), request.follower);
  std::optional<Notifier> notifier;
  if (scenario::is_notified(request.scenario.notify)) {
    notifier.emplace(
        request.scenario.notify, *webhook,
        NotifiedRun{header.run_id, request.scenario.name, file.string(), header.started},
        [&](std::string text) {
          recorder.event({clock.now() - origin, record::EventKind::kNotified, std::move(text)});
        });
    recorder.on_receipt([&](const record::Receipt& receipt) { notifier->tell(receipt); });
  }
  Conductor conductor(request, std::move(*trace), observer, recorder, clock, origin, file,
                      notifier ? &*notifier : nullptr);
  return conductor.conduct();
}

}  // namespace headroom::lab
