#pragma once

#include <boost/json/value.hpp>

#include <string_view>

namespace convene::protocol::validation {

inline constexpr std::string_view metaschema_uri
  = "http://json-schema.org/draft-07/schema";

/// The schema of draft-07 schemas.
[[nodiscard]] const boost::json::value& metaschema();

} // namespace convene::protocol::validation
