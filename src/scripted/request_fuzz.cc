// Any bytes from a client: they give the same requests however they are split, in the reader that
// keeps the arguments and in the skipper that does not. (The reader takes inline commands as well,
// so the two need not agree with each other.)
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "scripted/request_reader.h"
#include "scripted/request_skipper.h"

namespace {

using headroom::check;
using headroom::scripted::RequestReader;
using headroom::scripted::RequestSkipper;

// Every argument of every request, each with an end of its own; "!" where the stream was refused.
std::string read(std::string_view bytes, std::size_t piece) {
  RequestReader reader;
  std::string seen;
  for (std::size_t begin = 0; begin < bytes.size(); begin += piece) {
    reader.feed(bytes.substr(begin, piece));
    while (true) {
      const auto request = reader.next();
      if (!request) return seen + "!";
      if (!*request) break;
      check(!(*request)->empty(), "a request has a command");
      for (const std::string& argument : **request) seen += argument + '\xff';
      seen += '\xfe';
    }
  }
  return seen;
}

// The first bytes of the commands.
std::string skip(std::string_view bytes, std::size_t piece) {
  RequestSkipper skipper;
  std::string seen;
  for (std::size_t begin = 0; begin < bytes.size(); begin += piece) {
    if (!skipper.feed(bytes.substr(begin, piece), [&seen](char first) { seen += first; }))
      return seen + "!";
  }
  return seen;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (bytes.empty()) return 0;
  const std::string whole = read(bytes, bytes.size());
  const std::string skipped = skip(bytes, bytes.size());
  for (const std::size_t piece : {1U, 2U, 7U}) {
    check(read(bytes, piece) == whole, "a split changes what is read");
    check(skip(bytes, piece) == skipped, "a split changes what is skipped");
  }
  return 0;
}
