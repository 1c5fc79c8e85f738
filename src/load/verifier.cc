#include "load/verifier.h"

#include <cstring>

#include "base/check.h"
#include "base/random.h"
#include "load/streams.h"

namespace headroom::load {

std::string_view fault_text(ReplyFault fault) {
  switch (fault) {
    case ReplyFault::kSound:
      return "is as written";
    case ReplyFault::kSize:
      return "has another size than was written";
    case ReplyFault::kStamp:
      return "begins with no version of this key";
    case ReplyFault::kBody:
      return "has other bytes than were written";
    case ReplyFault::kStale:
      return "is older than what was there before it was asked for";
  }
  check(false, "every fault has a text");
  return {};
}

void write_stamp(char* at, std::uint64_t owner, std::uint64_t key, std::uint64_t version,
                 std::uint64_t size) {
  const std::uint64_t checksum = derive_seed(owner, {key, version, size});
  std::memcpy(at, &version, sizeof version);
  std::memcpy(at + sizeof version, &checksum, sizeof checksum);
}

Verifier::Verifier(const KeyShare& share, const ValueSizes& sizes, const ValueBlock& block)
    : owner_(share.owner), sizes_(sizes), block_(block) {
  if (share.owner != kNone) states_.resize(share.count);
}

std::uint64_t Verifier::begin_write(std::uint64_t key) {
  if (!states_.empty()) {
    State& state = states_[key];
    if (state.under_way++ > 0) state.contended = true;
  }
  return ++version_;
}

std::uint64_t Verifier::begin_read(std::uint64_t key) const {
  return states_.empty() ? 0 : states_[key].oldest;
}

void Verifier::written(std::uint64_t key, std::uint64_t version) {
  if (states_.empty()) return;
  State& state = states_[key];
  if (!state.contended) state.oldest = version;
  refused(key);
}

void Verifier::refused(std::uint64_t key) {
  if (states_.empty()) return;
  State& state = states_[key];
  check(state.under_way > 0, "a writing that ended was begun");
  if (--state.under_way == 0) state.contended = false;
}

ReplyFault Verifier::judge(std::uint64_t key, std::uint64_t oldest, std::string_view value) const {
  if (value.size() != sizes_.of(key)) return ReplyFault::kSize;
  std::uint64_t version = 0;
  std::memcpy(&version, value.data(), sizeof version);
  char stamp[kStampBytes];
  write_stamp(stamp, owner_, key, version, value.size());
  if (std::memcmp(stamp, value.data(), kStampBytes) != 0) return ReplyFault::kStamp;
  if (value.substr(kStampBytes) != block_.value(value.size() - kStampBytes))
    return ReplyFault::kBody;
  return version < oldest ? ReplyFault::kStale : ReplyFault::kSound;
}

}  // namespace headroom::load
