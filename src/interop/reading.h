// What the readings of both programs' command lines share. Pure; for bench.cc and the dialects.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "interop/bench.h"
#include "interop/draft.h"
#include "interop/flag_table.h"

namespace headroom::interop {

// Of threads, connections and rates: both programs keep them in 32 bits.
inline constexpr std::uint64_t kMostCount = std::numeric_limits<std::uint32_t>::max();

// A command line that was taken apart, and the plan that grows from it. Mistakes are gathered and
// told together by finish().
class Reading {
 public:
  Reading(Words words, std::uint64_t fresh_seed);

  [[nodiscard]] const Given* given(std::string_view name) const;  // the last one of that name
  [[nodiscard]] const std::vector<Given>& flags() const { return words_.flags; }
  [[nodiscard]] bool has(std::string_view name) const { return given(name) != nullptr; }
  [[nodiscard]] const std::vector<std::string>& command() const { return words_.command; }
  [[nodiscard]] std::uint64_t fresh_seed() const { return fresh_seed_; }

  // The number of a flag, or `otherwise` where it was not given. What is no number of the range is
  // a mistake.
  std::uint64_t number(std::string_view name, std::uint64_t otherwise, std::uint64_t lowest,
                       std::uint64_t highest);
  // "-c 50", or "-c 50 (the default)".
  [[nodiscard]] std::string written(std::string_view name, std::string_view otherwise) const;

  // Sets what flags of Handling::kOption say; every flag of kRefused is a mistake.
  void apply_table();

  // Ends the load after so many requests. At a rate (0: none) that is a time: as many are then due.
  void end_after(std::uint64_t requests, std::uint64_t rate_per_s, std::string_view written);

  // Where the server is and who asks, by the flags of that name; empty: there is no such flag.
  struct EndpointFlags {
    std::vector<std::string_view> host;
    std::string_view port;
    std::string_view socket;
    std::string_view password;
    std::string_view user;
    std::string_view uri;
    std::string_view default_host;
  };
  void apply_endpoint(const EndpointFlags& flags);
  // Like set("target.username") and the like; the words of `given` are never shown again.
  void apply_login(std::string_view user, std::string_view password, const Given& given);

  // One more run; `draft` holds all that it needs.
  void add_run(std::string test, std::string_view name, Draft draft);
  [[nodiscard]] Result<BenchPlan> finish(std::span<const std::string> words) &&;

  Draft draft;     // what all runs have in common
  BenchPlan plan;  // but for the runs and the words

 private:
  void apply_own_flags();
  void apply_uri(const Given& given);

  Words words_;
  std::uint64_t fresh_seed_;
  std::vector<std::string> overrides_;
  std::vector<std::pair<std::string, Draft>> drafts_;
  std::vector<const Given*> secrets_;
};

}  // namespace headroom::interop
