#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/uuid.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// W3C Trace Context, as far as a session joins its caller's trace and hands
// that on to what it calls (docs/observability.md).

namespace convene::protocol {

/// A place in a trace, as its headers have it.
struct trace_context {
  std::string traceparent;
  std::string tracestate; ///< empty: none

  bool operator==(const trace_context&) const = default;
};

/// What a traceparent says.
struct trace_parent {
  uuid trace;             ///< not nil
  std::uint64_t span = 0; ///< not 0
  std::uint8_t flags = 0; ///< of those that are known: sampled, random

  bool operator==(const trace_parent&) const = default;
};

/// A traceparent of a later version may be longer, within this.
inline constexpr std::size_t traceparent_bytes_max = 512;
inline constexpr std::size_t tracestate_bytes_max = 16'384;
inline constexpr std::size_t tracestate_members_max = 32;

/// Reads a traceparent of version 00, or the beginning of a later one that has
/// the same form. Nothing: it is not valid.
[[nodiscard]] CONVENE_API std::optional<trace_parent>
parse_traceparent(std::string_view text) noexcept;

/// The same as text, of version 00.
[[nodiscard]] CONVENE_API std::string to_traceparent(const trace_parent& what);

/// Whether it is a valid tracestate; an empty one is.
[[nodiscard]] CONVENE_API bool is_tracestate(std::string_view text);

/// Refuses what is not valid, with the member as its pointer and the rule
/// `traceparent` or `tracestate`.
[[nodiscard]] CONVENE_API result<void>
check_trace_context(const trace_context& what, std::string_view pointer);

/// Which attempt at an action of a session. The same from the session's own
/// view and from its log.
struct traced_attempt {
  std::string_view participant;
  std::string_view token; ///< of the request
  std::string_view position;
  std::int64_t number = 1;
};

/// The id of its span; not 0.
[[nodiscard]] std::uint64_t action_span(std::string_view session_id,
                                        const traced_attempt& which);

/// What an attempt hands on: its span, in the caller's trace if there is one,
/// else in that of the session, which counts as sampled. The tracestate is the
/// caller's, with the session's own trace_id in front as `mplp`.
[[nodiscard]] trace_context
trace_context_of(std::string_view session_id,
                 const std::optional<trace_context>& caller,
                 const traced_attempt& which);

} // namespace convene::protocol
