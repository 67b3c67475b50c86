#pragma once

#include <boost/json/value.hpp>

#include <string>

namespace convene::protocol {

/// SHA-256 of a value's canonical text, as 64 lower-case hexadecimal digits:
/// without spaces, members sorted by the bytes of their names, whole numbers
/// without a fraction, others as the shortest text that reads back as the same
/// double. Values that `same_value` takes for the same have the same digest.
/// Recurses as deep as the value, which its parser bounds.
[[nodiscard]] std::string json_sha256(const boost::json::value& what);

/// That of `{"rules", "rules_since", "spec"}`: `spec_sha256` of
/// MAPSessionStarted. A null is a member that the event lacks.
[[nodiscard]] std::string start_digest(boost::json::value rules,
                                       boost::json::value rules_since,
                                       boost::json::value spec);

} // namespace convene::protocol
