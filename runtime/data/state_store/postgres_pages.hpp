#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/data/state_store/state_store.hpp>

#include <string>

// For sources in this folder only: what reads the tables of a store in
// PostgreSQL, a page at a time.

namespace convene::host {

class postgres_connection;

/// Of values and of the keys of events.
[[nodiscard]] protocol::result<state_page> read_state(postgres_connection& in,
                                                      const state_scan& which);
/// Of values alone, after a key.
[[nodiscard]] protocol::result<state_page>
read_entries(postgres_connection& in, const std::string& after);

[[nodiscard]] protocol::result<state_event_page>
read_events(postgres_connection& in, const state_event_query& which);

} // namespace convene::host
