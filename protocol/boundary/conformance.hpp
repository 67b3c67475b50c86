#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/base/error.hpp>

#include <string>
#include <string_view>

namespace convene::protocol::boundary {

/// Whether a value conforms to an embedded schema, by its name. If not, the
/// error is the main violation, with its place behind `pointer`.
[[nodiscard]] result<void> check_conformance(const boost::json::value& what,
                                             std::string_view schema,
                                             const std::string& pointer = {});

} // namespace convene::protocol::boundary
