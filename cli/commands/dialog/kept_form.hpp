#pragma once

#include <boost/json/value.hpp>

namespace convene::cli {

/// Makes the changes from `before` to `after` in `to`, which says the same as
/// `before` in another form: what did not change keeps its form. Arrays only
/// grow, or are replaced.
void carry_changes(const boost::json::value& before,
                   const boost::json::value& after, boost::json::value& to);

} // namespace convene::cli
