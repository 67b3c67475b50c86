// Conflicts that others decide: who is asked, what the answers come to, and
// what happens where nobody answers. Only the resource waits.

#include <convene/session/conflicts/arbiter.hpp>
#include <convene/session/spec/normalise.hpp>
#include <convene/session/workspace/size.hpp>

#include <algorithm>
#include <utility>

namespace convene::session {
namespace {

/// Questions that are remembered when they are over.
constexpr std::size_t closed_questions_kept = 1024;

resolution undecided() {
  return {.reason = "nobody decided, so the first write stands"};
}

bool takes_part(const writing& by, const write_conflict& found,
                participant_index who) {
  return who == by.who
         || std::ranges::find(found.authors, who, &author::participant)
              != found.authors.end();
}

std::string_view word_of(request_kind kind) {
  return kind == request_kind::vote ? "vote" : "escalation";
}

} // namespace

std::vector<participant_index>
arbiter::electorate(conflict_strategy how, const writing& by,
                    const write_conflict& found) const {
  auto may_decide = [&](participant_index who) {
    return who_->can_act(who) && !takes_part(by, found, who);
  };
  std::vector<participant_index> all;
  const auto count = static_cast<participant_index>(who_->size());
  if (how == conflict_strategy::voting) {
    for (participant_index i = 0; i < count; ++i)
      if (may_decide(i))
        all.push_back(i);
    return all;
  }
  if (may_decide(who_->who().orchestrator))
    return {who_->who().orchestrator};
  for (participant_index i = 0; i < count; ++i)
    if (may_decide(i)
        && who_->scenario().collab.participants[i].kind
             == protocol::participant_kind::human)
      return {i};
  return {};
}

resolution arbiter::find_deciders(resolution ruled, const writing& by,
                                  const write_conflict& found,
                                  std::vector<participant_index>& who) const {
  // At most twice: a vote without voters becomes an escalation.
  while (ruled.outcome == resolution_kind::ask) {
    who = electorate(ruled.strategy, by, found);
    if (!who.empty())
      break;
    ruled = ruled.strategy == conflict_strategy::voting
              ? settle_tie(found, rank_of(by.who), rank_of(found.authors))
              : undecided();
  }
  return ruled;
}

void arbiter::put_question(open_conflict& about,
                           std::span<const participant_index> to) {
  const bool votes = about.stage == conflict_strategy::voting;
  about.kind = votes ? request_kind::vote : request_kind::escalation;
  about.expires_at = log_->now() + who_->timeout_of(to);
  const protocol::shared_value<conflict_view> shown = conflict_view{
    .conflict_id = to_string(about.id),
    .resource_type = about.what.resource_type,
    .resource_id = about.what.resource_id,
    .sides
    = {{about.found.current->by.participant, about.found.current->deleted,
        about.found.current->value},
       {about.by.who, !about.made.value, about.made.value.value_or(nullptr)}}};
  for (auto who : to) {
    const auto number = requests_->next_question(who);
    const auto token = log_->next_id();
    about.asked.push_back({who, token});
    auto& message = log_->deliver(who);
    message.kind = about.kind;
    message.token = token;
    message.sequence = number;
    message.kind_sequence = number;
    message.expires_at = about.expires_at;
    message.task = "Whose write of " + about.what.resource_type + " "
                   + about.what.resource_id + " should stand?";
    message.conflict = shown;
    message.workspace = resources_->view();
  }
}

bool arbiter::is_disputed(const resource_name& what) const {
  return std::ranges::any_of(conflicts_, [&](const auto& c) {
    return c.what.resource_type == what.type && c.what.resource_id == what.id;
  });
}

bool arbiter::asks(participant_index who,
                   const protocol::uuid& token) const noexcept {
  return std::ranges::any_of(conflicts_, [&](const auto& about) {
    return std::ranges::find(about.asked, question{who, token})
           != about.asked.end();
  });
}

answer_kind
arbiter::find_question(participant_index from, const protocol::uuid& token,
                       protocol::reply& reply, participant_index turn_holder) {
  const question answered{from, token};
  for (std::size_t i = 0; i < conflicts_.size(); ++i) {
    auto& about = conflicts_[i];
    const auto found = std::ranges::find(about.asked, answered);
    if (found == about.asked.end())
      continue;
    about.asked.erase(found);
    close_question(answered, "answered");
    normalise(reply);
    log_answer(word_of(about.kind), from, token, reply);
    log_->count_usage(from, reply.usage);
    refuse_writes(from, token, reply, turn_holder);
    count_vote(about, from, reply);
    settle_votes(i, false);
    return conflicts_.empty() ? answer_kind::settled : answer_kind::counted;
  }
  if (std::ranges::find(closed_questions_, answered) == closed_questions_.end())
    return answer_kind::no_question;
  ++log_->counts().refused;
  log_->notify(from, token, "refused", "conflict_resolved");
  return answer_kind::too_late;
}

void arbiter::log_answer(std::string_view what, participant_index who,
                         const protocol::uuid& token,
                         const protocol::reply& reply) {
  log_->log_input({.executor_kind = "agent",
                   .input = what,
                   .who = who_->name_of(who),
                   .request_id = token,
                   .reply = &reply});
  log_->log_reasons(who_->name_of(who), 0, token, reply);
}

void arbiter::close_question(const question& what, std::string_view reason) {
  if (!actions_->empty())
    actions_->close({what.to, what.token}, reason);
  closed_questions_.push_back(what);
  if (closed_questions_.size() > closed_questions_kept)
    closed_questions_.erase(closed_questions_.begin());
}

void arbiter::count_vote(open_conflict& about, participant_index who,
                         const protocol::reply& reply) {
  if (reply.status != protocol::reply_status::completed || !reply.vote
      || reply.vote->conflict_id != to_string(about.id))
    return;
  const auto choice = find_participant(who_->scenario(),
                                       reply.vote->in_favour_of);
  if (choice != no_participant && takes_part(about.by, about.found, choice))
    about.votes.push_back({who, choice});
}

void arbiter::settle_votes(std::size_t at, bool over) {
  const auto& about = conflicts_[at];
  const auto total = about.votes.size();
  const auto later = static_cast<std::size_t>(
    std::ranges::count(about.votes, about.by.who, &ballot::in_favour_of));
  const auto earlier = total - later;
  const auto missing = over ? 0 : about.asked.size();
  if (std::max(later, earlier) <= std::min(later, earlier) + missing
      && missing != 0)
    return;
  resolution ruled{.outcome = later > earlier ? resolution_kind::replace
                                              : resolution_kind::keep,
                   .strategy = about.stage,
                   .reason = about.stage == conflict_strategy::voting
                               ? "the majority of the votes"
                               : "the decision of the one who was asked"};
  if (later == earlier && about.stage == conflict_strategy::voting)
    ruled = settle_tie(about.found, rank_of(about.by.who),
                       rank_of(about.found.authors));
  else if (later == earlier)
    ruled = undecided();
  std::vector<participant_index> deciders;
  ruled = find_deciders(ruled, about.by, about.found, deciders);
  if (ruled.outcome == resolution_kind::ask) {
    auto& next = conflicts_[at];
    next.stage = ruled.strategy;
    for (const auto& q : std::exchange(next.asked, {})) {
      close_question(q, "others_decide");
      log_->notify(q.to, q.token, "closed", "others_decide");
    }
    return put_question(next, deciders);
  }
  close_conflict(at, std::move(ruled));
}

void arbiter::close_conflict(std::size_t at, resolution ruled) {
  auto about = std::move(conflicts_[at]);
  conflicts_.erase(conflicts_.begin() + static_cast<std::ptrdiff_t>(at));
  for (const auto& q : about.asked) {
    close_question(q, "conflict_resolved");
    log_->notify(q.to, q.token, "closed", "conflict_resolved");
  }
  const resource_name name{about.what.resource_type, about.what.resource_id};
  if (ruled.outcome == resolution_kind::replace
      && !resources_->check_room(name, size_of(about.made)))
    ruled = {.reason = "there is no room for the later write"};
  // The session may have moved the step while others decided.
  if (ruled.outcome == resolution_kind::replace
      && !still_fits(about.what, about.found.base, about.made))
    ruled = {.reason = "the step can no longer become what was written"};
  std::vector<protocol::vote_cast> votes;
  for (const auto& b : about.votes)
    votes.push_back({(*who_)[b.voter].id, (*who_)[b.in_favour_of].id});
  conclude(about.id, about.by, about.what, about.found, about.made, ruled,
           votes);
}

void arbiter::close_conflicts(std::string_view reason) {
  while (!conflicts_.empty())
    close_conflict(0, {.reason = reason});
}

bool arbiter::expire_conflicts() {
  const bool any = !conflicts_.empty();
  for (std::size_t i = 0; i < conflicts_.size();) {
    if (conflicts_[i].expires_at > log_->now()) {
      ++i;
      continue;
    }
    const auto id = conflicts_[i].id;
    log_->log_input({.input = conflicts_[i].kind == request_kind::vote
                                ? "vote_timed_out"
                                : "escalation_timed_out",
                     .reason = to_string(id)});
    settle_votes(i, true);
    // It may have gone, or gone on to whoever decides next.
    const bool stays = i < conflicts_.size() && conflicts_[i].id == id;
    i += stays ? 1 : 0;
  }
  return any && conflicts_.empty();
}

bool arbiter::lose_voter(participant_index who) {
  const bool any = !conflicts_.empty();
  for (std::size_t i = 0; i < conflicts_.size();) {
    auto& about = conflicts_[i];
    const auto id = about.id;
    if (std::erase_if(about.asked, [&](const auto& q) { return q.to == who; })
        > 0)
      settle_votes(i, false);
    const bool stays = i < conflicts_.size() && conflicts_[i].id == id;
    i += stays ? 1 : 0;
  }
  return any && conflicts_.empty();
}

protocol::timestamp_ms arbiter::deadline(protocol::timestamp_ms next) const {
  for (const auto& c : conflicts_)
    next = std::min(next, c.expires_at);
  return std::min(next, claims_.earliest().value_or(next));
}

std::string_view arbiter::why_unsound() const {
  for (const auto& about : conflicts_)
    if (!about.found.current || !about.found.current->key
        || !resources_->find(
          {about.what.resource_type, about.what.resource_id}))
      return "a conflict is about nothing";
  return {};
}

} // namespace convene::session
