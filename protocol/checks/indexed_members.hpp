#pragma once

#include <convene/protocol/base/same_text.hpp>
#include <convene/protocol/json/members.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace convene::protocol {

/// An object with a table that shows where each name would be. The rules look
/// for many members in each event, most of which it lacks: with the table, that
/// takes one byte, and the compiler computes the place of a constant name.
/// Refers to the object.
class indexed_members {
public:
  explicit indexed_members(const json::object& of) noexcept : of_(of) {
    if (of.size() >= crowded) {
      places_.fill(crowded);
      return;
    }
    std::uint8_t number = 0;
    for (const auto& member : of) {
      auto& place
        = places_[place_of({member.key().data(), member.key().size()})];
      ++number;
      place = place == 0 ? number : crowded;
    }
  }

  // NOLINTNEXTLINE(google-explicit-constructor): it is that object
  operator const json::object&() const noexcept {
    return of_;
  }
  [[nodiscard]] const json::object& object() const noexcept {
    return of_;
  }

  [[nodiscard, gnu::always_inline]] const json::value*
  if_contains(std::string_view name) const noexcept {
    const auto place = places_[place_of(name)];
    if (place == 0)
      return nullptr;
    if (place == crowded)
      return of_.if_contains(name);
    const auto& member = of_.begin()[place - 1];
    return is_same(member.key(), name) ? &member.value() : nullptr;
  }
  [[nodiscard, gnu::always_inline]] bool
  contains(std::string_view name) const noexcept {
    return if_contains(name) != nullptr;
  }

private:
  static constexpr std::size_t places = 128;
  /// Several have this place, or the object is too large for the table.
  static constexpr std::uint8_t crowded = 255;

  /// Chosen so that few members of events share one.
  [[gnu::always_inline]] static constexpr std::size_t
  place_of(std::string_view name) noexcept {
    if (name.empty())
      return 0;
    constexpr std::size_t of_first = 27, of_last = 8;
    return (name.size() + of_first * static_cast<unsigned char>(name.front())
            + of_last * static_cast<unsigned char>(name.back()))
           % places;
  }

  const json::object& of_;
  std::array<std::uint8_t, places> places_{}; ///< zero: none, or the number
};

// What a member is that may be missing; as `text_of` and the others for an
// object without a table.

[[nodiscard]] inline std::string_view
text_in(const json::value* member) noexcept {
  if (member == nullptr || !member->is_string())
    return ""; // as text_of
  const auto& text = member->get_string();
  return {text.data(), text.size()};
}

[[nodiscard]] inline std::optional<std::int64_t>
integer_in(const json::value* member) noexcept {
  if (member == nullptr || !member->is_int64())
    return std::nullopt;
  return member->get_int64();
}

[[nodiscard]] const json::object& object_in(const json::value* member) noexcept;
[[nodiscard]] const json::array& array_in(const json::value* member) noexcept;
[[nodiscard]] std::vector<std::string_view> texts_in(const json::value* member);
[[nodiscard]] std::optional<uuid> uuid_in(const json::value* member) noexcept;

// As for an object. Inline, so that the place of a constant name is one.

[[nodiscard, gnu::always_inline]] inline std::string_view
text_of(const indexed_members& from, std::string_view name) noexcept {
  const auto* const found = from.if_contains(name);
  return found == nullptr ? std::string_view{""} : text_in(found);
}

[[nodiscard, gnu::always_inline]] inline std::optional<std::int64_t>
integer_of(const indexed_members& from, std::string_view name) noexcept {
  const auto* const found = from.if_contains(name);
  return found == nullptr ? std::nullopt : integer_in(found);
}

[[nodiscard, gnu::always_inline]] inline const json::object&
object_of(const indexed_members& from, std::string_view name) noexcept {
  return object_in(from.if_contains(name));
}

[[nodiscard, gnu::always_inline]] inline const json::array&
array_of(const indexed_members& from, std::string_view name) noexcept {
  return array_in(from.if_contains(name));
}

[[nodiscard, gnu::always_inline]] inline std::vector<std::string_view>
texts_of(const indexed_members& from, std::string_view name) {
  return texts_in(from.if_contains(name));
}

[[nodiscard, gnu::always_inline]] inline std::optional<uuid>
uuid_of(const indexed_members& from, std::string_view name) noexcept {
  return uuid_in(from.if_contains(name));
}

} // namespace convene::protocol
