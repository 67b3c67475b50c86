#include <boost/json/serialize.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json/parts.hpp>
#include <convene/protocol/strict/id_places.hpp>
#include <convene/protocol/strict/official_schema.hpp>
#include <convene/protocol/strict/unmapped_members.hpp>

#include <array>
#include <string>
#include <utility>

namespace convene::protocol {
namespace {

namespace json = boost::json;

constexpr std::string_view native_member = "native";

/// The open member of a document that may hold `native`; empty: the document.
std::string_view holder_of(std::string_view schema) {
  if (schema == "events")
    return "data";
  if (schema == "learning-sample")
    return "vendor_extensions";
  return schema.starts_with("mplp-learning") ? "meta" : "payload";
}

bool is_native_form(const json::value& event) {
  const auto* object = event.if_object();
  return object != nullptr
         && text_of(*object, "event_type") == native_form_event
         && text_of(*object, "source") == native_form_source;
}

json::value take(json::object& from, std::string_view name) {
  auto* member = from.if_contains(name);
  if (member == nullptr)
    return nullptr;
  auto taken = std::move(*member);
  from.stable_erase(name);
  return taken;
}

/// The object that was kept, or null.
json::value take_residue(json::object& strict, std::string_view schema) {
  if (is_module_schema(schema)) {
    auto* list = array_in(strict, "events");
    if (list == nullptr || list->empty() || !is_native_form(list->back()))
      return nullptr;
    auto kept = take(list->back().get_object(), "data");
    list->pop_back();
    return kept;
  }
  if (strict.contains(native_member) && schema == "mplp-event-core")
    return take(strict, native_member); // an envelope around an L4 event
  auto* holder = object_in(strict, holder_of(schema));
  return holder == nullptr ? json::value{} : take(*holder, native_member);
}

/// Copies an event's members, the family in its place behind the type.
json::object with_family(json::object& strict, json::value family) {
  json::object native(strict.storage());
  native.reserve(strict.size() + 1);
  for (auto& member : strict) {
    if (member.key() == "event_family")
      continue;
    native.emplace(member.key(), std::move(member.value()));
    if (member.key() == "event_type" && !family.is_null())
      native.emplace("event_family", std::exchange(family, nullptr));
  }
  return native;
}

/// A hand-off as the MAP event that it was.
json::object handoff_of(json::object& execution, json::value family) {
  for (const auto* name : {"event_family", "execution_id", "executor_kind",
                           "executor_role", "status"})
    execution.stable_erase(name);
  auto session = take(execution, "session_id");
  json::object native(execution.storage());
  for (auto& member : with_family(execution, std::move(family))) {
    if (member.key() == "timestamp" && !session.is_null())
      native.emplace("session_id", std::exchange(session, nullptr));
    native.emplace(member.key(), std::move(member.value()));
  }
  return native;
}

json::object external_of(json::object& envelope) {
  auto payload = take(envelope, "payload");
  if (!payload.is_object())
    return {};
  auto event = std::move(payload).as_object();
  if (auto* source = envelope.if_contains("source"))
    event.emplace("source", std::move(*source));
  return event;
}

} // namespace

unfolded unfold(const json::value& strict, const alias_table& aliases) {
  const auto* object = strict.if_object();
  if (object == nullptr)
    return {strict, nullptr};
  const auto schema = official_schema(strict);
  json::object copy(*object, object->storage());
  const bool external = schema == "mplp-event-core"
                        && copy.contains(native_member);
  auto kept = take_residue(copy, schema);
  json::value value(std::move(copy));
  visit_ids(value, official_shape(schema),
            [&aliases](std::string_view id, id_place, const auto&) {
              return aliases.native_of(id);
            });
  auto& back = value.get_object();
  json::value family;
  json::value edits;
  if (auto* members = kept.if_object()) {
    family = take(*members, "event_family");
    edits = take(*members, "edits");
  }
  if (external)
    back = external_of(back);
  else if (text_of(back, "event_type") == handoff_event
           && text_of(back, "event_family") == "runtime_execution")
    back = handoff_of(back, std::move(family));
  else if (!family.is_null())
    back = with_family(back, std::move(family));
  return {std::move(value), std::move(edits)};
}

json::object* unmapped_members_of(json::value& strict,
                                  std::string_view schema) {
  auto* object = strict.if_object();
  if (object == nullptr)
    return nullptr;
  if (is_module_schema(schema)) {
    auto& events = object->emplace("events", json::array{}).first->value();
    auto* list = events.if_array();
    if (list == nullptr)
      return nullptr;
    std::string_view time;
    for (const auto* name : {"created_at", "requested_at", "started_at"})
      if (time.empty())
        time = text_of(*object, name);
    list->push_back(json::object{
      {"event_id",
       to_string(hashed_uuid("native form\n" + json::serialize(strict)))},
      {"event_type", native_form_event},
      {"source", native_form_source},
      {"timestamp", time.empty() ? "1970-01-01T00:00:00.000Z" : time},
      {"data", json::object{}}});
    return &list->back().at("data").get_object();
  }
  if (schema == "mplp-event-core" && object->contains(native_member))
    return object_in(*object, native_member);
  const auto name = holder_of(schema);
  auto& holder = (*object)[name];
  if (holder.is_null())
    holder.emplace_object();
  if (!holder.is_object())
    return nullptr;
  auto& members = holder.get_object();
  auto& home = members[native_member];
  if (!home.is_object() || name != "payload")
    home.emplace_object();
  return &home.get_object();
}

} // namespace convene::protocol
