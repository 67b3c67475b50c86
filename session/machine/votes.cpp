// Conflicts that others decide: who is asked, what the answers come to, and
// what happens where nobody answers. Only the resource waits.

#include <convene/protocol/events/event_encoding.hpp>
#include <convene/session/machine/append.hpp>
#include <convene/session/spec/normalise.hpp>

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
machine::electorate(conflict_strategy how, const writing& by,
                    const write_conflict& found) const {
  auto may_decide = [&](participant_index who) {
    return who != no_participant && participants_[who].can_act()
           && !takes_part(by, found, who);
  };
  std::vector<participant_index> all;
  const auto count = static_cast<participant_index>(participants_.size());
  if (how == conflict_strategy::voting) {
    for (participant_index i = 0; i < count; ++i)
      if (may_decide(i))
        all.push_back(i);
    return all;
  }
  if (may_decide(roster_.orchestrator))
    return {roster_.orchestrator};
  for (participant_index i = 0; i < count; ++i)
    if (may_decide(i)
        && spec_.collab.participants[i].kind
             == protocol::participant_kind::human)
      return {i};
  return {};
}

resolution machine::find_deciders(resolution ruled, const writing& by,
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

void machine::put_question(open_conflict& about,
                           std::span<const participant_index> to) {
  const bool votes = about.stage == conflict_strategy::voting;
  about.kind = votes ? request_kind::vote : request_kind::escalation;
  about.expires_at = now_ + spec_.options.turn_timeout_ms;
  const protocol::shared_value<conflict_view> shown = conflict_view{
    .conflict_id = to_string(about.id),
    .resource_type = about.what.resource_type,
    .resource_id = about.what.resource_id,
    .sides
    = {{about.found.current->by.participant, about.found.current->deleted,
        about.found.current->value},
       {about.by.who, !about.made.value, about.made.value.value_or(nullptr)}}};
  for (auto who : to) {
    auto& at = slots_[who];
    const auto token = next_id();
    about.asked.push_back({who, token});
    request message{.kind = about.kind,
                    .token = token,
                    .sequence = at.questions,
                    .kind_sequence = at.questions,
                    .expires_at = about.expires_at,
                    .task = "Whose write of " + about.what.resource_type + " "
                            + about.what.resource_id + " should stand?",
                    .conflict = shown};
    ++at.questions;
    message.workspace = shared_.resources.view();
    out_->deliveries.push_back({who, std::move(message)});
  }
}

bool machine::is_disputed(const resource_name& what) const {
  return std::ranges::any_of(shared_.conflicts, [&](const auto& c) {
    return c.what.resource_type == what.type && c.what.resource_id == what.id;
  });
}

bool machine::take_question_answer(answer& a) {
  for (std::size_t i = 0; i < shared_.conflicts.size(); ++i) {
    auto& about = shared_.conflicts[i];
    const auto question = std::ranges::find_if(about.asked, [&](const auto& q) {
      return q.to == a.from && q.token == a.token;
    });
    if (question == about.asked.end())
      continue;
    close_question(*question);
    about.asked.erase(question);
    normalise(a.reply);
    log_answer(word_of(about.kind), a.from, a.token, a.reply);
    add_usage(a.reply.usage);
    refuse_writes(a.from, a.token, a.reply);
    count_vote(about, a.from, a.reply);
    settle_votes(i, false);
    return true;
  }
  const bool late = std::ranges::find(shared_.closed_questions,
                                      session::question{a.from, a.token})
                    != shared_.closed_questions.end();
  if (late) {
    ++tally_.refused;
    out_->notices.push_back({a.from, a.token, "refused", "conflict_resolved"});
  }
  return late;
}

void machine::close_question(const question& what) {
  shared_.closed_questions.push_back(what);
  if (shared_.closed_questions.size() > closed_questions_kept)
    shared_.closed_questions.pop_front();
}

void machine::count_vote(open_conflict& about, participant_index who,
                         const protocol::reply& reply) {
  if (reply.status != protocol::reply_status::completed || !reply.vote
      || reply.vote->conflict_id != to_string(about.id))
    return;
  const auto choice = find_participant(spec_, reply.vote->in_favour_of);
  if (choice != no_participant && takes_part(about.by, about.found, choice))
    about.votes.push_back({who, choice});
}

void machine::settle_votes(std::size_t at, bool over) {
  const auto& about = shared_.conflicts[at];
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
    auto& next = shared_.conflicts[at];
    next.stage = ruled.strategy;
    for (const auto& q : std::exchange(next.asked, {})) {
      close_question(q);
      out_->notices.push_back({q.to, q.token, "closed", "others_decide"});
    }
    return put_question(next, deciders);
  }
  close_conflict(at, std::move(ruled));
  go_on_without_conflicts();
}

void machine::close_conflict(std::size_t at, resolution ruled) {
  const auto about = std::move(shared_.conflicts[at]);
  shared_.conflicts.erase(shared_.conflicts.begin()
                          + static_cast<std::ptrdiff_t>(at));
  for (const auto& q : about.asked) {
    close_question(q);
    out_->notices.push_back({q.to, q.token, "closed", "conflict_resolved"});
  }
  const resource_name name{about.what.resource_type, about.what.resource_id};
  if (ruled.outcome == resolution_kind::replace
      && !shared_.resources.check_room(name, size_of(about.made)))
    ruled = {.reason = "there is no room for the later write"};
  std::vector<protocol::vote_cast> votes;
  for (const auto& b : about.votes)
    votes.push_back(
      {participants_[b.voter].id, participants_[b.in_favour_of].id});
  conclude(about.id, about.by, about.what, about.found, about.made, ruled,
           votes);
}

void machine::close_conflicts(std::string_view reason) {
  while (!shared_.conflicts.empty())
    close_conflict(0, {.reason = reason});
}

void machine::go_on_without_conflicts() {
  if (ended() || !shared_.conflicts.empty())
    return;
  if (auto held = std::exchange(shared_.held_end, std::nullopt))
    return apply(std::move(*held));
  if (open_.empty())
    ask(occasion::steps_changed);
}

void machine::expire_conflicts() {
  for (std::size_t i = 0; i < shared_.conflicts.size() && !ended();) {
    if (shared_.conflicts[i].expires_at > now_) {
      ++i;
      continue;
    }
    const auto id = shared_.conflicts[i].id;
    log_simple_input(shared_.conflicts[i].kind == request_kind::vote
                       ? "vote_timed_out"
                       : "escalation_timed_out",
                     no_participant, to_string(id));
    settle_votes(i, true);
    // It may have gone, or gone on to whoever decides next.
    const bool stays = i < shared_.conflicts.size()
                       && shared_.conflicts[i].id == id;
    i += stays ? 1 : 0;
  }
}

void machine::lose_voter(participant_index who) {
  for (std::size_t i = 0; i < shared_.conflicts.size();) {
    auto& about = shared_.conflicts[i];
    const auto id = about.id;
    if (std::erase_if(about.asked, [&](const auto& q) { return q.to == who; })
        > 0)
      settle_votes(i, false);
    const bool stays = i < shared_.conflicts.size()
                       && shared_.conflicts[i].id == id;
    i += stays ? 1 : 0;
  }
}

} // namespace convene::session
