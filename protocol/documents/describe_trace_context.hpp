#pragma once

#include <convene/protocol/documents/describe.hpp>
#include <convene/protocol/documents/trace_context.hpp>

namespace convene::protocol {

inline constexpr constraint traceparent_text{
  .keyword = "pattern",
  .holds =
    [](std::string_view text) noexcept {
      return parse_traceparent(text).has_value();
    },
  .wanted = "a traceparent of W3C Trace Context: 00-<32 hex digits>-<16 hex "
            "digits>-<2 hex digits>, in lower case, not all zeros"};

/// The members of a scenario's `trace_context`; see description.hpp. What its
/// tracestate must be, `check_trace_context` says.
CONVENE_DESCRIBE(trace_context, MEMBER(traceparent, traceparent_text),
                 SPARSE(tracestate));

} // namespace convene::protocol
