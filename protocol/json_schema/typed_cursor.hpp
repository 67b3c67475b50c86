#pragma once

#include <convene/protocol/base/traits.hpp>
#include <convene/protocol/json_schema/cursor.hpp>
#include <convene/protocol/json_schema/validate.hpp>

#include <memory>
#include <type_traits>

// Values of the protocol's types as the validator sees a document: checked by
// the schema of their JSON form, which is not made for it.

namespace convene::protocol::validation {

/// A callable that outlives the call it is handed to.
template <class... Args>
class visitor_ref {
public:
  template <class F>
  requires(!std::same_as<std::remove_cvref_t<F>,
                         visitor_ref>) explicit visitor_ref(F& f) noexcept
    : at_(std::addressof(f)), call_([](const void* at, Args... args) {
        return static_cast<bool>(
          (*static_cast<F*>(const_cast<void*>(at)))(args...));
      }) {}

  bool operator()(Args... args) const {
    return call_(at_, args...);
  }

private:
  const void* at_;
  bool (*call_)(const void*, Args...);
};

class typed_cursor;
using item_visitor = visitor_ref<typed_cursor>;
using member_visitor = visitor_ref<std::string_view, typed_cursor>;

/// How a value of one type looks as JSON. What its kind has no use for is
/// null.
struct typed_shape {
  validation::kind (*is)(const void*) noexcept;
  bool (*boolean)(const void*) noexcept = nullptr;
  number (*value)(const void*) noexcept = nullptr;
  std::string_view (*text)(const void*) noexcept = nullptr;
  std::size_t (*size)(const void*) = nullptr;
  bool (*each_item)(const void*, const item_visitor&) = nullptr;
  bool (*each_member)(const void*, const member_visitor&) = nullptr;
};

template <class T>
[[nodiscard]] const typed_shape& shape_of() noexcept;

/// A place in a value of any type that a description
/// (protocol/codec/description.hpp) may hold, as `write` would write it. Valid
/// as long as the value.
class typed_cursor {
public:
  template <class T>
  requires(!std::same_as<T, typed_cursor>) explicit typed_cursor(
    const T& value) noexcept
    : at_(std::addressof(value)), shape_(&shape_of<T>()) {}

  [[nodiscard]] kind is() const noexcept {
    return shape_->is(at_);
  }
  [[nodiscard]] bool boolean() const noexcept {
    return shape_->boolean(at_);
  }
  [[nodiscard]] number value() const noexcept {
    return shape_->value(at_);
  }
  [[nodiscard]] std::string_view text() const noexcept {
    return shape_->text(at_);
  }
  [[nodiscard]] std::size_t size() const {
    return shape_->size(at_);
  }
  template <class Visit>
  bool each_item(Visit&& visit) const {
    return shape_->each_item(at_, item_visitor{visit});
  }
  template <class Visit>
  bool each_member(Visit&& visit) const {
    return shape_->each_member(at_, member_visitor{visit});
  }

private:
  const void* at_;
  const typed_shape* shape_;
};

/// The visitor that shows a struct's members, as object_writer would write
/// them; see description.hpp.
class member_shower {
public:
  explicit member_shower(const member_visitor& visit) : visit_(visit) {}

  bool goes_on = true;

  template <class T, class... Rule>
  void member(std::string_view name, const T& from, const Rule&...) {
    if constexpr (is_optional<T>) {
      if (from)
        member(name, *from);
    } else {
      goes_on = goes_on && visit_(name, typed_cursor{from});
    }
  }
  template <class T, class... Rule>
  void defaulted(std::string_view name, const T& from, const Rule&...) {
    member(name, from);
  }
  template <class T, class... Rule>
  void sparse(std::string_view name, const T& from, const Rule&...) {
    if (!(from == T{}))
      member(name, from);
  }
  template <class... Names>
  void open(std::string_view name, const json::object& from,
            std::initializer_list<std::string_view>,
            std::initializer_list<std::string_view>) {
    member(name, from);
  }
  void ignored(std::string_view) {
    // nop
  }
  void constant(std::string_view name, std::string_view value) {
    member(name, value);
  }
  void unsupported(std::string_view) {
    // nop
  }

private:
  const member_visitor& visit_;
};

namespace shapes {

template <class T>
const T& as(const void* at) noexcept {
  return *static_cast<const T*>(at);
}

template <kind Kind>
kind always_is(const void*) noexcept {
  return Kind;
}

/// Members are counted by looking at them.
template <class T>
std::size_t count_members(const void* at) {
  std::size_t count = 0;
  auto add = [&](std::string_view, typed_cursor) { return ++count != 0; };
  shape_of<T>().each_member(at, member_visitor{add});
  return count;
}

template <class T>
constexpr typed_shape of_number{
  .is = always_is < std::is_floating_point_v<T> ? kind::real : kind::integer >,
  .value = [](const void* at) noexcept { return number::of(as<T>(at)); }};

template <>
inline constexpr typed_shape of_number<std::uint64_t>{
  .is =
    [](const void* at) noexcept {
      return as<std::uint64_t>(at) >> 63 != 0 ? kind::big_integer
                                              : kind::integer;
    },
  .value
  = [](const void* at) noexcept { return number::of(as<std::uint64_t>(at)); }};

template <class T>
constexpr typed_shape of_text{
  .is = always_is<kind::string>,
  .text = [](const void* at) noexcept -> std::string_view {
    if constexpr (std::is_enum_v<T>)
      return to_word(as<T>(at));
    else
      return as<T>(at);
  }};

inline constexpr typed_shape of_boolean{.is = always_is<kind::boolean>,
                                        .boolean = [](const void* at) noexcept {
                                          return as<bool>(at);
                                        }};

template <class T>
constexpr typed_shape of_items{
  .is = always_is<kind::array>,
  .size = [](const void* at) { return as<T>(at).size(); },
  .each_item =
    [](const void* at, const item_visitor& visit) {
      for (const auto& item : as<T>(at))
        if (!visit(typed_cursor{item}))
          return false;
      return true;
    }};

template <class T>
bool show_members(const void* at, const member_visitor& visit) {
  if constexpr (std::same_as<T, json::object>) {
    for (const auto& member : as<T>(at))
      if (!visit(member.key(), typed_cursor{member.value()}))
        return false;
    return true;
  } else if constexpr (is_map<T>) {
    for (const auto& [name, text] : as<T>(at))
      if (!visit(name, typed_cursor{text}))
        return false;
    return true;
  } else if constexpr (is_variant<T>) {
    return visit_variant(as<T>(at), [&](std::string_view name, const auto& x) {
      return visit(name, typed_cursor{x});
    });
  } else {
    member_shower members{visit};
    describe(members, as<T>(at));
    return members.goes_on;
  }
}

template <class T>
constexpr typed_shape of_members{.is = always_is<kind::object>,
                                 .size = count_members<T>,
                                 .each_member = show_members<T>};

/// A JSON value is what it is.
inline constexpr typed_shape of_value{
  .is =
    [](const void* at) noexcept {
      return boost_cursor{as<json::value>(at)}.is();
    },
  .boolean =
    [](const void* at) noexcept {
      return boost_cursor{as<json::value>(at)}.boolean();
    },
  .value =
    [](const void* at) noexcept {
      return boost_cursor{as<json::value>(at)}.value();
    },
  .text =
    [](const void* at) noexcept {
      return boost_cursor{as<json::value>(at)}.text();
    },
  .size
  = [](const void* at) { return boost_cursor{as<json::value>(at)}.size(); },
  .each_item =
    [](const void* at, const item_visitor& visit) {
      for (const auto& item : as<json::value>(at).get_array())
        if (!visit(typed_cursor{item}))
          return false;
      return true;
    },
  .each_member =
    [](const void* at, const member_visitor& visit) {
      return show_members<json::object>(&as<json::value>(at).get_object(),
                                        visit);
    }};

} // namespace shapes

template <class T>
const typed_shape& shape_of() noexcept {
  if constexpr (std::same_as<T, json::value>)
    return shapes::of_value;
  else if constexpr (std::same_as<T, bool>)
    return shapes::of_boolean;
  else if constexpr (std::is_arithmetic_v<T>)
    return shapes::of_number<T>;
  else if constexpr (std::is_enum_v<
                       T> || std::is_convertible_v<const T&, std::string_view>)
    return shapes::of_text<T>;
  else if constexpr (is_vector<T>)
    return shapes::of_items<T>;
  else
    return shapes::of_members<T>;
}

static_assert(cursor<typed_cursor>);

} // namespace convene::protocol::validation

namespace convene::protocol {

/// Validates a value by the schema of its JSON form. The value's type has to
/// be described where this is called.
[[nodiscard]] validation_outcome
validate_typed(const compiled_schema& schema, validation::typed_cursor value,
               const validation_options& options = {});

} // namespace convene::protocol
