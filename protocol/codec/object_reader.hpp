#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/traits.hpp>
#include <convene/protocol/codec/constraint.hpp>
#include <convene/protocol/codec/held_values.hpp>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::protocol {

namespace json = boost::json;

/// Where a value is, as a chain on the stack: an error turns it into text.
struct place {
  const place* parent = nullptr; ///< null: `name` is a pointer already
  std::string_view name = {};
  std::optional<std::size_t> index = {}; ///< in an array, instead of a name
};

[[nodiscard]] std::string to_pointer(const place& at);

/// One reading of a document: the first fault stops it. Functions return false
/// once there is one.
struct reading {
  std::optional<error> fault;

  bool refuse(const place& at, std::string_view rule, std::string message,
              std::string value = {}, errc code = errc::invalid_document);
};

bool read_text(reading& r, const json::value& from, const place& at,
               const constraint& rule, std::string& to);
bool read_flag(reading& r, const json::value& from, const place& at, bool& to);
bool read_integer(reading& r, const json::value& from, const place& at,
                  const constraint& rule, std::int64_t& to);
bool read_unsigned(reading& r, const json::value& from, const place& at,
                   std::uint64_t& to);
bool read_number(reading& r, const json::value& from, const place& at,
                 const constraint& rule, double& to);
bool read_number(reading& r, const json::value& from, const place& at,
                 const constraint& rule, json_number& to);
bool read_object(reading& r, const json::value& from, const place& at,
                 json::object& to);
/// An object or null: the only free value that the protocol has.
bool read_object_or_null(reading& r, const json::value& from, const place& at,
                         json::value& to);
bool read_word(reading& r, const json::value& from, const place& at,
               std::span<const std::string_view> words, std::size_t& to,
               std::span<const other_word> others = {});
const json::array* read_items(reading& r, const json::value& from,
                              const place& at, const constraint& rule);
bool check_unique(reading& r, const std::vector<std::string>& items,
                  const place& at);

template <class T>
bool read(reading& r, const json::value& from, const place& at,
          const constraint& rule, T& to);

/// Collects the names that a description knows.
class name_collector {
public:
  std::vector<std::string_view> names;

  void member(std::string_view name, const auto&, const constraint& = {}) {
    names.push_back(name);
  }
  void defaulted(std::string_view name, const auto&, const constraint& = {}) {
    names.push_back(name);
  }
  void sparse(std::string_view name, const auto&, const constraint& = {}) {
    names.push_back(name);
  }
  void open(std::string_view name, const auto&,
            std::initializer_list<std::string_view>,
            std::initializer_list<std::string_view>) {
    names.push_back(name);
  }
  void ignored(std::string_view name) {
    names.push_back(name);
  }
  void constant(std::string_view name, std::string_view) {
    names.push_back(name);
  }
  void unsupported(std::string_view name) {
    names.push_back(name);
  }
  void others(const json::object&) {
    // nop
  }
};

/// The visitor that decodes: `describe(reader, struct)` fills the struct from
/// a JSON object. See description.hpp for what the calls mean.
class object_reader {
public:
  object_reader(reading& r, const json::value& from, const place& at);

  template <class T>
  void member(std::string_view name, T& to, const constraint& rule = {}) {
    const auto* found = find(name);
    if (found)
      read_at(name, *found, to, rule);
    else if (!is_optional<T>)
      missing_ = missing_.empty() ? name : missing_;
  }

  template <class T>
  void defaulted(std::string_view name, T& to, const constraint& rule = {}) {
    const auto* found = find(name);
    if (found && !(is_optional<T> && found->is_null()))
      read_at(name, *found, to, rule);
  }

  template <class T>
  void sparse(std::string_view name, T& to, const constraint& rule = {}) {
    defaulted(name, to, rule);
  }

  void open(std::string_view name, json::object& to,
            std::initializer_list<std::string_view> required,
            std::initializer_list<std::string_view> optional);

  void ignored(std::string_view name) {
    find(name);
  }

  void constant(std::string_view name, std::string_view value);
  void unsupported(std::string_view name);

  void others(json::object& to) {
    others_ = &to;
  }

  /// After all members: keeps or refuses what is not known, and refuses what
  /// is missing.
  bool finish(std::span<const std::string_view> known);

  [[nodiscard]] bool complete() const {
    return object_ && missing_.empty() && seen_ == object_->size();
  }

private:
  const json::value* find(std::string_view name);

  template <class T>
  void read_at(std::string_view name, const json::value& from, T& to,
               const constraint& rule) {
    if (!reading_.fault)
      read(reading_, from, place{&at_, name, {}}, rule, to);
  }

  reading& reading_;
  const place& at_;
  const json::object* object_ = nullptr;
  std::size_t seen_ = 0;
  std::string_view missing_;
  json::object* others_ = nullptr;
};

/// Reads any type that a description may hold.
template <class T>
bool read(reading& r, const json::value& from, const place& at,
          const constraint& rule, T& to) {
  if constexpr (is_optional<T>) {
    return read(r, from, at, rule, to.emplace());
  } else if constexpr (is_vector<T>) {
    const auto* items = read_items(r, from, at, rule);
    if (!items)
      return false;
    to.clear();
    to.reserve(items->size());
    for (const auto& item : *items) {
      const place here{&at, {}, to.size()};
      if (!read(r, item, here, rule, to.emplace_back()))
        return false;
    }
    if constexpr (std::is_same_v<T, std::vector<std::string>>)
      return !rule.unique || check_unique(r, to, at);
    return true;
  } else if constexpr (is_map<T>) {
    json::object object;
    if (!read_object(r, from, at, object))
      return false;
    to.clear();
    for (const auto& [key, value] : object)
      if (!read(r, value, place{&at, key, {}}, rule, to[std::string{key}]))
        return false;
    return true;
  } else if constexpr (std::is_same_v<T, std::string>) {
    return read_text(r, from, at, rule, to);
  } else if constexpr (std::is_same_v<T, bool>) {
    return read_flag(r, from, at, to);
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return read_integer(r, from, at, rule, to);
  } else if constexpr (std::is_same_v<T, std::uint64_t>) {
    return read_unsigned(r, from, at, to);
  } else if constexpr (std::is_same_v<
                         T, double> || std::is_same_v<T, json_number>) {
    return read_number(r, from, at, rule, to);
  } else if constexpr (std::is_same_v<T, any_value>) {
    to.held = from;
    return true;
  } else if constexpr (std::is_same_v<T, json::object>) {
    return read_object(r, from, at, to);
  } else if constexpr (std::is_same_v<T, json::value>) {
    if (!rule.any_json)
      return read_object_or_null(r, from, at, to);
    to = from;
    return true;
  } else if constexpr (std::is_enum_v<T>) {
    std::size_t index = 0;
    if (!read_word(r, from, at, words_of<T>, index, other_words_of<T>))
      return false;
    to = static_cast<T>(index);
    return true;
  } else if constexpr (is_variant<T>) {
    return read_variant(r, from, at, to);
  } else {
    object_reader members{r, from, at};
    describe(members, to);
    if (r.fault)
      return false;
    if (members.complete())
      return true;
    name_collector known;
    describe(known, to);
    return members.finish(known.names);
  }
}

} // namespace convene::protocol
