#include "load/connection.h"

#include <algorithm>
#include <utility>

namespace headroom::load {

void Connection::connecting(UniqueFd fd, Nanos now) {
  stream_ = net::Stream(std::move(fd));
  state_ = ConnectionState::kConnecting;
  since_ = step_began_ = now;
}

void Connection::close(Nanos now) {
  stream_.close();
  requests_left_ = 0;
  state_ = ConnectionState::kClosed;
  since_ = now;
  queue_.clear();
  parser_.reset();
  rest_ = {};
  rest_begin_ = 0;
  tail_ = {};
}

void Connection::keep_unsent(std::string_view bytes, std::string_view tail, std::size_t taken) {
  const std::size_t of_bytes = std::min(taken, bytes.size());
  rest_.assign(bytes.substr(of_bytes));
  rest_begin_ = 0;
  tail_ = tail.substr(taken - of_bytes);
}

void Connection::sent_more(std::size_t taken) {
  const std::size_t of_rest = std::min(taken, rest().size());
  rest_begin_ += of_rest;
  tail_.remove_prefix(taken - of_rest);
  if (!has_unsent()) {
    rest_ = {};  // gives the memory back: being cut short is rare
    rest_begin_ = 0;
  }
}

void Connection::drop_waiting() {
  if (queue_.waiting() == 0) return;
  // The tail belongs to the last request, and that one is dropped.
  tail_ = {};
  if (has_unsent()) rest_.resize(rest_begin_ + queue_.first_waiting_offset());
  queue_.drop_waiting();
}

}  // namespace headroom::load
