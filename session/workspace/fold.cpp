#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/session/workspace/fold.hpp>
#include <convene/session/workspace/plan_step.hpp>
#include <convene/session/workspace/write.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace convene::session {
namespace {

using protocol::errc;
using protocol::fail;
using protocol::integer_of;
using protocol::object_of;
using protocol::result;
using protocol::text_of;

constexpr auto nobody_looks_back = std::numeric_limits<std::uint64_t>::max();

const json::value& value_of(const json::object& from) {
  static const json::value nothing;
  const auto* found = from.if_contains("value");
  return found == nullptr ? nothing : *found;
}

} // namespace

result<void> workspace_fold::feed(const json::object& event) {
  const auto type = text_of(event, "event_type");
  const auto& payload = object_of(event, "payload");
  if (type == "MAPSessionStarted")
    return start(payload);
  if (type == "resource_written")
    return write(payload);
  if (type == "step_status_changed")
    move_step(payload);
  const auto* all
    = type == "MAPRolesAssigned" ? payload.if_contains("assignments") : nullptr;
  if (all != nullptr && all->is_array())
    for (const auto& one : all->get_array())
      if (one.is_object())
        participants_.emplace_back(text_of(one.get_object(), "participant_id"));
  return {};
}

result<void> workspace_fold::start(const json::object& payload) {
  const auto* all = object_of(payload, "spec").if_contains("workspace");
  if (all == nullptr || !all->is_array())
    return {};
  for (const auto& each : all->get_array()) {
    const auto* one = each.if_object();
    if (one == nullptr)
      continue;
    const resource_name name{text_of(*one, "resource_type"),
                             text_of(*one, "resource_id")};
    const written made{value_of(*one)};
    if (auto room = resources_.check_room(name, size_of(made)); !room)
      return room;
    resources_.add(name, made.value, {}, nobody_looks_back);
  }
  return {};
}

result<void> workspace_fold::write(const json::object& payload) {
  const auto op
    = protocol::from_word<protocol::write_op>(text_of(payload, "op"));
  if (!op)
    return fail(errc::invalid_document, "no write has this op");
  const resource_name name{text_of(payload, "resource_type"),
                           text_of(payload, "resource_id")};
  const auto before = resources_.find(name);
  const auto made = apply_write({std::string{name.type}, std::string{name.id},
                                 0, *op, value_of(payload)},
                                before.get());
  if (!made)
    return fail(made.error());
  if (auto room = resources_.check_room(name, size_of(*made)); !room)
    return room;
  author by;
  const auto who = std::ranges::find(participants_,
                                     text_of(payload, "participant_id"));
  if (who != participants_.end())
    by.participant = static_cast<std::uint32_t>(who - participants_.begin());
  const auto turn = integer_of(payload, "turn_number").value_or(0);
  if (turn > 0 && turn < std::numeric_limits<std::uint32_t>::max())
    by.turn_number = static_cast<std::uint32_t>(turn);
  resources_.add(name, made->value, by, nobody_looks_back);
  return {};
}

void workspace_fold::move_step(const json::object& payload) {
  const resource_name name{plan_step_type, text_of(payload, "resource_id")};
  const auto standing = resources_.find(name);
  const auto* members = standing ? standing->value.if_object() : nullptr;
  const auto to = text_of(payload, "to_status");
  if (members == nullptr || text_of(*members, "status") == to)
    return;
  auto value = *members;
  value["status"] = to;
  resources_.refresh(name, std::move(value));
}

json::object workspace_document(std::string_view session_id,
                                const workspace_view& of,
                                const std::vector<std::string>& participants) {
  json::array all;
  for (const auto& r : of.changes(0)) {
    json::object one{{"resource_type", r->key->type},
                     {"resource_id", r->key->id},
                     {"version", r->version}};
    if (r->deleted)
      one.emplace("deleted", true);
    else
      one.emplace("value", r->value);
    if (r->by.participant < participants.size())
      one.emplace("participant_id", participants[r->by.participant]);
    if (r->by.turn_number != 0)
      one.emplace("turn_number", r->by.turn_number);
    all.push_back(std::move(one));
  }
  return {{"session_id", session_id}, {"resources", std::move(all)}};
}

} // namespace convene::session
