#pragma once

#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/uuid.hpp>

#include <optional>
#include <string>

namespace convene::protocol {

/// Where a document or an event comes from. Nothing in this layer draws ids or
/// reads a clock, so the caller does.
struct origin {
  uuid id;                       ///< of the thing itself; v4
  timestamp_ms at = 0;           ///< when it comes to be
  std::optional<std::string> by; ///< `meta.created_by` of documents
};

/// A document, event or learning sample with what is empty or absent filled in:
/// its own id, its first time, and for documents `meta`. What is there already
/// stays. With designated initialisers it builds one:
///
///     auto made = stamp(plan{.context_id = id, .title = "x", .objective = "y",
///                            .steps = {{.description = "z"}}}, {ids.next(),
///                            now});
///
/// Besides:
/// - a Context's `root` gets the domain `convene` and the environment `local`
/// - steps of a plan and nodes of a network get ids that follow from the
///   document's, and steps their `order_index`
/// - messages of a dialog get the time
/// - a Trace's `root_span` gets the trace's id, and an id that follows from it
/// - lists that the protocol wants written though they may be absent are empty:
///   `decisions`, `segments`, `capabilities`, `nodes` (MPLP conflicts.md C-26)
///
/// Other members that must not be empty (titles, ids of other things) are the
/// caller's: with them the result is valid by its schema. For the ten modules
/// and all types of `any_event`.
template <class T>
[[nodiscard]] T stamp(T what, const origin& from);

} // namespace convene::protocol
