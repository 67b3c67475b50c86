#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/runtime/data/state_store/state_store.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace convene::host {

// A whole store, without its snapshots, as JSON Lines:
//
//   {"state_store":1}
//   {"key":"plans/...","value":...}                  in order of the keys
//   {"event_id":"...","trace_id":"...","value":...}  in the order of appending
//   {"end":<how many lines are between>}
//
// An event has trace_id and context_id if it has them. Values are their own
// text, except that line breaks between its tokens are spaces. Equal stores
// give equal texts.

/// The longest line that is read: a value and its key, all escaped.
inline constexpr std::size_t state_line_bytes_max = state_value_bytes_max
                                                    + 4'096;

/// Takes complete lines; an error ends the export.
using line_sink = std::function<protocol::result<void>(std::string_view)>;
/// The next line, with or without its end; nothing: there are no more.
using line_source
  = std::function<protocol::result<std::optional<std::string>>()>;

/// Writes what `from` has at one moment. `into` is called on its thread.
CONVENE_API void export_state(state_store& from, line_sink into,
                              when_state<void> then);

/// Reads an export into a store without entries and events: all of it, or
/// nothing if it is not whole and valid (`state_line`, with the line's number).
/// `from` is called on the store's thread.
CONVENE_API void import_state(state_store& into, line_source from,
                              when_state<void> then);

} // namespace convene::host
