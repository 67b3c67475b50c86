#pragma once

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace convene::host {

/// One way to make a scenario smaller.
struct scenario_edit {
  enum class kind : std::uint8_t {
    items,  ///< `count` items of an array, from `first` on, are left out
    member, ///< a member of an object is left out
    number  ///< a whole number becomes `value`, which is lower
  };

  kind what = kind::items;
  std::string pointer; ///< of the array, the member or the number
  std::size_t first = 0;
  std::size_t count = 0;
  std::int64_t value = 0;
  std::size_t bytes = 0; ///< of JSON that go with it

  bool operator==(const scenario_edit&) const = default;
};

/// All ways to make it smaller by one step, those that take most first: items
/// of arrays (all of them, halves, quarters and so on down to one), members of
/// objects, lower numbers in `session` and `behaviours`. Most make no scenario:
/// who makes one of it finds out. The same scenario has the same edits.
[[nodiscard]] std::vector<scenario_edit>
edits_of(const boost::json::object& scenario);

/// The scenario after an edit of it. With a participant goes its behaviour,
/// with a step what depends on it is free of it.
[[nodiscard]] boost::json::object apply(const boost::json::object& scenario,
                                        const scenario_edit& what);

} // namespace convene::host
