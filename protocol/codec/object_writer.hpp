#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/base/traits.hpp>
#include <convene/protocol/codec/constraint.hpp>
#include <convene/protocol/codec/held_values.hpp>

#include <initializer_list>
#include <string_view>

namespace convene::protocol {

namespace json = boost::json;

template <class T>
[[nodiscard]] json::value write(const T& from);

/// The visitor that encodes: `describe(writer, struct)` appends the struct's
/// members, in the description's order. See description.hpp.
class object_writer {
public:
  json::object object;

  template <class T>
  void member(std::string_view name, const T& from, const constraint& = {}) {
    if constexpr (is_optional<T>) {
      if (from)
        object.emplace(name, write(*from));
    } else {
      object.emplace(name, write(from));
    }
  }

  template <class T>
  void
  defaulted(std::string_view name, const T& from, const constraint& rule = {}) {
    member(name, from, rule);
  }

  template <class T>
  void
  sparse(std::string_view name, const T& from, const constraint& rule = {}) {
    if (!(from == T{}))
      member(name, from, rule);
  }

  void open(std::string_view name, const json::object& from,
            std::initializer_list<std::string_view>,
            std::initializer_list<std::string_view>) {
    member(name, from);
  }

  void ignored(std::string_view) {
    // nop
  }

  void constant(std::string_view name, std::string_view value) {
    object.emplace(name, value);
  }

  void unsupported(std::string_view) {
    // nop
  }

  void others(const json::object& from) {
    object.insert(from.begin(), from.end());
  }
};

/// Writes any type that a description may hold.
template <class T>
json::value write(const T& from) {
  if constexpr (is_vector<T>) {
    json::array items;
    items.reserve(from.size());
    for (const auto& item : from)
      items.push_back(write(item));
    return items;
  } else if constexpr (is_map<T>) {
    json::object object;
    for (const auto& [key, value] : from)
      object.emplace(key, write(value));
    return object;
  } else if constexpr (std::is_enum_v<T>) {
    return json::value(to_word(from));
  } else if constexpr (is_variant<T>) {
    return write_variant(from);
  } else if constexpr (std::is_same_v<
                         T, json_number> || std::is_same_v<T, any_value>) {
    return from.held;
  } else if constexpr (
    std::is_class_v<
      T> && !std::is_same_v<T, std::string> && !std::is_same_v<T, json::object> && !std::is_same_v<T, json::value>) {
    object_writer members;
    describe(members, from);
    return std::move(members.object);
  } else {
    return json::value(from);
  }
}

} // namespace convene::protocol
