#pragma once

#include <boost/json/fwd.hpp>

#include <string_view>

namespace convene::protocol {

/// The name of the embedded schema (`mplp-collab`, `convene-scenario`, ...)
/// that a document seems to be written for, by the members that only its kind
/// has. An event with a `session_id` is one of a session's log, in native form,
/// if it is a MAP event with a family, or another one without, or of a type
/// that only such logs have; else it is an official one. Empty: it looks like
/// nothing that we have a schema for.
[[nodiscard]] std::string_view
guess_schema(const boost::json::value& document) noexcept;

/// The schema of a core event of this family; that of any family where there
/// is none of its own.
[[nodiscard]] std::string_view
schema_of_family(std::string_view family) noexcept;

} // namespace convene::protocol
