#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/strict/alias_table.hpp>

#include <string_view>

// What the strict form of a document has no place for, and where it is kept.

namespace convene::protocol {

/// The type and source of the small event that ends `events` of a document and
/// keeps what the document itself has no place for.
inline constexpr std::string_view native_form_event = "convene.native.form";
inline constexpr std::string_view native_form_source = "convene";

/// The one MAP event that the official schema does not know.
inline constexpr std::string_view handoff_event = "MAPHandoffInitiated";

/// A strict document without what was kept apart, with native ids and families
/// in their places: the native document but for the edits.
struct unfolded {
  boost::json::value value;
  boost::json::value edits; ///< null: none
};

[[nodiscard]] unfolded unfold(const boost::json::value& strict,
                              const alias_table& aliases);

/// The object in the document that edits are to be kept in; made where it is
/// not there yet. Null: what should hold it is no object.
[[nodiscard]] boost::json::object*
unmapped_members_of(boost::json::value& strict, std::string_view schema);

} // namespace convene::protocol
