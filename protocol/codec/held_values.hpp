#pragma once

#include <boost/json/value.hpp>

namespace convene::protocol {

namespace json = boost::json;

/// A number of a document, whole or not, kept the way it was written: `1` stays
/// `1`, and 2^63 loses no digit.
struct json_number {
  json::value held = 0; ///< an int64, uint64 or double

  [[nodiscard]] double value() const {
    return held.to_number<double>();
  }

  bool operator==(const json_number&) const = default;
};

/// A member that may hold any JSON value.
struct any_value {
  json::value held;

  bool operator==(const any_value&) const = default;
};

} // namespace convene::protocol
