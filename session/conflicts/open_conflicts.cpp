#include <convene/session/conflicts/deciders.hpp>
#include <convene/session/conflicts/open_conflicts.hpp>
#include <convene/session/spec/normalise.hpp>

#include <utility>

namespace convene::session {
namespace {

/// Questions that are remembered when they are over.
constexpr std::size_t closed_questions_max = 1024;

} // namespace

bool open_conflicts::is_disputed(const resource_name& what) const {
  return std::ranges::any_of(conflicts_, [&](const auto& one) {
    return name_of(one.what) == what;
  });
}

bool open_conflicts::asks(participant_index who,
                          const protocol::uuid& token) const noexcept {
  return std::ranges::any_of(conflicts_, [&](const auto& about) {
    return std::ranges::find(about.asked, question{who, token})
           != about.asked.end();
  });
}

protocol::timestamp_ms
open_conflicts::deadline(protocol::timestamp_ms next) const {
  for (const auto& one : conflicts_)
    next = std::min(next, one.expires_at);
  return next;
}

void open_conflicts::open(open_conflict&& about,
                          std::span<const participant_index> deciders) {
  ask(conflicts_.emplace_back(std::move(about)), deciders);
}

void open_conflicts::ask(open_conflict& about,
                         std::span<const participant_index> deciders) {
  const bool votes = about.stage == conflict_strategy::voting;
  about.kind = votes ? request_kind::vote : request_kind::escalation;
  about.expires_at = log_->now() + who_->timeout_of(deciders);
  const protocol::shared_value<conflict_view> shown = conflict_view{
    .conflict_id = to_string(about.id),
    .resource_type = about.what.resource_type,
    .resource_id = about.what.resource_id,
    .sides
    = {{about.found.current->by.participant, about.found.current->deleted,
        about.found.current->value},
       {about.by.who, !about.made.value, about.made.value.value_or(nullptr)}}};
  for (auto who : deciders) {
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

answer_kind
open_conflicts::take_answer(participant_index from, const protocol::uuid& token,
                            protocol::reply& reply,
                            participant_index turn_holder,
                            std::optional<settled_conflict>& settled) {
  const question answered{from, token};
  for (std::size_t i = 0; i < conflicts_.size(); ++i) {
    auto& about = conflicts_[i];
    if (std::erase(about.asked, answered) == 0)
      continue;
    close(answered, "answered");
    normalise(reply);
    log_answer(about, answered, reply);
    log_->count_usage(from, reply.usage);
    disputes_->reject_writes(from, token, reply, turn_holder);
    count_vote(about, from, reply);
    settled = settle_votes(i, false);
    return conflicts_.empty() ? answer_kind::settled : answer_kind::counted;
  }
  if (std::ranges::find(closed_, answered) == closed_.end())
    return answer_kind::no_question;
  ++log_->counts().refused;
  log_->notify(from, token, "refused", "conflict_resolved");
  return answer_kind::too_late;
}

void open_conflicts::log_answer(const open_conflict& about,
                                const question& answered,
                                const protocol::reply& reply) {
  const auto& [who, token] = answered;
  log_->log_input(
    {.executor_kind = "agent",
     .input = about.kind == request_kind::vote ? "vote" : "escalation",
     .who = who_->name_of(who),
     .request_id = token,
     .reply = &reply});
  log_->log_reasons(who_->name_of(who), 0, token, reply);
}

void open_conflicts::count_vote(open_conflict& about, participant_index who,
                                const protocol::reply& reply) {
  if (reply.status != protocol::reply_status::completed || !reply.vote
      || reply.vote->conflict_id != to_string(about.id))
    return;
  const auto choice = find_participant(who_->scenario(),
                                       reply.vote->in_favour_of);
  if (choice != no_participant && takes_part(choice, about.by.who, about.found))
    about.votes.push_back({who, choice});
}

/// What the votes result in if there are no more.
resolution open_conflicts::outcome_of(const open_conflict& about) const {
  const bool votes = about.stage == conflict_strategy::voting;
  const auto later = std::ranges::count(about.votes, about.by.who,
                                        &ballot::in_favour_of);
  const auto earlier = std::ssize(about.votes) - later;
  if (later != earlier)
    return {.outcome = later > earlier ? resolution_kind::replace
                                       : resolution_kind::keep,
            .strategy = about.stage,
            .reason = votes ? "the majority of the votes"
                            : "the decision of the one who was asked"};
  return votes ? settle_tie(about.found, rank_of(*who_, about.by.who),
                            rank_of(*who_, about.found.authors))
               : undecided();
}

std::optional<settled_conflict> open_conflicts::settle_votes(std::size_t at,
                                                             bool over) {
  auto& about = conflicts_[at];
  const auto later = std::ranges::count(about.votes, about.by.who,
                                        &ballot::in_favour_of);
  const auto earlier = std::ssize(about.votes) - later;
  const auto missing = over ? 0 : std::ssize(about.asked);
  if (std::max(later, earlier) <= std::min(later, earlier) + missing
      && missing != 0)
    return std::nullopt;
  std::vector<participant_index> deciders;
  auto ruled = find_deciders(*who_, outcome_of(about), about.by.who,
                             about.found, deciders);
  if (ruled.outcome != resolution_kind::ask)
    return take(at, std::move(ruled));
  about.stage = ruled.strategy;
  withdraw(std::exchange(about.asked, {}), "others_decide");
  ask(about, deciders);
  return std::nullopt;
}

settled_conflict open_conflicts::take(std::size_t at, resolution ruled) {
  auto about = std::move(conflicts_[at]);
  conflicts_.erase(conflicts_.begin() + static_cast<std::ptrdiff_t>(at));
  withdraw(std::exchange(about.asked, {}), "conflict_resolved");
  return {std::move(about), std::move(ruled)};
}

std::optional<settled_conflict> open_conflicts::next_expired(std::size_t& at) {
  for (; at < conflicts_.size(); ++at) {
    const auto& about = conflicts_[at];
    if (about.expires_at > log_->now())
      continue;
    const auto id = to_string(about.id);
    log_->log_input({.input = about.kind == request_kind::vote
                                ? "vote_timed_out"
                                : "escalation_timed_out",
                     .reason = id});
    if (auto settled = settle_votes(at, true))
      return settled;
  }
  return std::nullopt;
}

std::optional<settled_conflict>
open_conflicts::next_without(participant_index lost, std::size_t& at) {
  for (; at < conflicts_.size(); ++at)
    if (std::erase_if(conflicts_[at].asked,
                      [&](const auto& q) { return q.to == lost; })
        > 0)
      if (auto settled = settle_votes(at, false))
        return settled;
  return std::nullopt;
}

std::optional<settled_conflict>
open_conflicts::next_closed(std::string_view reason) {
  if (conflicts_.empty())
    return std::nullopt;
  return take(0, {.reason = std::string{reason}});
}

void open_conflicts::close(const question& what, std::string_view reason) {
  if (!actions_->empty())
    actions_->close({what.to, what.token}, reason);
  closed_.push_back(what);
  if (closed_.size() > closed_questions_max)
    closed_.erase(closed_.begin());
}

void open_conflicts::withdraw(std::vector<question> all,
                              std::string_view reason) {
  for (const auto& one : all) {
    close(one, reason);
    log_->notify(one.to, one.token, "closed", std::string{reason});
  }
}

std::string_view open_conflicts::why_unsound() const {
  for (const auto& about : conflicts_)
    if (!about.found.current || !about.found.current->key
        || !resources_->find(name_of(about.what)))
      return "a conflict is about nothing";
  return {};
}

} // namespace convene::session
