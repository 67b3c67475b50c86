#pragma once

#include <boost/json/value.hpp>

#include <array>
#include <cstdint>
#include <string_view>

namespace convene::protocol {

/// How a value that is found compares with one that is given.
enum class relation : std::uint8_t {
  equals,
  differs,
  at_most,
  at_least,
  below,
  above
};

/// Their names in JSON, in the same order.
inline constexpr std::array<std::string_view, 6> relation_words{
  "equals", "differs", "at_most", "at_least", "below", "above"};

/// Whether only numbers can be compared so.
[[nodiscard]] constexpr bool wants_number(relation how) noexcept {
  return how > relation::differs;
}

/// Whether the relation holds. Equal is what `same_value` calls the same; of
/// the other relations, what is no number has none.
[[nodiscard]] bool holds(relation how, const boost::json::value& found,
                         const boost::json::value& with);

} // namespace convene::protocol
