#pragma once

#include <convene/protocol/json_schema/equality.hpp>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace convene::protocol::validation {

/// The indices of two equal items.
using equal_items = std::optional<std::pair<std::size_t, std::size_t>>;

/// Few items: each with each, without allocation.
template <cursor C>
[[nodiscard]] equal_items find_equal_among_few(run& r, C array) {
  equal_items found;
  std::size_t second = 0;
  array.each_item([&](C b) {
    std::size_t first = 0;
    array.each_item([&](C a) {
      if (first == second)
        return false;
      if (equal(r, a, b))
        found.emplace(first, second);
      ++first;
      return !found;
    });
    ++second;
    return !found;
  });
  return found;
}

/// Two equal items of an array, if there are any. Compares only items with
/// the same hash; whoever makes hashes collide pays from the run's steps.
template <cursor C>
[[nodiscard]] equal_items find_equal_items(run& r, C array) {
  constexpr std::size_t few = 12;
  if (array.size() <= few)
    return find_equal_among_few(r, array);
  const auto items = items_of(array);
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  order.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i)
    order.emplace_back(hash_of(r, items[i]), i);
  std::ranges::sort(order);
  for (auto at = order.begin(); at != order.end(); ++at)
    for (auto next = at + 1; next != order.end() && next->first == at->first;
         ++next) {
      if (equal(r, items[at->second], items[next->second]))
        return std::pair{at->second, next->second};
      if (r.steps == 0)
        return std::nullopt;
    }
  return std::nullopt;
}

} // namespace convene::protocol::validation
