#include "store/digest.h"

#include <openssl/evp.h>

#include <array>
#include <bit>
#include <memory>

#include "base/check.h"
#include "store/bounded_rows.h"

namespace headroom::store {
namespace {

class Sha256 {
 public:
  Sha256() : context_(EVP_MD_CTX_new()) {
    check(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1,
          "SHA-256 is available");
  }

  void byte(char value) { bytes(std::string_view(&value, 1)); }
  // Its kind, and eight bytes, the highest first. Most of what a file holds are numbers, so they go
  // in as one piece.
  void number(char kind, std::uint64_t value) {
    std::array<char, 9> piece{};
    piece[0] = kind;
    for (std::size_t i = 0; i < 8; ++i)
      piece[1 + i] = static_cast<char>(static_cast<std::uint8_t>(value >> (56 - 8 * i)));
    bytes(std::string_view(piece.data(), piece.size()));
  }
  void text(std::string_view value) {
    number('T', value.size());
    bytes(value);
  }
  void blob(std::string_view value) {
    number('B', value.size());
    bytes(value);
  }

  [[nodiscard]] std::string finish() {
    std::array<unsigned char, 32> digest{};
    flush();
    check(EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr) == 1, "SHA-256 ends");
    std::string hex;
    for (const unsigned char value : digest) hex += fmt::format("{:02x}", value);
    return hex;
  }

 private:
  // Values are small: gathered, they cost the library few calls.
  static constexpr std::size_t kGathered = std::size_t{1} << 16U;

  void bytes(std::string_view value) {
    gathered_ += value;
    if (gathered_.size() >= kGathered) flush();
  }
  void flush() {
    check(EVP_DigestUpdate(context_.get(), gathered_.data(), gathered_.size()) == 1, "SHA-256");
    gathered_.clear();
  }

  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context_;
  std::string gathered_;
};

void add_value(Sha256& sha, const Statement& row, int column) {
  switch (row.type(column)) {
    case SQLITE_INTEGER:
      sha.number('I', static_cast<std::uint64_t>(row.integer(column)));
      return;
    case SQLITE_FLOAT:
      sha.number('R', std::bit_cast<std::uint64_t>(row.real(column)));
      return;
    case SQLITE_TEXT:
      sha.text(row.text(column));
      return;
    case SQLITE_BLOB:
      sha.blob(row.blob(column));
      return;
    default:
      sha.byte('N');
  }
}

}  // namespace

Result<std::string> content_digest(const Database& database, const Schema& schema) {
  Sha256 sha;
  sha.text(kDigestAlgorithm);
  for (const SchemaObject& object : schema.objects) {
    sha.text(object.name);
    sha.text(object.sql);
  }
  BoundedRows rows(database);
  for (const SchemaObject& object : schema.objects) {
    if (object.order.empty()) continue;
    sha.text(object.name);
    const std::string query =
        fmt::format("SELECT * FROM {} ORDER BY {}", object.name, object.order);
    const Status read = rows.each(object.name, query, [&](const Statement& row) -> Status {
      sha.byte('r');
      const int columns = row.columns();
      for (int column = 0; column < columns; ++column) add_value(sha, row, column);
      return {};
    });
    if (!read) return fail(read.error());
  }
  return sha.finish();
}

}  // namespace headroom::store
