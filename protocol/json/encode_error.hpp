#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/api.hpp>
#include <convene/protocol/base/error.hpp>

namespace convene::protocol {

/// {"code", "message", "details"}: an error as programs print it and bindings
/// return it. `details` has file, pointer, rule, value, line and column, if
/// they are known.
[[nodiscard]] CONVENE_API boost::json::object encode_error(const error& what);

} // namespace convene::protocol
