#pragma once

#include <convene/runtime/data/documents/check_invariants.hpp>
#include <convene/runtime/data/documents/check_text.hpp>

namespace convene::host {

/// Reads what a scenario says in languages of its own by the functions that
/// also read it when it is run, so that `validate` refuses what `run` refuses:
/// the conditions of `session.end`, and the settings of behaviours that reach
/// nothing outside, with their patterns.
void check_scenario(const protocol::json::value& scenario,
                    const place_finder& find, file_verdict& out);

} // namespace convene::host
