#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string_view>

namespace convene::server {

/// A request that has got its answer, or a stream's beginning.
struct request_record {
  std::string_view method; ///< "other" for words that no endpoint knows
  std::string_view route;  ///< its pattern; empty: there was none
  unsigned status = 0;
  std::chrono::nanoseconds time{}; ///< from the end of its head to the answer
};

/// Called on threads of the server.
using request_observer = std::function<void(const request_record&)>;

/// What a server has now.
struct http_counts {
  std::size_t connections = 0;
  std::size_t streams = 0;
  std::size_t answer_bytes = 0; ///< made, and not taken by their readers yet
};

} // namespace convene::server
