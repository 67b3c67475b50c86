#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/strict/reading_note.hpp>

#include <string_view>

namespace convene::protocol {

/// Takes a document in the form of the protocol's first descriptions (prefixed
/// ids, protocolVersion and others; docs/strict-form.md) for what the official
/// schemas know, in place. A document already in that form, or in neither, is
/// left for a schema to judge. Returns the schema that it is for then; empty:
/// the same as before. An event is taken so only if it has no id, which the
/// first descriptions leave out and a log never does. Rule `alias_collision`.
[[nodiscard]] result<std::string_view>
accept_document(boost::json::value& document, reading_notes& notes);

/// The same for the documents embedded in a scenario, which share their ids,
/// and for what refers to them in its `session`. Pointers of `notes` are into
/// the scenario. Returns what each replaced id has become.
[[nodiscard]] result<boost::json::object>
accept_scenario(boost::json::object& scenario, reading_notes& notes);

} // namespace convene::protocol
