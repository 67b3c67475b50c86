#pragma once

#include <boost/json/value.hpp>

namespace convene::protocol {

/// Whether two JSON values are the same: numbers by value, exactly, whether
/// they are written 1 or 1.0; members in any order. Recurses as deep as the
/// values, which their parser bounds.
[[nodiscard]] bool same_value(const boost::json::value& a,
                              const boost::json::value& b);

} // namespace convene::protocol
