// Notices replies that are not what was written. Pure; one worker's, not thread-safe.
//
// A value begins with a stamp of 16 bytes: the version of this writing and a checksum of owner,
// key, version and size; the rest is the end of the workload's block. So every byte of a value is
// known to whoever knows its key and version.
//
// A version is stale when a later one was there before the reading began. Requests on different
// connections overtake one another, so that is only certain of a writing that had its key to
// itself: of a key that is being written twice at a time, the last such writing counts. Where other
// workers write the same keys nothing is known of their writings, and no version is called stale.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "load/keys.h"
#include "load/values.h"

namespace headroom::load {

enum class ReplyFault : std::uint8_t { kSound, kSize, kStamp, kBody, kStale };

// "is 12 bytes long" and the like is the caller's; this is a phrase about the value: "is stale".
[[nodiscard]] std::string_view fault_text(ReplyFault fault);

inline constexpr std::size_t kStampBytes = 16;

// What stands at the begin of a value.
void write_stamp(char* at, std::uint64_t owner, std::uint64_t key, std::uint64_t version,
                 std::uint64_t size);

class Verifier {
 public:
  // `sizes` and `block` outlive the verifier. Takes 16 bytes for each key of the share, if that is
  // the worker's own.
  Verifier(const KeyShare& share, const ValueSizes& sizes, const ValueBlock& block);

  // A request for the key is made. The version that it writes, from 1; the oldest version that a
  // reader may be answered with.
  [[nodiscard]] std::uint64_t begin_write(std::uint64_t key);
  [[nodiscard]] std::uint64_t begin_read(std::uint64_t key) const;
  // The writing of this version was acknowledged; was refused, so that it did not happen. If
  // neither is ever told, the writing may yet happen at any time.
  void written(std::uint64_t key, std::uint64_t version);
  void refused(std::uint64_t key);

  // Looks at the value that a reader of `key`, begun at `oldest`, was answered with.
  [[nodiscard]] ReplyFault judge(std::uint64_t key, std::uint64_t oldest,
                                 std::string_view value) const;

 private:
  struct State {
    std::uint64_t oldest = 0;     // the version of the last writing that was alone
    std::uint32_t under_way = 0;  // writings
    bool contended = false;       // two writings were under way at a time
  };

  const std::uint64_t owner_;
  const ValueSizes& sizes_;
  const ValueBlock& block_;
  std::uint64_t version_ = 0;
  std::vector<State> states_;  // by key; empty: others write the same keys
};

}  // namespace headroom::load
