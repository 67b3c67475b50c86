#pragma once

#include <convene/protocol/base/uuid.hpp>

#include <cstddef>
#include <string_view>

namespace convene::protocol {

/// The most segments a session's Trace keeps; further ones are only counted.
inline constexpr std::size_t trace_segments_max = 10'000;

/// The ids in a session's Trace, which follow from the session's id alone: the
/// same in its document and wherever else the trace is shown.
class trace_ids {
public:
  /// An id that is not a UUID stands for its hash.
  explicit trace_ids(std::string_view session_id) noexcept;

  [[nodiscard]] uuid trace() const noexcept;
  [[nodiscard]] uuid root_span() const noexcept;

  /// Turns count when they begin, answers to a broadcast when they come; the
  /// first has index 0.
  [[nodiscard]] uuid segment(std::size_t index) const noexcept;

  /// Of what has no segment: an id in a space of its own.
  [[nodiscard]] uuid other(std::size_t index) const noexcept;

private:
  uuid key_;
};

} // namespace convene::protocol
