#pragma once

#include <boost/json/fwd.hpp>

#include <string_view>

namespace convene::protocol {

/// The name of the embedded schema (`mplp-collab`, `convene-scenario`, ...)
/// that a document seems to be written for, by the members that only its kind
/// has. An event with a `session_id` is one of a session's log. Empty: it looks
/// like nothing that we have a schema for.
[[nodiscard]] std::string_view
guess_schema(const boost::json::value& document) noexcept;

} // namespace convene::protocol
