#include "load/command_program.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace headroom::load {
namespace {

using scenario::SizeList;
using scenario::SizeRange;

class ProgramTest : public testing::Test {
 protected:
  std::string encoded(std::string_view line, const scenario::ValueSize& size,
                      std::vector<std::uint64_t> keys) {
    const ValueSizes sizes(size, 1);
    const CommandProgram program(*scenario::read_command_line(line), "p-", sizes, block_);
    batch_.clear();
    program.encode({keys, numbers_}, batch_);
    return std::string(batch_.bytes());
  }
  std::optional<AroundKey> around(std::string_view line, const scenario::ValueSize& size) {
    return around_key(*scenario::read_command_line(line), ValueSizes(size, 1), block_);
  }

  ValueBlock block_{{}, 1 << 20, Random(1)};
  Random numbers_{1};
  Batch batch_;
};

TEST_F(ProgramTest, WritesWordsWithPartsInThem) {
  EXPECT_EQ(encoded("SET <__key__>:x '' ", std::uint64_t{1}, {123}),
            "*3\r\n$3\r\nSET\r\n$9\r\n<p-123>:x\r\n$0\r\n\r\n");
  EXPECT_EQ(encoded("PING", std::uint64_t{1}, {0}), "*1\r\n$4\r\nPING\r\n");
}

TEST_F(ProgramTest, WritesSeveralKeysAndTransactions) {
  EXPECT_EQ(encoded("MGET __key1__ __key2__ __key1__", std::uint64_t{1}, {7, 10}),
            "*4\r\n$4\r\nMGET\r\n$3\r\np-7\r\n$4\r\np-10\r\n$3\r\np-7\r\n");
  EXPECT_EQ(encoded("MULTI; INCR __key__; EXEC", std::uint64_t{1}, {5}),
            "*1\r\n$5\r\nMULTI\r\n*2\r\n$4\r\nINCR\r\n$3\r\np-5\r\n*1\r\n$4\r\nEXEC\r\n");
}

TEST_F(ProgramTest, WritesTheValueThatBelongsToTheKey) {
  const ValueSizes sizes(SizeRange{1, 500}, 1);
  const auto bulk = [&](std::uint64_t key) {
    const std::string_view value = block_.value(sizes.of(key));
    return "$" + std::to_string(value.size()) + "\r\n" + std::string(value) + "\r\n";
  };
  EXPECT_NE(sizes.of(1), sizes.of(2));
  EXPECT_EQ(encoded("MSET __key__ __data__ __key__ __data__", SizeRange{1, 500}, {1, 2}),
            "*5\r\n$4\r\nMSET\r\n$3\r\np-1\r\n" + bulk(1) + "$3\r\np-2\r\n" + bulk(2));
}

TEST_F(ProgramTest, DrawsNumbersWithinTheirBounds) {
  std::vector<int> seen(4);
  for (int i = 0; i < 1000; ++i) {
    const std::string text = encoded("EXPIRE a __rand(8,11)__", std::uint64_t{1}, {0});
    const std::string number = text.substr(text.rfind('\n', text.size() - 2) + 1);
    const int value = std::stoi(number);
    ASSERT_GE(value, 8);
    ASSERT_LE(value, 11);
    const std::string length = value > 9 ? "$2" : "$1";
    EXPECT_NE(text.find(length + "\r\n" + number), std::string::npos) << text;
    ++seen[static_cast<std::size_t>(value - 8)];
  }
  for (const int count : seen) EXPECT_GT(count, 150);
}

TEST_F(ProgramTest, LeavesALargeLastValueWhereItLies) {
  const SizeList sizes = {{1 << 20, 1}, {(1 << 20) - 1, 1}};
  const std::string head = encoded("SET __key__ __data__", sizes, {3});
  const std::uint64_t size = ValueSizes(sizes, 1).of(3);
  EXPECT_EQ(head, "*3\r\n$3\r\nSET\r\n$3\r\np-3\r\n$" + std::to_string(size) + "\r\n");
  EXPECT_EQ(batch_.tail(), block_.value_and_line_end(size));
  EXPECT_EQ(batch_.tail().data(), block_.value_and_line_end(size).data());
  EXPECT_TRUE(batch_.full());
}

TEST_F(ProgramTest, GrowsTheBatchForALargeValueThatIsNotTheLast) {
  const SizeList sizes = {{1 << 20, 1}, {(1 << 20) - 1, 1}};
  const std::string text = encoded("SET __key__ __data__ PX 5", sizes, {3});
  const std::uint64_t size = ValueSizes(sizes, 1).of(3);
  EXPECT_EQ(text, "*5\r\n$3\r\nSET\r\n$3\r\np-3\r\n$" + std::to_string(size) + "\r\n" +
                      std::string(block_.value(size)) + "\r\n$2\r\nPX\r\n$1\r\n5\r\n");
  EXPECT_EQ(batch_.tail(), "");
  EXPECT_TRUE(batch_.full());
}

TEST_F(ProgramTest, KnowsWhenOnlyOneKeyChanges) {
  const auto set = around("SET __key__ __data__ PX 5", std::uint64_t{3});
  ASSERT_TRUE(set);
  EXPECT_EQ(set->before, "*5\r\n$3\r\nSET\r\n");
  EXPECT_EQ(set->after,
            "\r\n$3\r\n" + std::string(block_.value(3)) + "\r\n$2\r\nPX\r\n$1\r\n5\r\n");
  EXPECT_TRUE(around("MULTI; INCR __key__; EXEC", std::uint64_t{3}));
  EXPECT_FALSE(around("SET __key__ __data__", SizeRange{1, 2}));
  EXPECT_FALSE(around("MGET __key__ __key__", std::uint64_t{3}));
  EXPECT_FALSE(around("GET a__key__", std::uint64_t{3}));
  EXPECT_FALSE(around("EXPIRE __key__ __rand(1,2)__", std::uint64_t{3}));
  EXPECT_FALSE(around("PING", std::uint64_t{3}));
}

// Wherever a request has a template, the template and the program write the same bytes.
TEST_F(ProgramTest, AgreesWithTemplates) {
  for (const char* line : {"GET __key__", "SET __key__ __data__", "HSET __key__ f __data__"}) {
    const auto parts = around(line, std::uint64_t{11});
    ASSERT_TRUE(parts) << line;
    const CommandTemplate plain(parts->before, "p-", parts->after);
    for (const std::uint64_t key : {0ULL, 9ULL, 10ULL, 123'456'789ULL, ~0ULL}) {
      const std::string expected = encoded(line, std::uint64_t{11}, {key});
      batch_.clear();
      plain.encode(key, batch_);
      EXPECT_EQ(batch_.bytes(), expected) << line;
    }
  }
}

}  // namespace
}  // namespace headroom::load
