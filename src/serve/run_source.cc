#include "serve/run_source.h"

#include "store/run_reader.h"

namespace headroom::serve {
namespace {

report::Seal seal_of(store::SealState state) {
  switch (state) {
    case store::SealState::kSealed:
      return report::Seal::kSealed;
    case store::SealState::kTampered:
      return report::Seal::kTampered;
    case store::SealState::kIncomplete:
      return report::Seal::kIncomplete;
  }
  return report::Seal::kNotChecked;
}

}  // namespace

Result<ReadRun> read_summed_up(const std::filesystem::path& path, std::string name) {
  const auto verification = store::verify_run(path);
  if (!verification) return fail(verification.error());
  auto run = store::read_run(path);
  if (!run) return fail(run.error());
  ReadRun read;
  read.run = std::move(*run);
  read.summary = analysis::summarize(read.run);
  read.source = {std::move(name), seal_of(verification->state), verification->stored_digest};
  return read;
}

}  // namespace headroom::serve
