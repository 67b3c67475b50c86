#include <convene/protocol/json/members.hpp>
#include <convene/runtime/outside/participants/llm_checks.hpp>

#include <algorithm>

namespace convene::host {
namespace {

using actors::turn_request;

std::string list_of(const std::vector<std::string>& names) {
  std::string all;
  for (const auto& each : names)
    all += (all.empty() ? "" : ", ") + protocol::quote(each);
  return all.empty() ? "none" : all;
}

/// Whom a turn can be given to, by id and role.
std::vector<std::string> receivers(const turn_request& asked) {
  std::vector<std::string> all;
  if (!asked.about)
    return all;
  for (const auto& each : asked.about->participants) {
    if (each.participant_id == asked.participant)
      continue;
    all.push_back(each.participant_id);
    if (each.role_id && std::ranges::find(all, *each.role_id) == all.end())
      all.push_back(*each.role_id);
  }
  return all;
}

} // namespace

bool may_write(const turn_request& asked) {
  return (asked.kind == session::request_kind::turn
          || asked.kind == session::request_kind::broadcast)
         && !(asked.limited && asked.resources.empty())
         && asked.duty != "navigator";
}

std::int64_t version_of(const turn_request& asked, std::string_view type,
                        std::string_view id) {
  const auto* found = asked.workspace.find({type, id});
  return found ? static_cast<std::int64_t>(found->version) : 0;
}

std::string problem_of(const protocol::resource_write& what,
                       const turn_request& asked) {
  if (!may_write(asked))
    return "this turn may not write shared resources";
  const protocol::resource_ref name{what.resource_type, what.resource_id};
  if (asked.limited
      && std::ranges::find(asked.resources, name) == asked.resources.end()) {
    std::vector<std::string> names;
    for (const auto& each : asked.resources)
      names.push_back(each.resource_type + ' ' + each.resource_id);
    return "this turn may write only " + list_of(names);
  }
  return {};
}

std::string problem_of(const protocol::handoff& what,
                       const turn_request& asked) {
  const auto known = receivers(asked);
  if (!asked.about || std::ranges::find(known, what.to) != known.end())
    return {};
  return "`to` must be one of " + list_of(known);
}

std::string problem_of(const protocol::vote& what, const turn_request& asked) {
  std::vector<std::string> sides;
  for (const auto& each : asked.dispute.sides)
    sides.push_back(each.participant);
  if (std::ranges::find(sides, what.in_favour_of) != sides.end())
    return {};
  return "`for` must be one of " + list_of(sides);
}

std::string problem_of(const protocol::decision& what,
                       const turn_request& asked) {
  const auto& all = asked.decide.participants;
  std::vector<std::string> ids;
  for (const auto& each : all)
    ids.push_back(each.participant);
  if (const auto* turn = std::get_if<protocol::dispatch_decision>(&what)) {
    const auto& who = turn->participant;
    if (!who.empty() && who != asked.participant
        && std::ranges::find(ids, who) == ids.end())
      return "`participant` must be one of " + list_of(ids);
  } else if (const auto* ask = std::get_if<protocol::ask_decision>(&what)) {
    const auto is_person = [&](const actors::candidate& each) {
      return each.kind == protocol::participant_kind::human
             && (ask->participant.empty()
                 || ask->participant == each.participant);
    };
    if (std::ranges::none_of(all, is_person))
      return "`ask` is for people, and no person of this name takes part";
  } else if (std::holds_alternative<protocol::wait_decision>(what)) {
    if (asked.decide.outstanding == 0)
      return "there is no open turn to wait for";
  } else if (const auto* on = std::get_if<protocol::handoff>(&what)) {
    return problem_of(*on, asked);
  }
  return {};
}

std::string problem_of(const protocol::reply& what, const turn_request& asked) {
  std::string problem;
  const auto look = [&](const auto& each) {
    if (problem.empty())
      problem = problem_of(each, asked);
  };
  std::ranges::for_each(what.writes, look);
  std::ranges::for_each(what.decision, look);
  if (what.handoff)
    look(*what.handoff);
  if (what.vote)
    look(*what.vote);
  return problem;
}

} // namespace convene::host
