#include <convene/protocol/base/hex.hpp>
#include <convene/protocol/base/same_text.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/checks/event_shape.hpp>
#include <convene/protocol/documents/collab.hpp>
#include <convene/protocol/events/native_shapes.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>
#include <cstddef>
#include <span>

namespace convene::protocol {
namespace {

using kind = member_kind;

bool any_of(std::string_view text, std::initializer_list<std::string_view> of) {
  return std::ranges::find(of, text) != of.end();
}

bool is_time(std::string_view text) {
  return text.size() == 24 && text[10] == 'T' && text.back() == 'Z'
         && parse_timestamp(text).has_value();
}

template <class Check>
bool all_are(const json::value& value, Check check) {
  return value.is_array() && std::ranges::all_of(value.get_array(), check);
}

bool fits_text(std::string_view text, kind is) {
  switch (is) {
    case kind::text:
      return true;
    case kind::name:
      return !text.empty();
    case kind::id:
      return is_uuid_v4(text);
    case kind::key:
      return is_lower_hex(text, 32);
    case kind::time:
      return is_time(text);
    case kind::mode:
      return from_word<protocol::mode>(text).has_value();
    case kind::ending:
      return any_of(text, {"completed", "cancelled"});
    case kind::stage:
      return any_of(text,
                    {"pending", "running", "completed", "failed", "skipped"});
    default:
      return false;
  }
}

bool fits(const json::value& value, kind is) {
  switch (is) {
    case kind::any:
      return true;
    case kind::count:
      return value.is_int64() && value.get_int64() >= 0;
    case kind::amount:
      return value.is_number() && value.to_number<double>() >= 0;
    case kind::object:
      return value.is_object();
    case kind::list:
      return all_are(value, [](auto& each) { return each.is_object(); });
    case kind::names:
      return all_are(value, [](auto& each) { return each.is_string(); });
    default:
      return value.is_string()
             && fits_text(
               {value.get_string().data(), value.get_string().size()}, is);
  }
}

std::string_view describe(kind is) {
  static constexpr std::string_view words[]{
    "anything",
    "a string",
    "a string that is not empty",
    "a lower-case v4 UUID",
    "32 lower-case hexadecimal digits",
    "a timestamp YYYY-MM-DDThh:mm:ss.mmmZ",
    "an integer from 0",
    "a number from 0",
    "an object",
    "a list of objects",
    "a list of strings",
    "a mode",
    "completed or cancelled",
    "pending, running, completed, failed or skipped"};
  return words[static_cast<std::size_t>(is)];
}

std::optional<std::string> check_members(const json::object& from,
                                         std::span<const member_shape> members);

/// What a value has inside, if its shape says what that is.
std::optional<std::string> check_inside(const json::value& value,
                                        const member_shape& shape) {
  if (shape.members.empty())
    return std::nullopt;
  const auto name = [&] { return std::string{shape.name}; };
  if (shape.is == kind::object) {
    auto wrong = check_members(value.get_object(), shape.members);
    if (wrong)
      wrong->insert(0, name() + '.');
    return wrong;
  }
  for (const auto& each : value.get_array())
    if (auto wrong = check_members(each.get_object(), shape.members))
      return name() + "[]." + *wrong;
  return std::nullopt;
}

bool is_named(const json::key_value_pair& member, std::string_view name) {
  const auto key = member.key();
  return key.size() == name.size()
         && same_bytes(key.data(), name.data(), name.size());
}

/// Names what is wrong by the path of the member.
std::optional<std::string>
check_members(const json::object& from, std::span<const member_shape> members) {
  // Events have their members in the order of their descriptions.
  const auto* next = from.begin();
  for (const auto& shape : members) {
    const json::value* value = nullptr;
    if (next != from.end() && is_named(*next, shape.name))
      value = &next++->value();
    else
      value = from.if_contains(shape.name);
    if (value == nullptr && !shape.optional)
      return std::string{shape.name} + " is missing";
    if (value == nullptr)
      continue;
    if (!fits(*value, shape.is))
      return std::string{shape.name} + " is not "
             + std::string{describe(shape.is)};
    if (auto wrong = check_inside(*value, shape))
      return wrong;
  }
  return std::nullopt;
}

} // namespace

std::optional<std::string> check_shape(const json::value& event) {
  if (!event.is_object())
    return "an event must be an object";
  const auto& members = event.get_object();
  const auto type = text_of(members, "event_type");
  const auto* known = find_shape(type);
  if (known == nullptr)
    return type.empty() ? std::string{"event_type is missing"}
                        : "event_type " + quote(type) + " is not known";
  if (auto wrong = check_members(members, known->members))
    return wrong;
  if (text_of(members, "event_family") != known->family)
    return "event_family must be " + std::string{known->family};
  return std::nullopt;
}

bool is_known_event_type(std::string_view type) noexcept {
  return find_shape(type) != nullptr;
}

bool is_known_event_family(std::string_view family) noexcept {
  return is_native_family(family);
}

} // namespace convene::protocol
