#pragma once

#include <convene/runtime/data/documents/check_invariants.hpp>
#include <convene/runtime/data/documents/check_text.hpp>

#include <string_view>

namespace convene::host {

/// The id of the rule about what the profiles' event matrix requires of an
/// event beyond its official schema, which leaves payloads open.
inline constexpr std::string_view event_matrix_rule = "event_matrix";

/// Checks an event that is valid by `mplp-map-event` or `mplp-sa-event` by the
/// matrix (docs/events.md, section 5); other documents are left alone.
void check_matrix(std::string_view schema, const protocol::json::value& event,
                  const place_finder& find, file_verdict& out);

} // namespace convene::host
