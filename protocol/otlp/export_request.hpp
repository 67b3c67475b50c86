#pragma once

#include <convene/protocol/otlp/span.hpp>

#include <string_view>

namespace convene::protocol {

/// The trace as the body of a POST to a collector's /v1/traces: an
/// ExportTraceServiceRequest in OTLP's JSON. `version` is that of convene.
[[nodiscard]] json::object export_request(const span_trace& trace,
                                          std::string_view version);

} // namespace convene::protocol
