#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/session/options/end_condition.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace convene::host {

/// A member of the result, and what it is compared with.
struct result_comparison {
  enum class relation : std::uint8_t {
    equals,
    differs,
    at_most,
    at_least,
    below,
    above
  };

  std::string member; ///< of result.json, by its dotted path
  relation how = relation::equals;
  boost::json::value value;

  /// What is wrong with the result; empty: nothing.
  [[nodiscard]] std::string fault_of(const boost::json::object& result) const;
};

/// What shall hold for every seed.
struct property {
  enum class kind : std::uint8_t {
    never,  ///< the condition holds after no input
    at_end, ///< the condition holds when the session has ended
    result  ///< all comparisons hold
  };

  std::string name;
  kind what = kind::never;
  session::end_condition condition;
  std::vector<result_comparison> comparisons;
};

/// Most properties of one simulation, and comparisons of one property.
inline constexpr std::size_t properties_max = 100;

/// Reads a property, or an array of some. Conditions are those of `end` in a
/// scenario, but for `custom`. Errors name the file, the line and the pointer.
[[nodiscard]] protocol::result<std::vector<property>>
read_properties(const std::filesystem::path& file);

} // namespace convene::host
