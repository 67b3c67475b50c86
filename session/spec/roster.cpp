#include <convene/protocol/base/nearest.hpp>
#include <convene/protocol/documents/orchestrator.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/session/spec/role_index.hpp>
#include <convene/session/spec/roster.hpp>

#include <algorithm>
#include <functional>
#include <map>

namespace convene::session {
namespace {

using protocol::participant;
using protocol::participant_kind;
using protocol::role;

bool acts(const participant& who) {
  return who.kind != participant_kind::system;
}

/// The Role of each participant. Null: none.
std::vector<const role*> roles_of(const spec& what) {
  const role_index known{what};
  std::vector<const role*> all;
  for (const auto& who : what.collab.participants)
    all.push_back(known.of(who));
  return all;
}

bool may_orchestrate(const role& r) {
  return r.capabilities
         && std::ranges::any_of(*r.capabilities, protocol::lets_orchestrate);
}

/// Whether `word` stands in `id` between separators, its ends, or both.
bool has_word(std::string_view id, std::string_view word) {
  constexpr std::string_view separators = "-_.:/ ";
  auto is_edge = [&](std::size_t at) {
    return separators.find(id[at]) != std::string_view::npos;
  };
  for (auto at = id.find(word); at != std::string_view::npos;
       at = id.find(word, at + 1)) {
    const auto end = at + word.size();
    if ((at == 0 || is_edge(at - 1)) && (end == id.size() || is_edge(end)))
      return true;
  }
  return false;
}

template <class Predicate>
std::vector<participant_index> all_that(const spec& what, Predicate is) {
  std::vector<participant_index> found;
  const auto& all = what.collab.participants;
  for (participant_index i = 0; i < all.size(); ++i)
    if (acts(all[i]) && is(all[i]))
      found.push_back(i);
  return found;
}

participant_index find_orchestrator(const spec& what,
                                    const std::vector<const role*>& roles) {
  if (what.options.orchestrator)
    return find_participant(what, *what.options.orchestrator);
  const auto& all = what.collab.participants;
  const auto first_that = [&](auto is) {
    for (participant_index i = 0; i < all.size(); ++i)
      if (acts(all[i]) && is(i))
        return i;
    return no_participant;
  };
  auto found = first_that(
    [&](auto i) { return roles[i] != nullptr && may_orchestrate(*roles[i]); });
  if (found == no_participant)
    found = first_that([&](auto i) {
      return roles[i] != nullptr
             && protocol::is_orchestrator_role(roles[i]->name);
    });
  if (found == no_participant)
    found = first_that([&](auto i) {
      return protocol::looks_like_orchestrator(all[i].participant_id)
             || protocol::looks_like_orchestrator(all[i].role_id.value_or(""));
    });
  return found;
}

} // namespace

participant_index find_participant(const spec& what, std::string_view id) {
  const auto& all = what.collab.participants;
  const auto found = std::ranges::find(all, id, &participant::participant_id);
  return found == all.end()
           ? no_participant
           : static_cast<participant_index>(found - all.begin());
}

roster make_roster(const spec& what) {
  roster who;
  const auto roles = roles_of(what);
  if (!what.roles.empty()) {
    who.role_names.reserve(roles.size());
    for (const auto* r : roles)
      who.role_names.push_back(r != nullptr ? r->name : std::string{});
  }
  for (const auto& p : what.collab.participants)
    who.acting += acts(p) ? 1 : 0;
  who.orchestrator = find_orchestrator(what, roles);
  if (what.options.deputy)
    who.deputy = find_participant(what, *what.options.deputy);
  if (what.options.initiator)
    who.initiator = find_participant(what, *what.options.initiator);
  else if (who.orchestrator != no_participant)
    who.initiator = who.orchestrator;
  else if (const auto all = all_that(what, [](const auto&) { return true; });
           !all.empty())
    who.initiator = all.front();
  return who;
}

std::vector<participant_index>
participants_for(const spec& what, const roster& who, std::string_view name) {
  const auto assigned = what.options.assign.find(std::string{name});
  if (assigned != what.options.assign.end())
    return {find_participant(what, assigned->second)};
  auto found
    = all_that(what, [&](const participant& p) { return p.role_id == name; });
  if (found.empty())
    found = all_that(what, [&](const participant& p) {
      const auto i
        = static_cast<participant_index>(&p - what.collab.participants.data());
      return who.role_name(i) == name;
    });
  if (found.empty())
    found = all_that(what, [&](const participant& p) {
      return p.participant_id == name;
    });
  const auto ends_so = [suffix = "-" + std::string{name}](const auto& id) {
    return id.ends_with(suffix);
  };
  if (found.empty())
    found = all_that(what, [&](const participant& p) {
      return ends_so(p.participant_id);
    });
  if (found.empty())
    found = all_that(what, [&](const participant& p) {
      return has_word(p.participant_id, name);
    });
  if (found.empty())
    found = all_that(what, [&](const participant& p) {
      return p.role_id && ends_so(*p.role_id);
    });
  if (found.empty())
    found = all_that(what, [&](const participant& p) {
      return p.role_id && has_word(*p.role_id, name);
    });
  return found;
}

std::string why_nobody_fits(const spec& what, const roster& who,
                            std::string_view role) {
  if (role.empty() || !participants_for(what, who, role).empty())
    return {};
  std::vector<std::string_view> names;
  for (participant_index i = 0; i < what.collab.participants.size(); ++i) {
    const auto& p = what.collab.participants[i];
    if (!acts(p))
      continue;
    names.push_back(p.participant_id);
    if (p.role_id)
      names.push_back(*p.role_id);
    if (const auto role_name = who.role_name(i); !role_name.empty())
      names.push_back(role_name);
  }
  return "nobody who acts has the role " + protocol::shorten(role)
         + protocol::suggest(role, names)
         + "; name a role_id, a Role or a participant";
}

void assign_steps(plan_book& plan, const spec& what, const roster& who) {
  struct candidates {
    std::vector<participant_index> all;
    std::size_t served = 0;
  };
  std::map<std::string, candidates, std::less<>> known;
  for (step_index i = 0; i < plan.size(); ++i) {
    const auto& role = plan.step(i).agent_role;
    if (!role)
      continue;
    const auto [found, is_new] = known.try_emplace(*role);
    auto& [all, served] = found->second;
    if (is_new)
      all = participants_for(what, who, *role);
    if (!all.empty())
      plan.assign(i, all[served++ % all.size()]);
  }
}

} // namespace convene::session
