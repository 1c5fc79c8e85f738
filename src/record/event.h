// Things that happened at a moment, and doubts about the run.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "record/phase.h"

namespace headroom::record {

// Values are stored and never change.
enum class EventKind : int {
  kPhaseBegan = 0,
  kPhaseEnded = 1,
  kConnectionLost = 2,  // a worker's connection broke
  kReconnected = 3,
  kEngineSilent = 4,   // the engine did not answer the sampler in time
  kEngineAnswers = 5,  // and does again
  kEngineGone = 6,     // the engine's process ended by itself
  kInterrupted = 7,    // the user asked to stop
  kReceipt = 8,        // a step of the lifecycle was proved: text has the evidence
  kNote = 9,
};
[[nodiscard]] std::string_view event_name(EventKind kind);
[[nodiscard]] std::optional<EventKind> event_from_value(int stored);

struct Event {
  Nanos time{0};  // run time
  EventKind kind = EventKind::kNote;
  std::string text;
};

// What makes a run doubtful. A closed list; every entry has a next step. Values are stored and
// never change.
enum class WarningKind : int {
  kWindowTooShort = 0,   // too few seconds for any statistic
  kGeneratorBusy = 1,    // a worker thread near the limit of its CPU
  kLoopLag = 2,          // a worker looked late at its sockets
  kSharedHost = 3,       // engine and generator compete for busy CPUs
  kSamplesMissing = 4,   // telemetry has holes
  kTelemetryAbsent = 5,  // something could not be read at all; text says what
  kConnectionsLost = 6,
  kErrors = 7,            // error replies, timeouts or lost requests inside the window
  kConservation = 8,      // client and engine disagree on the number of commands
  kInterrupted = 9,       // ended before its time
  kInFlightAtEnd = 10,    // requests unanswered when the window closed; text has their age
  kExistingData = 11,     // the target was not empty at the start
  kPersistence = 12,      // the engine saved or forked inside the window
  kEvictedPrefill = 13,   // keys were evicted before measuring began
  kEngineRestarted = 14,  // the engine's run id or uptime jumped
  kStillFilling = 15,     // memory still grew when the window closed, before any eviction
  kCorrupt = 16,          // values that were read are not what was written
  kShapeNotHeld = 17,     // the node's CPU is not what its shape says; text says why
  kUnsent = 18,           // open loop: requests were due and never sent
  kLateSends = 19,        // open loop: many requests were sent late
  kOutage = 20,           // slots of a cluster were without service
};
struct WarningInfo {
  WarningKind kind;
  std::string_view name;       // "generator-busy"
  std::string_view next_step;  // one sentence: what to do about it
};
[[nodiscard]] std::span<const WarningInfo> warning_catalogue();
[[nodiscard]] const WarningInfo& warning_info(WarningKind kind);
[[nodiscard]] std::optional<WarningKind> warning_from_value(int stored);

struct Warning {
  WarningKind kind = WarningKind::kWindowTooShort;
  std::string text;  // what was seen, with numbers
};

// A step of tear-down that was proved, or could not be.
struct Receipt {
  Nanos time{0};         // run time
  std::string what;      // "process gone", "port closed", "directory removed"
  std::string evidence;  // "pid 4711: no such process"
  bool proved = false;
};

}  // namespace headroom::record
