#include "resp/cluster.h"

#include <array>
#include <charconv>
#include <vector>

#include "base/text.h"

namespace headroom::resp {
namespace {

constexpr std::uint16_t kPolynomial = 0x1021;  // x^16 + x^12 + x^5 + 1

constexpr std::array<std::uint16_t, 256> kCrcTable = [] {
  std::array<std::uint16_t, 256> table{};
  for (unsigned byte = 0; byte < table.size(); ++byte) {
    unsigned crc = byte << 8U;
    for (int bit = 0; bit < 8; ++bit) crc = (crc << 1U) ^ ((crc & 0x8000U) != 0 ? kPolynomial : 0U);
    table[byte] = static_cast<std::uint16_t>(crc);
  }
  return table;
}();

std::string_view hashed_part(std::string_view key) {
  const std::size_t open = key.find('{');
  if (open == std::string_view::npos) return key;
  const std::size_t close = key.find('}', open + 1);
  if (close == std::string_view::npos || close == open + 1) return key;
  return key.substr(open + 1, close - open - 1);
}

}  // namespace

std::string host_or_asked(std::string_view host, const AddressContext& context) {
  return host.empty() || host == "?" ? context.asked_host : std::string(host);
}

void SlotHash::add(std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    crc_ = ((crc_ << 8U) & 0xffffU) ^ kCrcTable[((crc_ >> 8U) ^ byte) & 0xffU];
  }
}

std::uint16_t slot_of(std::string_view key) {
  SlotHash hash;
  hash.add(hashed_part(key));
  return hash.slot();
}

std::optional<Redirection> read_redirection(std::string_view error, const AddressContext& context) {
  // MOVED 3999 127.0.0.1:6381; the host may be empty, or an IPv6 literal without brackets.
  const std::vector<std::string_view> words = split(error, ' ');
  if (words.size() != 3 || (words[0] != "MOVED" && words[0] != "ASK")) return std::nullopt;
  const std::size_t colon = words[2].rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto number = [](std::string_view text, unsigned highest) -> std::optional<std::uint16_t> {
    unsigned value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc{} || end != text.data() + text.size() || value > highest) {
      return std::nullopt;
    }
    return static_cast<std::uint16_t>(value);
  };
  const auto slot = number(words[1], kSlots - 1);
  const auto port = number(words[2].substr(colon + 1), 65'535);
  if (!slot || !port || *port == 0) return std::nullopt;
  return Redirection{
      words[0] == "ASK", *slot, {host_or_asked(words[2].substr(0, colon), context), *port, {}}};
}

}  // namespace headroom::resp
