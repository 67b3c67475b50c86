#pragma once

#include <convene/session/workflow/input.hpp>

#include <optional>

namespace convene::session {

/// Whether what a run is started with fits into its log: rules `run_tags_max`,
/// `run_inputs_bytes_max`, `utf8` and those of nesting. Pointers lead into the
/// start.
[[nodiscard]] std::optional<run_refusal>
check_start_size(const start_run& input);

} // namespace convene::session
