// Requests in RESP: an array of bulk strings, which every version of the protocol and every engine
// understands.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace headroom::resp {

// Appends one request to `out`. Arguments may hold any bytes.
void append_command(std::string& out, std::span<const std::string_view> arguments);

}  // namespace headroom::resp
