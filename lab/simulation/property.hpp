#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/json/relation.hpp>
#include <convene/session/options/end_condition.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace convene::host {

/// A member of the result, and what it is compared with.
struct result_comparison {
  std::string member; ///< of result.json, by its dotted path
  protocol::relation how = protocol::relation::equals;
  boost::json::value value;

  /// What is wrong with the result; empty: nothing.
  [[nodiscard]] std::string fault_of(const boost::json::object& result) const;
};

/// What shall hold for every seed.
struct property {
  enum class kind : std::uint8_t {
    never,       ///< the condition holds after no input
    at_end,      ///< the condition holds when the session has ended
    result,      ///< all comparisons hold
    no_failures, ///< no turn, answer to a broadcast or write failed
    program      ///< a program says so
  };

  std::string name;
  kind what = kind::never;
  session::end_condition condition;
  std::vector<result_comparison> comparisons;
  std::string program; ///< the absolute path of its file
};

/// Most properties of one simulation, and comparisons of one property.
inline constexpr std::size_t properties_max = 100;

/// The longest file of properties.
inline constexpr std::size_t property_file_bytes_max = std::size_t{1} << 20;

/// Reads a property, or an array of some. Conditions are those of `end` in a
/// scenario, but for `custom`. Errors name the file, the line and the pointer.
[[nodiscard]] protocol::result<std::vector<property>>
read_properties(const std::filesystem::path& file);

/// The same for what is not in a file; errors name the pointer alone. `stem`
/// names properties without a name.
[[nodiscard]] protocol::result<std::vector<property>>
parse_properties(const boost::json::value& from, const std::string& stem);

} // namespace convene::host
