#include <convene/session/spec/membership.hpp>

#include <algorithm>
#include <utility>

namespace convene::session {

membership::membership(const spec& of, roster who)
  : spec_(&of), roster_(std::move(who)), can_act_(roster_.acting) {
  const auto& all = of.collab.participants;
  states_.reserve(all.size());
  times_.reserve(all.size());
  for (participant_index i = 0; i < all.size(); ++i) {
    times_.push_back(protocol::response_time_of(
      of.behaviours, all[i].participant_id, of.options.turn_timeout_ms));
    has_people_ |= times_.back().is_person || times_.back().asks_person;
    states_.push_back(
      {.id = all[i].participant_id,
       .role = all[i].role_id ? std::string_view{*all[i].role_id}
                              : std::string_view{},
       .role_name = roster_.role_name(i),
       .acting = all[i].kind != protocol::participant_kind::system});
  }
}

std::int64_t
membership::timeout_of(std::span<const participant_index> all) const noexcept {
  std::int64_t longest = 0;
  for (const auto who : all)
    longest = std::max(longest, timeout_of(who));
  return longest;
}

void membership::lose(participant_index i) noexcept {
  can_act_ -= states_[i].can_act() ? 1 : 0;
  states_[i].lost = true;
}

void membership::bring_back(participant_index i) noexcept {
  states_[i].lost = false;
  can_act_ += states_[i].can_act() ? 1 : 0;
}

bool membership::promote_deputy() noexcept {
  const auto deputy = roster_.deputy;
  if (!can_act(deputy))
    return false;
  if (roster_.initiator == roster_.orchestrator)
    roster_.initiator = deputy;
  roster_.orchestrator = deputy;
  roster_.deputy = no_participant;
  return true;
}

std::string_view membership::why_unsound(bool needs_orchestrator) const {
  const auto acting
    = std::ranges::count_if(states_, [](const auto& p) { return p.can_act(); });
  if (!std::cmp_equal(acting, can_act_))
    return "not so many participants can act";
  if (needs_orchestrator && roster_.orchestrator == no_participant)
    return "no one leads";
  return {};
}

} // namespace convene::session
