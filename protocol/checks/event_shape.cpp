#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/checks/event_shape.hpp>
#include <convene/protocol/checks/event_shape_table.hpp>
#include <convene/protocol/documents/collab.hpp>
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

bool is_key(std::string_view text) {
  return text.size() == 32
         && text.find_first_not_of("0123456789abcdef") == text.npos;
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
      return is_key(text);
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
    "an object",
    "a list of objects",
    "a list of strings",
    "a mode",
    "completed or cancelled",
    "pending, running, completed, failed or skipped"};
  return words[static_cast<std::size_t>(is)];
}

std::optional<std::string> check_members(const json::object& from,
                                         std::span<const member_shape> members,
                                         const std::string& where) {
  for (const auto& [name, is, may_be_absent] : members) {
    const auto* value = from.if_contains(name);
    if (value == nullptr && !may_be_absent)
      return where + std::string{name} + " is missing";
    if (value != nullptr && !fits(*value, is))
      return where + std::string{name} + " is not " + std::string{describe(is)};
  }
  return std::nullopt;
}

/// Members of members, for the two types that have them.
std::optional<std::string> check_inside(std::string_view type,
                                        const json::object& payload) {
  if (type == "MAPSessionCompleted")
    return check_members(object_of(payload, "usage"), usage_members,
                         "payload.usage.");
  if (type == "MAPRolesAssigned")
    for (const auto& each : payload.at("assignments").get_array())
      if (auto wrong = check_members(each.get_object(), assignment_members,
                                     "payload.assignments[]."))
        return wrong;
  return std::nullopt;
}

} // namespace

std::optional<std::string> check_shape(const json::value& event) {
  if (!event.is_object())
    return "an event must be an object";
  const auto& members = event.get_object();
  if (auto wrong = check_members(members, common_members, ""))
    return wrong;
  const auto type = text_of(members, "event_type");
  const auto* known = find_shape(type);
  if (known == nullptr)
    return "event_type " + quote(type) + " is not known";
  if (text_of(members, "event_family") != known->family)
    return "event_family must be " + std::string{known->family};
  if (auto wrong = check_members(members, known->envelope, ""))
    return wrong;
  const auto& payload = object_of(members, "payload");
  if (auto wrong = check_members(payload, known->payload, "payload."))
    return wrong;
  return check_inside(type, payload);
}

} // namespace convene::protocol
