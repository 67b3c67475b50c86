#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/base/traits.hpp>
#include <convene/protocol/codec/constraint.hpp>
#include <convene/protocol/codec/held_values.hpp>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

namespace convene::protocol {

namespace json = boost::json;

/// Writes any type that a description may hold.
template <class T>
[[nodiscard]] json::value
write(const T& from, const json::storage_ptr& memory = {});

/// Counts the members that an encoded struct may have, so that its object is
/// made as large as it gets.
class encoded_size {
public:
  std::size_t count = 0;

  template <class T>
  void member(std::string_view, const T& from, const constraint& = {}) {
    if constexpr (is_optional<T>)
      count += from.has_value() ? 1 : 0;
    else
      ++count;
  }
  template <class T>
  void defaulted(std::string_view name, const T& from, const constraint& = {}) {
    member(name, from);
  }
  template <class T>
  void sparse(std::string_view name, const T& from, const constraint& = {}) {
    member(name, from);
  }
  void open(std::string_view, const json::object&,
            std::initializer_list<std::string_view>,
            std::initializer_list<std::string_view>) {
    ++count;
  }
  void ignored(std::string_view) {
    // nop
  }
  void constant(std::string_view, std::string_view) {
    ++count;
  }
  void unsupported(std::string_view) {
    // nop
  }
  void others(const json::object& from) {
    count += from.size();
  }
};

/// The visitor that encodes: `describe(writer, struct)` appends the struct's
/// members, in the description's order. See description.hpp.
class object_writer {
public:
  explicit object_writer(const json::storage_ptr& memory = {})
    : object(memory) {
    // nop
  }

  json::object object;

  template <class T>
  void member(std::string_view name, const T& from, const constraint& = {}) {
    if constexpr (is_optional<T>) {
      if (from)
        member(name, *from);
    } else if constexpr (std::is_same_v<T, std::string>) {
      object.emplace(name, json::string_view{from});
    } else {
      object.emplace(name, write(from, object.storage()));
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

template <class T>
json::value write(const T& from, const json::storage_ptr& memory) {
  if constexpr (is_vector<T>) {
    json::array items(memory);
    items.reserve(from.size());
    for (const auto& item : from)
      items.push_back(write(item, memory));
    return items;
  } else if constexpr (is_map<T>) {
    json::object object(memory);
    for (const auto& [key, value] : from)
      object.emplace(key, write(value, memory));
    return object;
  } else if constexpr (std::is_enum_v<T>) {
    return json::value(to_word(from), memory);
  } else if constexpr (is_variant<T>) {
    return write_variant(from);
  } else if constexpr (std::is_same_v<
                         T, json_number> || std::is_same_v<T, any_value>) {
    return json::value(from.held, memory);
  } else if constexpr (
    std::is_class_v<
      T> && !std::is_same_v<T, std::string> && !std::is_same_v<T, json::object> && !std::is_same_v<T, json::value>) {
    encoded_size size;
    describe(size, from);
    object_writer members{memory};
    members.object.reserve(size.count);
    describe(members, from);
    return std::move(members.object);
  } else {
    return json::value(from, memory);
  }
}

} // namespace convene::protocol
