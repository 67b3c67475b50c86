#include <convene/session/orchestration/handoff_receiver.hpp>

#include <algorithm>
#include <utility>

namespace convene::session {

std::int64_t depth_max(const spec& of) {
  return of.options.max_handoff_depth.value_or(max_handoff_depth_default);
}

protocol::result<participant_index>
find_receiver(const spec& of, const roster& who,
              std::span<const participant_state> participants,
              participant_index giver, std::string_view to) {
  const auto named = find_participant(of, to);
  const auto all = named == no_participant
                     ? participants_for(of, who, to)
                     : std::vector<participant_index>{named};
  const auto refuse = [&](std::string rule, std::string_view why) {
    return protocol::fail(protocol::errc::not_allowed,
                          "handoff to " + std::string{to} + ": "
                            + std::string{why},
                          std::move(rule));
  };
  if (all.empty())
    return refuse("handoff_receiver_unknown",
                  "nobody has this id, and nobody who acts has this role");
  auto found = no_participant;
  for (auto i : all)
    if (i != giver && participants[i].can_act()
        && (found == no_participant
            || (participants[found].busy && !participants[i].busy)))
      found = i;
  if (found != no_participant)
    return found;
  if (all.size() == 1 && all.front() == giver)
    return refuse("handoff_to_self", "it holds the turn already");
  if (std::ranges::none_of(all, [&](auto i) { return participants[i].acting; }))
    return refuse("handoff_receiver_unfit", "it takes no turns");
  return refuse("handoff_receiver_lost", "it is gone");
}

} // namespace convene::session
