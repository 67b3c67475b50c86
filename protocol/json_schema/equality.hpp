#pragma once

#include <convene/protocol/json_schema/cursor.hpp>
#include <convene/protocol/json_schema/run.hpp>

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::protocol::validation {

template <cursor C>
[[nodiscard]] std::vector<C> items_of(C array) {
  std::vector<C> items;
  items.reserve(array.size());
  array.each_item([&](C item) {
    items.push_back(item);
    return true;
  });
  return items;
}

template <cursor C>
[[nodiscard]] std::vector<std::pair<std::string_view, C>>
members_by_name(C object) {
  std::vector<std::pair<std::string_view, C>> members;
  members.reserve(object.size());
  object.each_member([&](std::string_view name, C value) {
    members.emplace_back(name, value);
    return true;
  });
  std::ranges::stable_sort(members, {}, [](const auto& m) { return m.first; });
  return members;
}

[[nodiscard]] inline bool is_number(kind of) noexcept {
  return group_of_kind[static_cast<std::size_t>(of)] == numbers;
}

/// Whether two values are the same to JSON Schema: numbers by value, members
/// in any order. Spends steps and depth; false when they run out.
template <cursor A, cursor B>
[[nodiscard]] bool equal(run& r, A a, B b) {
  const kind is = a.is();
  if (!r.spend())
    return false;
  if (is_number(is))
    return is_number(b.is()) && compare(a.value(), b.value()) == 0;
  if (is != b.is())
    return false;
  if (is == kind::boolean)
    return a.boolean() == b.boolean();
  if (is == kind::string)
    return r.spend_on(a.text()) && a.text() == b.text();
  if (is == kind::null)
    return true;
  if (a.size() != b.size() || !r.enter())
    return false;
  bool same = false;
  if (is == kind::array)
    same = std::ranges::equal(items_of(a), items_of(b),
                              [&](A x, B y) { return equal(r, x, y); });
  else
    same = std::ranges::equal(members_by_name(a), members_by_name(b),
                              [&](const auto& x, const auto& y) {
                                return x.first == y.first
                                       && equal(r, x.second, y.second);
                              });
  r.leave();
  return same;
}

[[nodiscard]] inline std::uint64_t hash_text(std::string_view text) noexcept {
  return hash_name(key_of(text), text, 0x8ebc6af09c88c6e3ULL);
}

/// Equal values have equal hashes.
template <cursor C>
[[nodiscard]] std::uint64_t hash_of(run& r, C value) {
  constexpr std::uint64_t salt = 0x589965cc75374cc3ULL;
  const kind is = value.is();
  auto hash = static_cast<std::uint64_t>(is) + 1;
  if (!r.spend())
    return 0;
  if (is_number(is))
    return fold(std::bit_cast<std::uint64_t>(to_double(value.value()) + 0.0),
                salt);
  if (is == kind::string)
    return r.spend_on(value.text()) ? hash_text(value.text()) : 0;
  if (is == kind::boolean)
    return value.boolean() ? 2 : 3;
  if (is == kind::null || !r.enter())
    return 1;
  if (is == kind::array)
    value.each_item([&](C item) {
      hash = fold(hash ^ hash_of(r, item), salt);
      return true;
    });
  else
    value.each_member([&](std::string_view name, C member) {
      hash += fold(hash_text(name) ^ salt, hash_of(r, member) | 1);
      return true;
    });
  r.leave();
  return hash;
}

} // namespace convene::protocol::validation
