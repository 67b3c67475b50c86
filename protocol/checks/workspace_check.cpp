#include <convene/protocol/checks/joined_writes.hpp>
#include <convene/protocol/checks/workspace_check.hpp>

#include <algorithm>

namespace convene::protocol {
namespace {

[[gnu::always_inline]] inline std::string copy_of(const auto& from,
                                                  std::string_view name) {
  return std::string{text_of(from, name)};
}

/// The integers of the member's array, others left out.
std::set<std::int64_t> integers_of(const json::object& from,
                                   std::string_view name) {
  std::set<std::int64_t> all;
  const auto* member = from.if_contains(name);
  if (member != nullptr && member->is_array())
    for (const auto& each : member->get_array())
      if (each.is_int64())
        all.insert(each.get_int64());
  return all;
}

std::optional<resource_names> names_in(const json::value* list) {
  if (list == nullptr || !list->is_array())
    return std::nullopt;
  resource_names all;
  for (const auto& each : list->get_array())
    if (const auto* one = each.if_object())
      all.emplace(text_of(*one, "resource_type"), text_of(*one, "resource_id"));
  return all;
}

} // namespace

std::optional<resource_names> resource_names_in(const json::object& payload) {
  return names_in(payload.if_contains("resources"));
}

std::optional<resource_names>
resource_names_in(const indexed_members& payload) {
  return names_in(payload.if_contains("resources"));
}

bool are_apart(const turn_rights& a, const turn_rights& b) {
  if (!a.resources || !b.resources)
    return (a.writes_the_rest() && b.resources)
           || (b.writes_the_rest() && a.resources);
  return std::ranges::none_of(*a.resources, [&](const auto& name) {
    return b.resources->contains(name);
  });
}

void workspace_check::feed(std::string_view type,
                           const indexed_members& payload,
                           const report_finding& report) {
  if (is_same(type, "MAPSessionStarted")) {
    start(payload);
  } else if (is_same(type, "MAPTurnDispatched")) {
    open_[{copy_of(payload, "token_id"), copy_of(payload, "participant_id")}]
      = {.resources = resource_names_in(payload),
         .navigates = text_of(payload, "duty") == "navigator",
         .turn_number = integer_of(payload, "turn_number"),
         .is_handoff = payload.contains("handoff_id")};
  } else if (is_same(type, "MAPTurnCompleted")) {
    open_.erase(
      {copy_of(payload, "token_id"), copy_of(payload, "participant_id")});
  } else if (is_same(type, "MAPBroadcastSent")) {
    for (auto who : texts_of(payload, "target_participants"))
      open_[{copy_of(payload, "broadcast_id"), std::string{who}}] = {};
  } else if (is_same(type, "MAPBroadcastReceived")) {
    open_.erase({copy_of(payload, "broadcast_ref"),
                 copy_of(payload, "receiver_participant")});
  } else if (is_same(type, "MAPConflictDetected")) {
    detect(payload, report);
  } else if (is_same(type, "MAPConflictResolved")) {
    resolve(payload);
  } else if (is_same(type, "resource_written")) {
    write(payload, report);
  }
}

void workspace_check::start(const json::object& payload) {
  const auto* list = object_of(payload, "spec").if_contains("workspace");
  if (list == nullptr || !list->is_array())
    return;
  for (const auto& each : list->get_array())
    if (const auto* one = each.if_object())
      writers_[{copy_of(*one, "resource_type"), copy_of(*one, "resource_id")}]
        = {std::string{}};
}

void workspace_check::detect(const json::object& payload,
                             const report_finding& report) {
  const auto& details = object_of(payload, "details");
  const auto known = writers_.find(
    {copy_of(payload, "resource_type"), copy_of(payload, "resource_id")});
  const auto version = known == writers_.end()
                         ? std::int64_t{0}
                         : static_cast<std::int64_t>(known->second.size());
  if (const auto shown = integer_of(details, "current_version");
      shown && *shown != version)
    report("conflict_matches", "current_version is " + std::to_string(*shown)
                                 + ", the log has " + std::to_string(version));
  const auto request = open_.find(
    {copy_of(details, "presented_token"), copy_of(details, "participant_id")});
  if (request != open_.end()
      && integer_of(details, "turn_number") != request->second.turn_number)
    report("conflict_matches", "turn_number is not that of the token");
  conflicts_[copy_of(payload, "conflict_id")].in_time
    = text_of(payload, "conflict_type") == "concurrent_modification"
      && open_.contains({copy_of(details, "presented_token"),
                         copy_of(details, "participant_id")});
}

void workspace_check::resolve(const json::object& payload) {
  auto& made = conflicts_[copy_of(payload, "conflict_id")];
  made.resolved = true;
  made.joined = joins_writes(payload);
  made.winner = text_of(payload, "winning_participant");
  for (auto who : texts_of(payload, "losing_participants"))
    made.losers.emplace(who);
  made.overridden = integers_of(payload, "overridden_versions");
}

void workspace_check::write(const json::object& payload,
                            const report_finding& report) {
  const auto who = copy_of(payload, "participant_id");
  const auto name = quote(text_of(payload, "resource_id"));
  auto& writers = writers_[{copy_of(payload, "resource_type"),
                            copy_of(payload, "resource_id")}];
  const auto version = integer_of(payload, "version").value_or(0);
  const auto base = integer_of(payload, "base_version").value_or(0);
  const auto before = static_cast<std::int64_t>(writers.size());
  if (version != before + 1)
    report("resource_versions_contiguous",
           "version " + std::to_string(version) + " of " + name
             + " follows version " + std::to_string(before));
  const auto found = conflicts_.find(text_of(payload, "conflict_id"));
  const auto* conflict = found == conflicts_.end() ? nullptr : &found->second;
  write_in_request(payload, report);
  const bool live = open_.contains({copy_of(payload, "token_id"), who});
  if (!live && (conflict == nullptr || !conflict->in_time))
    report("write_needs_live_token",
           "participant " + quote(who) + " writes " + name
             + " while no request to it with this token is open");
  const bool won = conflict != nullptr && conflict->resolved
                   && (conflict->joined || conflict->winner == who);
  if (base > before)
    report("resource_versions_contiguous",
           "the write of " + name + " is based on version "
             + std::to_string(base) + ", which never was");
  else if (base < before && !won)
    report("override_names_losers",
           "the write of " + name + " replaces what came after version "
             + std::to_string(base) + ", and no conflict decided so");
  else if (base < before && !conflict->joined)
    check_overridden(payload, *conflict, report);
  writers.push_back(who);
}

void workspace_check::write_in_request(const json::object& payload,
                                       const report_finding& report) const {
  const auto who = copy_of(payload, "participant_id");
  const auto found = open_.find({copy_of(payload, "token_id"), who});
  if (found == open_.end())
    return;
  const auto name = quote(text_of(payload, "resource_id"));
  const resource_name written{copy_of(payload, "resource_type"),
                              copy_of(payload, "resource_id")};
  const auto& [resources, navigates, turn_number, is_handoff] = found->second;
  if (resources && !resources->contains(written))
    report("write_needs_live_token", "participant " + quote(who) + " writes "
                                       + name
                                       + ", which its turn does not name");
  if (is_handoff && !resources)
    for (const auto& [request, other] : open_)
      if (other.resources && other.resources->contains(written))
        report("write_needs_live_token",
               "participant " + quote(who) + " writes " + name
                 + ", which the turn of " + quote(request.second) + " names");
  if (navigates)
    report("write_needs_live_token",
           "participant " + quote(who) + " writes " + name
             + ", and as navigator it may write nothing");
  if (integer_of(payload, "turn_number") != turn_number)
    report("write_needs_live_token",
           "participant " + quote(who) + " writes " + name
             + " in another turn than the one whose token it has");
}

void workspace_check::check_overridden(const json::object& payload,
                                       const resolution& decided,
                                       const report_finding& report) const {
  const auto name = quote(text_of(payload, "resource_id"));
  const auto& writers = writers_
                          .find({copy_of(payload, "resource_type"),
                                 copy_of(payload, "resource_id")})
                          ->second;
  const auto before = static_cast<std::int64_t>(writers.size());
  const auto base = integer_of(payload, "base_version").value_or(0);
  std::set<std::string, std::less<>> replaced;
  for (auto lost : decided.overridden) {
    if (lost < 1 || lost <= base || lost > before) {
      report("override_names_losers", "version " + std::to_string(lost) + " of "
                                        + name
                                        + " is none that this write replaces");
      continue;
    }
    const auto& loser = writers[static_cast<std::size_t>(lost - 1)];
    replaced.insert(loser);
    if (!loser.empty() && !decided.losers.contains(loser))
      report("override_names_losers",
             "participant " + quote(loser) + " loses version "
               + std::to_string(lost) + " of " + name + " and is not named");
  }
  for (const auto& loser : decided.losers)
    if (!replaced.contains(loser))
      report("override_names_losers", "participant " + quote(loser)
                                        + " is named as loser, and loses no "
                                          "version of "
                                        + name);
  if (!decided.overridden.contains(before))
    report("override_names_losers",
           "version " + std::to_string(before) + " of " + name
             + " is replaced and not among the overridden versions");
}

} // namespace convene::protocol
