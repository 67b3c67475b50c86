#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/strict/alias_table.hpp>
#include <convene/protocol/strict/reading_note.hpp>
#include <convene/protocol/strict/shape.hpp>

namespace convene::protocol {

/// Collects the ids in a value, and the texts that may be ids.
void collect_aliases(boost::json::value& from, const shape* how,
                     alias_table& aliases);

/// Replaces the ids in a value by their aliases.
void alias_ids(boost::json::value& in, const shape* how,
               const alias_table& aliases, reading_notes& notes);

} // namespace convene::protocol
