#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/strict/reading_note.hpp>

#include <cstddef>
#include <string_view>

namespace convene::protocol {

/// What a native document or event is rewritten for.
enum class rewrite_purpose : std::uint8_t {
  reading,   ///< taken in: what nothing is known of stays, for a schema to see
  exporting, ///< written out: what has no place goes
};

/// A document in the shape of its official schema, but for its ids.
struct official_form {
  std::string_view schema; ///< empty: there is none for it
  boost::json::value value;
  /// What `/payload` of an envelope is valid by, besides; empty: anything.
  std::string_view payload_schema = {};
};

/// Rewrites what the seeds and the official schemas say differently
/// (MPLP conflicts.md; docs/strict-form.md has the list). `ordinal` tells apart
/// events without an id that are the same otherwise. The result is in the
/// memory of `native`.
[[nodiscard]] official_form rewrite(const boost::json::value& native,
                                    rewrite_purpose purpose,
                                    std::size_t ordinal, reading_notes& notes);

/// A document of one of the ten modules, even one that lacks what tells its
/// kind.
void rewrite_document(boost::json::object& document, std::string_view schema,
                      rewrite_purpose purpose, reading_notes& notes);

/// Removes members that closed objects have no place for.
void drop_unknown(boost::json::value& what, std::string_view schema,
                  reading_notes& notes);

} // namespace convene::protocol
