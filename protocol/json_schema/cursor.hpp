#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/json_schema/program.hpp>
#include <simdjson.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace convene::protocol::validation {

/// A place in a parsed document: cheap to copy, valid as long as the document.
/// What does not fit the kind must not be asked for. `each_item` and
/// `each_member` stop when `visit` returns false, and return that.
template <class T>
concept cursor
  = requires(const T at, bool (*item)(T), bool (*member)(std::string_view, T)) {
  { at.is() } -> std::same_as<kind>;
  { at.boolean() } -> std::same_as<bool>;
  { at.value() } -> std::same_as<number>;
  { at.text() } -> std::same_as<std::string_view>;
  { at.size() } -> std::same_as<std::size_t>;
  { at.each_item(item) } -> std::same_as<bool>;
  { at.each_member(member) } -> std::same_as<bool>;
};

/// Over Boost.JSON's tree.
class boost_cursor {
public:
  explicit boost_cursor(const json::value& at) noexcept : at_(&at) {}

  [[nodiscard]] kind is() const noexcept {
    static constexpr std::array<kind, 8> kinds{kind::null,    kind::boolean,
                                               kind::integer, kind::big_integer,
                                               kind::real,    kind::string,
                                               kind::array,   kind::object};
    return kinds[static_cast<std::size_t>(at_->kind())];
  }
  [[nodiscard]] bool boolean() const noexcept {
    return *at_->if_bool();
  }
  [[nodiscard]] number value() const noexcept {
    if (const auto* i = at_->if_int64())
      return number::of(*i);
    if (const auto* u = at_->if_uint64())
      return number::of(*u);
    return number::of(*at_->if_double());
  }
  [[nodiscard]] std::string_view text() const noexcept {
    const auto& string = *at_->if_string();
    return {string.data(), string.size()};
  }
  [[nodiscard]] std::size_t size() const noexcept {
    const auto* array = at_->if_array();
    return array != nullptr ? array->size() : at_->if_object()->size();
  }
  template <class Visit>
  bool each_item(Visit&& visit) const {
    for (const auto& item : *at_->if_array())
      if (!visit(boost_cursor{item}))
        return false;
    return true;
  }
  template <class Visit>
  bool each_member(Visit&& visit) const {
    for (const auto& member : *at_->if_object())
      if (const auto name = member.key();
          !visit(std::string_view{name.data(), name.size()},
                 boost_cursor{member.value()}))
        return false;
    return true;
  }

private:
  const json::value* at_;
};

/// Over simdjson's tape.
class simdjson_cursor {
public:
  explicit simdjson_cursor(const simdjson::dom::element& at) noexcept
    : at_(at) {}

  [[nodiscard]] kind is() const noexcept {
    return kinds[static_cast<std::uint8_t>(at_.type())];
  }
  [[nodiscard]] bool boolean() const noexcept {
    return at_.get_bool().value_unsafe();
  }
  [[nodiscard]] number value() const noexcept {
    if (at_.is_int64())
      return number::of(at_.get_int64().value_unsafe());
    if (at_.is_uint64())
      return number::of(at_.get_uint64().value_unsafe());
    return number::of(at_.get_double().value_unsafe());
  }
  [[nodiscard]] std::string_view text() const noexcept {
    return at_.get_string().value_unsafe();
  }
  [[nodiscard]] std::size_t size() const noexcept {
    const bool is_array = at_.is_array();
    const auto count = is_array ? array().size() : object().size();
    return count < saturated ? count : counted(is_array);
  }
  template <class Visit>
  bool each_item(Visit&& visit) const {
    for (auto item : array())
      if (!visit(simdjson_cursor{item}))
        return false;
    return true;
  }
  template <class Visit>
  bool each_member(Visit&& visit) const {
    const auto members = object();
    const auto end = members.end();
    for (auto at = members.begin(); at != end; ++at)
      if (!visit(at.key(), simdjson_cursor{at.value()}))
        return false;
    return true;
  }

private:
  /// By the tape's letter for each type.
  static constexpr auto kinds = [] {
    using enum simdjson::dom::element_type;
    std::array<kind, 128> table{};
    table[static_cast<std::size_t>(BOOL)] = kind::boolean;
    table[static_cast<std::size_t>(INT64)] = kind::integer;
    table[static_cast<std::size_t>(UINT64)] = kind::big_integer;
    table[static_cast<std::size_t>(DOUBLE)] = kind::real;
    table[static_cast<std::size_t>(STRING)] = kind::string;
    table[static_cast<std::size_t>(ARRAY)] = kind::array;
    table[static_cast<std::size_t>(OBJECT)] = kind::object;
    return table;
  }();

  /// simdjson counts no further.
  static constexpr std::size_t saturated = 0xffffff;

  [[nodiscard]] simdjson::dom::array array() const noexcept {
    simdjson::dom::array out;
    [[maybe_unused]] const auto code = at_.get(out);
    return out;
  }

  [[nodiscard]] simdjson::dom::object object() const noexcept {
    simdjson::dom::object out;
    [[maybe_unused]] const auto code = at_.get(out);
    return out;
  }

  [[nodiscard]] std::size_t counted(bool is_array) const {
    std::size_t count = 0;
    if (is_array)
      each_item([&](auto) { return ++count != 0; });
    else
      each_member([&](auto, auto) { return ++count != 0; });
    return count;
  }

  simdjson::dom::element at_;
};

/// A name of a member, as a value for `propertyNames`.
class name_cursor {
public:
  explicit name_cursor(std::string_view name) noexcept : name_(name) {}

  [[nodiscard]] kind is() const noexcept {
    return kind::string;
  }
  [[nodiscard]] bool boolean() const noexcept {
    return false;
  }
  [[nodiscard]] number value() const noexcept {
    return {};
  }
  [[nodiscard]] std::string_view text() const noexcept {
    return name_;
  }
  [[nodiscard]] std::size_t size() const noexcept {
    return 0;
  }
  template <class Visit>
  bool each_item(Visit&&) const {
    return true;
  }
  template <class Visit>
  bool each_member(Visit&&) const {
    return true;
  }

private:
  std::string_view name_;
};

static_assert(
  cursor<boost_cursor> && cursor<simdjson_cursor> && cursor<name_cursor>);

} // namespace convene::protocol::validation
