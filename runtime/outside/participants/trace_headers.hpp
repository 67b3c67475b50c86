#pragma once

#include <convene/protocol/documents/trace_context.hpp>
#include <convene/runtime/outside/http/http_message.hpp>

#include <string>
#include <vector>

// How an attempt hands its trace on to what it calls (docs/observability.md).
// An empty one changes nothing.

namespace convene::host {

/// As headers of a request.
void add_trace_headers(http_request& to, const protocol::trace_context& trace);

/// As TRACEPARENT and TRACESTATE, in place of those that are there.
void add_trace_variables(std::vector<std::string>& environment,
                         const protocol::trace_context& trace);

/// As the first members of a request, which is a JSON object with members.
[[nodiscard]] std::string with_trace(std::string request,
                                     const protocol::trace_context& trace);

} // namespace convene::host
