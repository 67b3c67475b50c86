#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/strict/alias_table.hpp>
#include <convene/protocol/strict/reading_note.hpp>
#include <convene/protocol/strict/shape.hpp>

namespace convene::protocol {

/// Takes up the ids of a value, and what may be one.
void collect_aliases(boost::json::value& from, const shape* how,
                     alias_table& aliases);

/// Puts what stands for them in their places.
void alias_ids(boost::json::value& in, const shape* how,
               const alias_table& aliases, reading_notes& notes);

} // namespace convene::protocol
