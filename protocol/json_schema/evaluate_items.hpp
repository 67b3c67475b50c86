#pragma once

#include <convene/protocol/json_schema/unique_items.hpp>
#include <convene/protocol/json_schema/walk.hpp>

#include <string>

namespace convene::protocol::validation {

/// `items` with one schema.
template <bool Describing, cursor C>
bool meets_items(run& r, const instruction& what, C array) {
  bool ok = true;
  std::size_t index = 0;
  array.each_item([&](C item) {
    step_into<Describing> step{r, "items"};
    step.into(index++);
    ok = check<Describing>(r, what.a, item) && ok;
    return ok || goes_on<Describing>(r);
  });
  return ok;
}

/// `items` with a list of schemas, and `additionalItems`.
template <bool Describing, cursor C>
bool meets_tuple(run& r, const instruction& what, C array) {
  bool ok = true;
  std::size_t index = 0;
  array.each_item([&](C item) {
    const auto at = index++;
    if (at < what.b - what.a) {
      step_into<Describing> step{r, "items", at};
      step.into(at);
      ok = check<Describing>(r, r.code.lists[what.a + at], item) && ok;
    } else {
      step_into<Describing> step{r, "additionalItems"};
      step.into(at);
      ok = check<Describing>(r, what.c, item) && ok;
    }
    return ok || goes_on<Describing>(r);
  });
  return ok;
}

template <bool Describing, cursor C>
bool meets_unique_items(run& r, C array) {
  const auto same = find_equal_items(r, array);
  if constexpr (Describing)
    if (same)
      return say(r, "uniqueItems", "items that differ",
                 "items " + std::to_string(same->first) + " and "
                   + std::to_string(same->second) + " equal");
  return !same && r.limit == validation_limit::none;
}

} // namespace convene::protocol::validation
