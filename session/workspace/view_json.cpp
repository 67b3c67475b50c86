#include <convene/protocol/json/members.hpp>
#include <convene/session/workspace/view.hpp>

#include <limits>
#include <utility>

namespace convene::session {
namespace {

using protocol::integer_of;
using protocol::text_of;

/// A number of this event's member, or 0.
std::uint64_t number_of(const json::object& from, std::string_view name) {
  const auto found = integer_of(from, name);
  return found && *found > 0 ? static_cast<std::uint64_t>(*found) : 0;
}

std::uint32_t position_of(const json::object& from, std::string_view name,
                          std::uint32_t otherwise) {
  const auto found = integer_of(from, name);
  return found && *found >= 0
             && *found <= std::numeric_limits<std::uint32_t>::max()
           ? static_cast<std::uint32_t>(*found)
           : otherwise;
}

json::object to_object(const resource& r) {
  json::object made{{"type", r.key->type},
                    {"id", r.key->id},
                    {"version", r.version},
                    {"revision", r.revision},
                    {"base", r.base},
                    {"deleted", r.deleted},
                    {"value", r.value},
                    {"turn_number", r.by.turn_number},
                    {"token", to_string(r.by.token)}};
  if (r.by.participant != author::nobody)
    made.emplace("participant", r.by.participant);
  return made;
}

resource to_resource(const json::object& from) {
  resource made{.key = std::make_shared<const resource_key>(
                  resource_key{std::string{text_of(from, "type")},
                               std::string{text_of(from, "id")}}),
                .version = number_of(from, "version"),
                .revision = number_of(from, "revision"),
                .base = number_of(from, "base")};
  const auto* deleted = from.if_contains("deleted");
  made.deleted = deleted != nullptr && *deleted == true;
  if (const auto* value = from.if_contains("value"))
    made.value = *value;
  made.by = {
    .participant = position_of(from, "participant", author::nobody),
    .turn_number = position_of(from, "turn_number", 0),
    .token
    = protocol::parse_uuid(text_of(from, "token")).value_or(protocol::uuid{})};
  return made;
}

} // namespace

json::value workspace_view::to_json() const {
  json::array all;
  for (const auto& r : changes(0))
    all.push_back(to_object(*r));
  return json::object{{"revision", revision_}, {"resources", std::move(all)}};
}

protocol::result<workspace_view>
workspace_view::from_json(const json::value& what) {
  auto refuse = [] {
    return protocol::fail(protocol::errc::invalid_document,
                          "this is not a workspace as one was sent",
                          "workspace");
  };
  const auto* object = what.if_object();
  const auto* list = object == nullptr ? nullptr
                                       : object->if_contains("resources");
  if (list == nullptr || !list->is_array())
    return refuse();
  workspace_view made;
  made.revision_ = number_of(*object, "revision");
  const resource_key* before = nullptr;
  for (const auto& one : list->get_array()) {
    if (!one.is_object())
      return refuse();
    auto next = std::make_shared<const resource>(to_resource(one.get_object()));
    if (before != nullptr && !(*before < *next->key))
      return refuse();
    before = next->key.get();
    made.tree_.put(
      {.standing = std::move(next), .hash = resource_hash{}(*before)});
  }
  return made;
}

} // namespace convene::session
