#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/base/traits.hpp>
#include <convene/protocol/codec/constraint.hpp>
#include <convene/protocol/codec/held_values.hpp>
#include <convene/protocol/json/json_writer.hpp>

#include <initializer_list>
#include <string_view>
#include <utility>

namespace convene::protocol {

namespace json = boost::json;

// Encoding straight into text: the same bytes as serialising the tree that
// object_writer makes. All functions write whatever they get, and return
// whether a decoder certainly accepts it, but for UTF-8 and the sizes that
// `parse_json` bounds, which the caller checks on the whole text.

/// A free value, at most 32 levels deep.
bool write_sound_value(json_writer& out, const json::value& from);

bool write_text(json_writer& out, std::string_view from,
                const constraint& rule);
bool write_integer(json_writer& out, std::int64_t from, const constraint& rule);
bool write_number(json_writer& out, double from, const constraint& rule);

/// Whether no two are alike.
[[nodiscard]] bool all_differ(const std::vector<std::string>& items);

/// Whether `from` has all the texts that it must have.
[[nodiscard]] bool has_texts(const json::object& from,
                             std::initializer_list<std::string_view> required,
                             std::initializer_list<std::string_view> optional);

template <class T>
bool write_text_of(json_writer& out, const T& from,
                   const constraint& rule = anything);

/// The visitor that encodes straight into text: see description.hpp for what
/// the calls mean. For what scenarios and turns of conversations consist of.
class text_writer {
public:
  explicit text_writer(json_writer& out) : out_(out) {
    out_.raw("{");
  }

  template <class T>
  void
  member(std::string_view name, const T& from, const constraint& rule = {}) {
    if constexpr (is_optional<T>) {
      if (from)
        member(name, *from, rule);
    } else {
      sound_ = write_text_of(begin(name), from, rule) && sound_;
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
    if (!is_default(from))
      member(name, from, rule);
  }

  void open(std::string_view name, const json::object& from,
            std::initializer_list<std::string_view> required,
            std::initializer_list<std::string_view> optional) {
    member(name, from);
    sound_ = has_texts(from, required, optional) && sound_;
  }

  void constant(std::string_view name, std::string_view value) {
    begin(name).string(value);
  }

  void ignored(std::string_view) {
    // nop
  }

  void unsupported(std::string_view) {
    // nop
  }

  /// A decoder would take one with a name that it knows for something else.
  void others(const json::object& from) {
    for (const auto& [name, value] : from)
      write_sound_value(begin_any(name), value);
    sound_ = from.empty() && sound_;
  }

  /// A member with a name of the caller's.
  template <class T>
  void entry(std::string_view name, const T& from, const constraint& rule) {
    sound_ = write_text_of(begin_any(name), from, rule) && sound_;
  }

  /// After all members.
  [[nodiscard]] bool finish() {
    out_.raw("}");
    return sound_;
  }

private:
  template <class T>
  static bool is_default(const T& value) {
    if constexpr (requires { value.empty(); })
      return value.empty();
    else
      return value == T{};
  }

  /// A name that a description has needs no escapes.
  json_writer& begin(std::string_view name) {
    if (!std::exchange(first_, false))
      out_.raw(",");
    return out_.raw("\"").raw(name).raw("\":");
  }
  json_writer& begin_any(std::string_view name) {
    if (!std::exchange(first_, false))
      out_.raw(",");
    return out_.string(name).raw(":");
  }

  json_writer& out_;
  bool first_ = true;
  bool sound_ = true;
};

/// Writes any type that a description of a scenario may hold.
template <class T>
bool write_text_of(json_writer& out, const T& from, const constraint& rule) {
  if constexpr (is_vector<T>) {
    bool sound = from.size() >= rule.items_min && from.size() <= rule.items_max;
    out.raw("[");
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (i != 0)
        out.raw(",");
      sound = write_text_of(out, from[i], rule) && sound;
    }
    out.raw("]");
    if constexpr (std::is_same_v<T, std::vector<std::string>>)
      return sound && (!rule.unique || all_differ(from));
    return sound;
  } else if constexpr (is_map<T>) {
    text_writer members{out};
    for (const auto& [key, value] : from)
      members.entry(key, value, rule);
    return members.finish();
  } else if constexpr (std::is_same_v<T, std::string>) {
    return write_text(out, from, rule);
  } else if constexpr (std::is_same_v<T, bool>) {
    out.raw(from ? "true" : "false");
    return true;
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return write_integer(out, from, rule);
  } else if constexpr (std::is_same_v<T, double>) {
    return write_number(out, from, rule);
  } else if constexpr (std::is_same_v<T, any_value>) {
    return write_sound_value(out, from.held);
  } else if constexpr (std::is_same_v<T, json::value>) {
    return write_sound_value(out, from)
           && (rule.any_json || from.is_object() || from.is_null());
  } else if constexpr (std::is_same_v<
                         T, json::object> || std::is_same_v<T, std::uint64_t>) {
    return write_sound_value(out, from);
  } else if constexpr (std::is_enum_v<T>) {
    out.string(to_word(from));
    return true;
  } else {
    text_writer members{out};
    describe(members, from);
    return members.finish();
  }
}

} // namespace convene::protocol
