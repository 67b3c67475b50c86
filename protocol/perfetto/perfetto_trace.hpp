#pragma once

#include <convene/protocol/otlp/span.hpp>

#include <string>

namespace convene::protocol {

/// The spans as the bytes of a Perfetto trace: a track for the session, below
/// it one for each participant, with the attempts at actions within its
/// requests. Slices on one track are nested or apart; what overlaps gets a
/// further track of the same name. A flow leads from who handed off to who took
/// up.
[[nodiscard]] std::string perfetto_trace(const span_trace& trace);

} // namespace convene::protocol
