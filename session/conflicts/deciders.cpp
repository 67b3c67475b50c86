#include <convene/session/conflicts/deciders.hpp>

#include <algorithm>

namespace convene::session {
namespace {

/// Voting asks all that have no part in the conflict, escalation one of them:
/// the orchestrator, else the first person.
std::vector<participant_index>
electorate(const membership& all, conflict_strategy how,
           participant_index writer, const write_conflict& found) {
  const auto may_decide = [&](participant_index who) {
    return all.can_act(who) && !takes_part(who, writer, found);
  };
  const bool one = how != conflict_strategy::voting;
  if (one && may_decide(all.who().orchestrator))
    return {all.who().orchestrator};
  std::vector<participant_index> made;
  for (participant_index i = 0; i < all.size(); ++i) {
    const bool is_human = all.scenario().collab.participants[i].kind
                          == protocol::participant_kind::human;
    if (may_decide(i) && (!one || (is_human && made.empty())))
      made.push_back(i);
  }
  return made;
}

} // namespace

std::int64_t rank_of(const membership& all, participant_index who) {
  const auto& ranks = all.scenario().options.conflicts.ranks;
  const auto& p = all[who];
  for (auto name : {p.id, p.role, p.role_name})
    if (const auto found = ranks.find(std::string{name}); found != ranks.end())
      return found->second;
  return 0;
}

std::int64_t rank_of(const membership& all, std::span<const author> authors) {
  auto highest = -rank_max - 1;
  for (const auto& one : authors)
    highest = std::max(highest, rank_of(all, one.participant));
  return highest;
}

bool takes_part(participant_index who, participant_index writer,
                const write_conflict& found) noexcept {
  return who == writer
         || std::ranges::find(found.authors, who, &author::participant)
              != found.authors.end();
}

resolution find_deciders(const membership& all, resolution ruled,
                         participant_index writer, const write_conflict& found,
                         std::vector<participant_index>& who) {
  // At most twice: a vote without voters becomes an escalation.
  while (ruled.outcome == resolution_kind::ask) {
    who = electorate(all, ruled.strategy, writer, found);
    if (!who.empty())
      break;
    ruled = ruled.strategy == conflict_strategy::voting
              ? settle_tie(found, rank_of(all, writer),
                           rank_of(all, found.authors))
              : undecided();
  }
  return ruled;
}

resolution undecided() {
  return {.reason = "nobody decided, so the first write stands"};
}

} // namespace convene::session
