#pragma once

#include <boost/json/object.hpp>

namespace convene::host {

/// A tool's schema, an object at its top, in the subset that Gemini accepts: a
/// few keywords, one type for each value, no references. For sources in this
/// folder only.
[[nodiscard]] boost::json::object fit_gemini(const boost::json::object& schema);

} // namespace convene::host
