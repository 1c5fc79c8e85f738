#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "report/csv.h"
#include "report/json.h"
#include "store/run_reader.h"

namespace headroom::cli {
namespace {

struct ExportFlags {
  std::string file;
  std::string format = "csv";
  std::string output;
  std::string requests;  // empty: the series
};

// A file that is there stays as it is, like the evidence that it may be; what is no file (a pipe, a
// device) is written to.
Status check_output(const std::string& output) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(output, error)) return {};
  return fail(ErrorKind::kUsage,
              "{}: exists and is not overwritten; give another name to -o, or remove it first",
              printable(output));
}

Result<std::string> requests_text(const std::string& file) {
  std::string text = report::request_csv_header();
  std::size_t requests = 0;
  const Status read = store::read_request_log(
      file, [&](const std::vector<std::string>& operations, const record::RequestRecord& request) {
        ++requests;
        text += report::request_csv_line(operations, request);
      });
  if (!read) return fail(read.error());
  if (requests == 0) {
    return fail(ErrorKind::kUsage,
                "{}: holds no single requests; run it with load.request_log, such as --set "
                "load.request_log=0.01",
                printable(file));
  }
  return text;
}

Result<std::string> series_text(const ExportFlags& flags) {
  const auto run = store::read_run(flags.file);
  if (!run) return fail(run.error());
  return flags.format == "csv" ? report::render_csv(*run) : report::render_series_json(*run);
}

int export_run(const ExportFlags& flags) {
  if (const Status free = check_output(flags.output); !free) return print_error(free.error());
  const auto verification = store::verify_run(flags.file);
  if (!verification) return print_error(verification.error());
  const auto text = flags.requests.empty() ? series_text(flags) : requests_text(flags.file);
  if (!text) return print_error(text.error());
  if (verification->state == store::SealState::kTampered) {
    print_message(
        fmt::format("headroom: {}: changed since it was sealed; what follows is not what "
                    "was measured\n",
                    printable(flags.file)));
  }
  if (flags.output.empty()) return print_output(*text);
  const Status written = write_file(flags.output, *text);
  return written ? kDone : print_error(written.error());
}

}  // namespace

void add_export_command(CLI::App& app, Invocation& invocation) {
  auto flags = std::make_shared<ExportFlags>();
  CLI::App* const command =
      app.add_subcommand("export", "Write a run's series, a row a second, as CSV or JSON.");
  command->add_option("FILE", flags->file, "A run file, sealed or not")->required();
  CLI::Option* const format = command->add_option("--format", flags->format, "csv or json")
                                  ->type_name("FORMAT")
                                  ->capture_default_str();
  accept_words(*format, {"csv", "json"}, invocation);
  CLI::Option* const requests =
      command
          ->add_option("--requests", flags->requests,
                       "Instead of the series, the single requests that load.request_log kept; csv")
          ->type_name("FORMAT")
          ->excludes(format);
  accept_words(*requests, {"csv"}, invocation);
  CLI::Option* const output =
      command
          ->add_option("-o,--output", flags->output,
                       "Write there instead of standard output; never overwrites")
          ->type_name("FILE");
  refuse_empty(*output);
  command->callback([flags, &invocation] { invocation.exit_code = export_run(*flags); });
}

}  // namespace headroom::cli
