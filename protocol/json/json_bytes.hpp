#pragma once

#include <boost/json/value.hpp>

#include <cstddef>

namespace convene::protocol {

/// How many bytes `boost::json::serialize` makes of a value, without making
/// them.
[[nodiscard]] std::size_t json_bytes(const boost::json::value& what);

} // namespace convene::protocol
