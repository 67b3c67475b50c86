#pragma once

#include <convene/session/routing/policy.hpp>

#include <string>

// Made-up routing policies of three lines, to test the machine without modes.

namespace convene::test {

/// Gives participant 0 one turn after another, `rounds` of them.
inline const session::routing_policy solo{
  .name = "solo", .decide = [](const session::view& now, session::memory kept) {
    using namespace session;
    if (now.turns >= now.rounds && now.busy == 0)
      return ruling{{complete{.condition = "enough"}}, {}};
    if (now.busy > 0)
      return ruling{};
    return ruling{{dispatch{.participant = next_acting(now, no_participant)}},
                  std::move(kept)};
  }};

/// Gives everybody who is idle a turn, at once, `rounds` turns in all.
inline const session::routing_policy everybody{
  .name = "everybody",
  .takes_turns = false,
  .decide = [](const session::view& now, session::memory) {
    using namespace session;
    ruling all;
    for (participant_index i = 0; i < now.participants.size(); ++i)
      if (now.participants[i].can_act() && !now.participants[i].busy
          && now.turns + all.decisions.size()
               < static_cast<std::size_t>(now.rounds))
        all.decisions.push_back(dispatch{.participant = i});
    if (all.decisions.empty() && now.busy == 0)
      all.decisions.push_back(complete{.condition = "enough"});
    return all;
  }};

/// Asks the orchestrator and does what it says.
inline const session::routing_policy obeys{
  .name = "obeys",
  .needs_orchestrator = true,
  .decide = [](const session::view& now, session::memory) {
    using namespace session;
    if (now.occasion == occasion::decided)
      return ruling{{now.decided.begin(), now.decided.end()}, {}};
    return now.busy > 0 ? ruling{} : ruling{{consult{}}, {}};
  }};

} // namespace convene::test
