#pragma once

#include <boost/json/value.hpp>

#include <string>

namespace convene::protocol {

/// Without spaces and without an end of line, members in their order, and
/// numbers with a fraction as `pretty` writes them: `0.25`.
[[nodiscard]] std::string one_line(const boost::json::value& what);

/// As `pretty` of a value (json_text.hpp), which would be a copy.
[[nodiscard]] std::string pretty_object(const boost::json::object& what);

} // namespace convene::protocol
