#pragma once

#include <convene/protocol/json_schema/schema_set.hpp>
#include <protocol/values/types.hpp>

#include <map>
#include <string>

namespace convene::protocol {

/// What a kind of document must look like: by path (`$.meta.tags[]`), the type
/// of the value and all that is asked of it, as text.
using value_shape = std::map<std::string, std::string>;

/// ` minimum 0` where there is such a bound.
std::string bound(std::string_view name, std::int64_t value,
                  std::int64_t absent);

/// What a rule asks of a text, in the words of JSON Schema.
std::string text_rule(const constraint& rule);

/// ` enum a|b`
std::string word_rule(std::span<const std::string_view> words);

/// The visitor that finds out what a description says.
class shape_visitor {
public:
  shape_visitor(value_shape& to, std::string path)
    : to_{to}, path_{std::move(path)} {
    // nop
  }

  template <class T>
  void member(std::string_view name, T& value, const constraint& rule = {}) {
    add(path_ + '.' + std::string{name}, !is_optional<T>, value, rule);
  }

  void constant(std::string_view name, std::string_view value) {
    put(path_ + '.' + std::string{name}, true, "const " + std::string{value});
  }

  void open(std::string_view name, json::object&,
            std::initializer_list<std::string_view> required,
            std::initializer_list<std::string_view> optional) {
    const auto inside = path_ + '.' + std::string{name};
    put(inside, true, "object open");
    for (auto each : required)
      put(inside + '.' + std::string{each}, true, "string");
    for (auto each : optional)
      put(inside + '.' + std::string{each}, false, "string");
  }

  void ignored(std::string_view) {
    // nop
  }

  void others(json::object&) {
    is_open = true;
  }

  template <class T>
  void add(const std::string& path, bool required, T& value,
           const constraint& rule) {
    if constexpr (is_optional<T>) {
      add(path, required, value.emplace(), rule);
    } else if constexpr (is_vector<T>) {
      auto spec = std::string{"array"};
      spec += bound("minItems", static_cast<std::int64_t>(rule.items_min), 0);
      put(path, required, spec + (rule.unique ? " uniqueItems" : ""));
      add(path + "[]", false, value.emplace_back(), rule);
    } else if constexpr (std::is_same_v<T, std::string>) {
      put(path, required, "string" + text_rule(rule));
    } else if constexpr (std::is_enum_v<T>) {
      put(path, required, "string" + word_rule(words_of<T>));
    } else if constexpr (std::is_same_v<T, bool>) {
      put(path, required, "boolean");
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      put(path, required, "integer" + bounds(rule));
    } else if constexpr (std::is_same_v<T, json_number>) {
      put(path, required, "number" + bounds(rule));
    } else if constexpr (std::is_same_v<T, json::object>) {
      put(path, required, "object open");
    } else if constexpr (std::is_same_v<T, json::value>) {
      put(path, required, "object or null");
    } else {
      shape_visitor inside{to_, path};
      describe(inside, value);
      put(path, required, inside.is_open ? "object open" : "object closed");
    }
  }

  bool is_open = false;

private:
  static std::string bounds(const constraint& rule) {
    using limits = std::numeric_limits<std::int64_t>;
    return bound("minimum", rule.minimum, limits::min())
           + bound("maximum", rule.maximum, limits::max());
  }

  void put(const std::string& path, bool required, const std::string& spec) {
    to_[path] = (required ? "required " : "") + spec;
  }

  value_shape& to_;
  std::string path_;
};

/// What the description of a type says.
template <class T>
value_shape shape_of() {
  value_shape made;
  T value;
  shape_visitor{made, ""}.add("$", false, value, anything);
  return made;
}

/// What a schema says, `$ref` and `allOf` followed. Throws where it has a
/// keyword that this does not know.
value_shape shape_of(const schema_set& schemas, const schema_place& schema);

/// All schemas of the protocol.
const schema_set& embedded_schemas();

} // namespace convene::protocol
