// memtier_benchmark's command line. Facts about it: its man page and source, version 2.3.
#pragma once

#include "interop/flag_table.h"
#include "interop/reading.h"

namespace headroom::interop {

[[nodiscard]] const Program& memtier_program();

// Adds the runs that the command line asks for, and what it wants to see of them.
void read_memtier(Reading& reading);

}  // namespace headroom::interop
