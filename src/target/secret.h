// Passwords: read where the scenario says, kept in memory only.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "scenario/scenario.h"

namespace headroom::target {

// The password of an endpoint: the content of `password_file` without one line end at its end, or
// the value of the variable `password_env`; empty if neither is set. What is named but missing or
// empty is an Error (kUsage) that names the option, never the password.
[[nodiscard]] Result<std::string> read_password(const scenario::Target& target);

// Would read_password() have something to read? A pipe can be read only once, so of one it is only
// looked at whether it may be read.
[[nodiscard]] Status check_password(const scenario::Target& target);

// Is this directive of the engine's configuration one whose value must not be recorded?
[[nodiscard]] bool is_secret_directive(std::string_view name);

}  // namespace headroom::target
