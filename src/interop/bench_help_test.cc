#include "interop/bench_help.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/text.h"
#include "interop/bench.h"
#include "tests/support/golden.h"

namespace headroom::interop {
namespace {

using ::testing::HasSubstr;

TEST(BenchHelp, FitsIntoEightyColumns) {
  const std::string help = bench_help();
  for (const std::string_view line : split(help, '\n')) {
    EXPECT_LE(line.size(), 80U) << line;
    EXPECT_FALSE(line.ends_with(' ')) << line;
  }
}

TEST(BenchHelp, NamesEveryFlag) {
  for (const Dialect dialect : {Dialect::kMemtier, Dialect::kValkey}) {
    for (const Flag& flag : program_of(dialect).flags) {
      EXPECT_THAT(bench_help(), HasSubstr(std::string(flag.name)));
      EXPECT_THAT(bench_markdown(),
                  HasSubstr(flag_heading(program_of(dialect), flag).substr(0, 2)));
    }
  }
}

TEST(BenchManual, IsMadeFromTheTables) {
  const auto path = headroom::testing::source_folder() / "docs" / "BENCH.md";
  if (std::getenv("HEADROOM_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << bench_markdown();
    return;
  }
  EXPECT_EQ(headroom::testing::read_whole(path), bench_markdown())
      << "HEADROOM_UPDATE_GOLDEN=1 writes it anew";
}

}  // namespace
}  // namespace headroom::interop
