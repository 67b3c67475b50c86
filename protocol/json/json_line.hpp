#pragma once

#include <boost/json/value.hpp>

#include <string>

namespace convene::protocol {

/// Without spaces and without an end of line, members in their order, and
/// numbers with a fraction as `pretty` writes them: `0.25`.
[[nodiscard]] std::string one_line(const boost::json::value& what);

} // namespace convene::protocol
