#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/strict/alias_table.hpp>
#include <convene/protocol/strict/reading_note.hpp>

#include <cstddef>
#include <string_view>

namespace convene::protocol {

/// A document or event as the official schema of this name accepts it.
struct strict_form {
  std::string_view schema;
  boost::json::value value;
};

/// Takes up the ids of a document or event; all that is exported together goes
/// into one table, before any of it is converted. `ordinal` is its position
/// in the export.
void collect_ids(const boost::json::value& native, std::size_t ordinal,
                 alias_table& aliases);

/// The strict form, valid by its official schema, in the memory of `native`;
/// `notes` gets what was taken as what. What the schema has no place for is
/// kept where it has one: as the last of a document's `events`, in
/// `payload.native` of an event, and so on (docs/strict-form.md). The same
/// input gives the same bytes. Fails with errc::invalid_document, a pointer and
/// the schema's keyword if the input is nothing that can become valid; with
/// errc::internal if it was valid itself.
[[nodiscard]] result<strict_form>
to_strict(const boost::json::value& native, std::size_t ordinal,
          const alias_table& aliases, reading_notes& notes);

/// The native form that `strict` was made of, with its members in their order.
/// Fails with errc::invalid_document, rule `edit`, if what was kept apart does
/// not fit.
[[nodiscard]] result<boost::json::value>
to_native(const boost::json::value& strict, const alias_table& aliases);

} // namespace convene::protocol
