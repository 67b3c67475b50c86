#pragma once

#include <convene/protocol/otlp/span.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace convene::protocol {

/// A track: what is on it is nested or apart.
struct slice_track {
  std::string name;      ///< empty: the session's own
  std::size_t count = 1; ///< which one of that name
};

struct slice_layout {
  std::vector<slice_track> tracks;   ///< the session's first
  std::vector<std::size_t> track_of; ///< by span
  /// The spans in the order of their beginnings.
  std::vector<std::size_t> order;
};

/// Gives each span the first track of its participant on which it fits.
[[nodiscard]] slice_layout lay_out(const span_trace& trace);

} // namespace convene::protocol
