// What Headroom's own statistics of groups of runs make of the numbers that SciPy was given.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/text.h"
#include "stats/equivalence.h"
#include "stats/multiple.h"
#include "stats/permutation.h"
#include "stats/power.h"
#include "stats/shift.h"
#include "tests/support/golden.h"

namespace headroom::stats {
namespace {

struct Row {
  std::string what;
  std::vector<double> a, b, parameters;
  double expected = 0;
};

std::vector<double> numbers(std::string_view text) {
  std::vector<double> values;
  if (text.empty()) return values;
  for (const std::string_view word : split(text, ','))
    values.push_back(std::strtod(std::string(word).c_str(), nullptr));
  return values;
}

std::vector<Row> reference() {
  const std::string text = headroom::testing::read_whole(headroom::testing::source_folder() /
                                                         "tests/data/statistics_reference.tsv");
  std::vector<Row> rows;
  for (const std::string_view line : split(text, '\n')) {
    if (line.empty() || line.front() == '#') continue;
    const auto cells = split(line, '\t');
    if (cells.size() != 5) {
      ADD_FAILURE() << line;
      continue;
    }
    rows.push_back({std::string(cells[0]), numbers(cells[1]), numbers(cells[2]), numbers(cells[3]),
                    numbers(cells[4]).at(0)});
  }
  return rows;
}

double ours(const Row& row) {
  if (row.what == "permutation") return permutation_test(row.a, row.b, 1).p;
  if (row.what == "shift") return hodges_lehmann_shift(row.a, row.b).value();
  if (row.what == "equivalence") return equivalence_test(row.a, row.b, row.parameters[0])->p;
  if (row.what == "holm") return holm(row.a).at(static_cast<std::size_t>(row.parameters[0]));
  if (row.what == "power")
    return power_of_t_test(row.parameters[0], static_cast<std::size_t>(row.parameters[1]),
                           row.parameters[2]);
  ADD_FAILURE() << "unknown: " << row.what;
  return 0;
}

TEST(BetweenRuns, AgreesWithSciPy) {
  std::map<std::string, int> seen;
  for (const Row& row : reference()) {
    EXPECT_NEAR(ours(row), row.expected, 1e-9 * std::max(1.0, std::abs(row.expected)))
        << row.what << ": expected " << row.expected;
    ++seen[row.what];
  }
  for (const char* what : {"permutation", "shift", "equivalence", "power", "holm"})
    EXPECT_GE(seen[what], 3) << what;
}

}  // namespace
}  // namespace headroom::stats
