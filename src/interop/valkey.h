// The command line of valkey-benchmark 9.1 and, with fewer flags, of redis-benchmark. Facts about
// it: its help and its source.
#pragma once

#include "interop/flag_table.h"
#include "interop/reading.h"

namespace headroom::interop {

[[nodiscard]] const Program& valkey_program();

// Adds the runs that the command line asks for, and what it wants to see of them.
void read_valkey(Reading& reading);

}  // namespace headroom::interop
