#pragma once

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Members as `member_walk` shows them.

namespace convene::protocol {

namespace json = boost::json;

/// A member of an object, and its value as JSON.
struct raw_member {
  std::string_view name;
  std::string_view value;
};

/// The value of the member; empty: there is none.
[[nodiscard]] std::string_view find_raw(const std::vector<raw_member>& in,
                                        std::string_view name) noexcept;

/// What stands between the quotes; empty: the value is not a string.
[[nodiscard]] std::string_view inside_quotes(std::string_view value) noexcept;

/// The text of a string; empty: the value is not one.
[[nodiscard]] std::string text_of_raw(std::string_view value);

/// The value if it is an integer that fits into 64 signed bits.
[[nodiscard]] std::optional<std::int64_t>
integer_of_raw(std::string_view value) noexcept;

/// The value parsed; null: it is not JSON.
[[nodiscard]] json::value value_of_raw(std::string_view value);

} // namespace convene::protocol
