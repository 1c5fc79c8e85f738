#include <fmt/format.h>

#include <memory>
#include <string>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/terminal.h"
#include "store/run_reader.h"

namespace headroom::cli {
namespace {

int verify(const std::string& file) {
  const auto verification = store::verify_run(file);
  if (!verification) return print_error(verification.error());
  const std::string name = printable(file);
  std::string line;
  ExitCode code = kDone;
  switch (verification->state) {
    case store::SealState::kSealed:
      line = fmt::format("{}: sealed and unchanged, schema {}, sha256 {}\n", name,
                         verification->schema_version, verification->computed_digest);
      break;
    case store::SealState::kIncomplete:
      line = fmt::format(
          "{}: incomplete: it was never sealed, because the run still goes or died; what it holds "
          "is readable, schema {}\n",
          name, verification->schema_version);
      code = kIncomplete;
      break;
    case store::SealState::kTampered:
      line = fmt::format("{}: changed since it was sealed: sha256 {} was sealed, {} was found\n",
                         name, verification->stored_digest, verification->computed_digest);
      code = kExpectation;
      break;
  }
  const ExitCode printed = print_output(line);
  return printed == kDone ? code : printed;
}

}  // namespace

void add_verify_command(CLI::App& app, Invocation& invocation) {
  auto file = std::make_shared<std::string>();
  CLI::App* const command = app.add_subcommand(
      "verify",
      "Recompute the digest of a run file: 0 sealed and unchanged, 4 incomplete, 5 changed.");
  command->add_option("FILE", *file, "A run file")->required();
  command->callback([file, &invocation] { invocation.exit_code = verify(*file); });
}

}  // namespace headroom::cli
