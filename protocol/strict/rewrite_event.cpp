#include <boost/json/serialize.hpp>
#include <convene/protocol/base/ascii.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json/parts.hpp>
#include <convene/protocol/strict/official_schema.hpp>
#include <convene/protocol/strict/rewriting.hpp>
#include <convene/protocol/strict/shape.hpp>
#include <convene/protocol/strict/unmapped_members.hpp>

#include <array>
#include <utility>

namespace convene::protocol {
namespace {

constexpr std::array executor_words{respelling{"human", "external"}};
constexpr std::array executor_names{
  respelling{"executor_type", "executor_kind"}};
constexpr std::array strategy_words{respelling{"LWW", "last-write-wins"},
                                    respelling{"lww", "last-write-wins"},
                                    respelling{"timestamp", "last-write-wins"}};

/// S004's examples have none (C-06).
void add_event_id(const rewriting& r, json::object& event) {
  if (event.contains("event_id"))
    return;
  const auto id = to_string(hashed_uuid("event\n" + std::to_string(r.ordinal)
                                        + '\n' + json::serialize(event)));
  r.notes.add({"", "added", "event_id is missing, taken as " + id});
  json::object whole({{"event_id", id}}, event.storage());
  for (auto& member : event)
    whole.emplace(member.key(), std::move(member.value()));
  event = std::move(whole);
}

/// The payload, made if there is none; null if it is no object.
json::object* payload_of(json::object& event) {
  return event.emplace("payload", json::object{}).first->value().if_object();
}

void keep_family(json::object& payload, json::value family) {
  payload["native"] = json::object{{"event_family", std::move(family)}};
}

/// What a closed event has no place for belongs to the payload (C-08); the
/// family is kept there apart (C-04).
void move_to_payload(const rewriting& r, json::object& event,
                     std::string_view schema) {
  const auto& known = *official_shape(schema);
  json::object closed(event.storage());
  json::object others(event.storage());
  closed.reserve(event.size());
  for (auto& member : event)
    (known.member(member.key()) != nullptr ? closed : others)
      .emplace(member.key(), std::move(member.value()));
  event = std::move(closed);
  if (others.empty())
    return;
  auto* payload = payload_of(event);
  for (auto& member : others) {
    if (payload == nullptr)
      break; // for the schema to refuse
    const bool family = member.key() == "event_family";
    auto pointer = std::string{};
    append_to_pointer(pointer, member.key());
    r.notes.add({std::move(pointer), "moved",
                 family ? "taken as payload.native.event_family"
                        : "taken as a member of the payload"});
    if (family)
      keep_family(*payload, std::move(member.value()));
    else if (!payload->contains(member.key()))
      payload->emplace(member.key(), std::move(member.value()));
  }
}

void copy_member(json::object& to, std::string_view name,
                 const json::value* from) {
  if (from != nullptr && !to.contains(name))
    to.emplace(name, json::value(*from));
}

/// S004 and the schema's definitions call the same by different names; a
/// strict event has both (C-09).
void complete_payload(json::object& event, json::object& payload) {
  const auto type = text_of(event, "event_type");
  if (type == "MAPTurnCompleted" && payload.contains("status")) {
    if (!payload.contains("result"))
      payload["result"] = json::object{{"status", payload.at("status")}};
  } else if (type == "MAPBroadcastReceived") {
    copy_member(payload, "receiver_role_id",
                payload.if_contains("receiver_role"));
  } else if (type == "MAPBroadcastSent") {
    copy_member(payload, "broadcaster_role_id",
                event.if_contains("initiator_role"));
    if (const auto* targets = array_in(event, "target_roles"))
      if (!payload.contains("target_count"))
        payload["target_count"] = targets->size();
  }
}

/// A hand-off is no MAP event by the schema: an execution that waits (C-07).
json::object execution_of(const rewriting& r, json::object event) {
  r.notes.add({"", "moved", "a hand-off, taken as a runtime_execution"});
  auto* payload = payload_of(event);
  if (payload == nullptr)
    return event;
  if (event.contains("event_family"))
    keep_family(*payload, event.at("event_family"));
  json::object made(event.storage());
  for (const auto* name : {"event_id", "event_type"})
    copy_member(made, name, event.if_contains(name));
  made["event_family"] = "runtime_execution";
  copy_member(made, "timestamp", event.if_contains("timestamp"));
  copy_member(made, "session_id", event.if_contains("session_id"));
  if (payload->contains("handoff_id"))
    made["execution_id"] = payload->at("handoff_id");
  else
    made["execution_id"] = to_string(
      hashed_uuid("handoff\n" + std::string{text_of(event, "event_id")}));
  made["executor_kind"] = "agent";
  if (payload->contains("to_role"))
    made["executor_role"] = payload->at("to_role");
  made["status"] = "pending";
  for (auto& member : event)
    if (!made.contains(member.key()) && member.key() != "payload")
      made.emplace(member.key(), member.value());
  made["payload"] = std::move(*payload);
  return made;
}

void rewrite_core(const rewriting& r, json::object& event) {
  const auto family = text_of(event, "event_family");
  if (const auto id = family_id(family); !id.empty() && id != family) {
    const json::string native{family};
    if (auto* payload = r.exporting() ? payload_of(event) : nullptr)
      keep_family(*payload, native);
    const std::array words{respelling{native, id}};
    replace_word(r, event, "", "event_family", words);
  }
  if (text_of(event, "event_family") != "runtime_execution")
    return;
  rename_members(r, event, "", executor_names);
  if (replace_word(r, event, "", "executor_kind", executor_words))
    add_member(r, event, "", "executor_role", "human");
}

} // namespace

std::string dotted(std::string_view event_type) {
  std::string words;
  for (std::size_t i = 0; i < event_type.size(); ++i) {
    const char c = event_type[i];
    const char before = i == 0 ? '.' : event_type[i - 1];
    const char after = i + 1 < event_type.size() ? event_type[i + 1] : '.';
    if (is_upper(c)) {
      // A word begins behind a small letter, and before one.
      if (i > 0 && (!is_upper(before) || is_lower(after))
          && words.back() != '.')
        words += '.';
      words += static_cast<char>(c - 'A' + 'a');
    } else {
      words += c == '_' || c == '-' ? '.' : c;
    }
  }
  return words;
}

official_form rewrite_event(const rewriting& r, json::object event) {
  add_event_id(r, event);
  // A twin that a strict export made is none of ours any more.
  if (text_of(event, "event_type") == handoff_event
      && text_of(event, "event_family") != "runtime_execution")
    event = execution_of(r, std::move(event));
  auto schema = official_schema(event);
  if (schema == "mplp-map-event" || schema == "mplp-sa-event") {
    move_to_payload(r, event, schema);
    if (auto* payload = object_in(event, "payload");
        payload != nullptr && r.exporting()) {
      replace_word(r, *payload, "/payload", "resolution_strategy",
                   strategy_words);
      complete_payload(event, *payload);
    }
  } else if (schema != "events" && !schema.empty()) {
    rewrite_core(r, event);
    schema = official_schema(event);
  }
  return {schema, std::move(event)};
}

} // namespace convene::protocol
