#include <convene/protocol/events/rules.hpp>
#include <convene/protocol/json/json_digest.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/session/machine/machine.hpp>
#include <convene/session/machine/turn_checks.hpp>
#include <convene/session/spec/activation.hpp>
#include <convene/session/spec/graph_size.hpp>
#include <convene/session/spec/normalise.hpp>

#include <algorithm>
#include <type_traits>
#include <utility>

namespace convene::session {

using protocol::collab_status;

protocol::result<std::unique_ptr<machine>>
machine::activate(session::spec what, const routing_policy& policy,
                  const protocol::uuid& key, const protocol::event_gate* gate) {
  fill_turn_timeout(what);
  auto who = make_roster(what);
  auto text = may_activate(what, who, policy);
  if (!text)
    return tl::unexpected(std::move(text).error());
  auto ending = what.options.end
                  ? make_ending(*what.options.end, "/session/end")
                  : protocol::result<session::ending>{};
  if (!ending)
    return tl::unexpected(std::move(ending).error());
  planned_work work{.plan = std::exchange(what.plan, std::nullopt),
                    .confirm = std::exchange(what.confirm, std::nullopt),
                    .tasks = std::exchange(what.tasks, {})};
  return std::unique_ptr<machine>{
    new machine{std::move(what), std::move(work), *std::move(text),
                std::move(who), *std::move(ending), policy, key, gate}};
}

machine::machine(session::spec what, planned_work work, spec_text text,
                 roster who, session::ending ending,
                 const routing_policy& policy, const protocol::uuid& key,
                 const protocol::event_gate* gate)
  : spec_(std::move(what)),
    spec_text_(std::make_unique<const spec_text>(std::move(text))),
    policy_(&policy), log_(key, spec_.collab.collab_id, gate),
    members_(spec_, std::move(who)),
    plan_(std::move(work), members_, log_, shared_), requests_(members_.size()),
    actions_(members_, log_, spec_.options.budget, spec_.digests),
    arbiter_(members_, log_, requests_, actions_, plan_, shared_),
    ending_(std::move(ending)), progress_(members_.size()),
    status_(spec_.collab.status) {
  // They concern those who run participants.
  spec_.behaviours = protocol::json::object{};
}

session_info machine::info() const {
  auto role_names = members_.who().role_names;
  role_names.resize(members_.size());
  return {.session_id = spec_.collab.collab_id,
          .title = spec_.collab.title,
          .purpose = spec_.collab.purpose,
          .mode = spec_.collab.mode,
          .participants = spec_.collab.participants,
          .role_names = std::move(role_names),
          .trace_context = spec_.trace_context};
}

bool machine::awaits(participant_index who,
                     const protocol::uuid& token) const noexcept {
  return !ended() && is_open({who, token});
}

void machine::feed(input in, effects& out) {
  std::visit([&](auto& what) { feed_one(in.now, std::move(what), out); },
             in.what);
}

void machine::feed(protocol::timestamp_ms now, answer&& what, effects& out) {
  feed_one(now, std::move(what), out);
}

template <class What>
void machine::feed_one(protocol::timestamp_ms now, What&& what, effects& out) {
  constexpr bool starts = std::is_same_v<What, start>;
  if (ended() || starts == started_) {
    ++log_.counts().refused;
    return;
  }
  log_.open(out, now);
  requests_.begin_input();
  actions_.begin_input(log_.has_gate());
  const standing before{.log = log_.here(),
                        .status = status_,
                        .shared = arbiter_.resources().view(),
                        .said = talk_.size(),
                        .recorded = graph_.recorded,
                        .had_plan = plan_.document() != nullptr};
  try {
    take(std::forward<What>(what));
  } catch (refused_event& refused) {
    undo(before);
    end_by_fault(std::move(refused.why));
  }
  log_.close();
}

template <class What>
void machine::take(What&& what) {
  // A fault undoes what had expired, too.
  if constexpr (!std::is_same_v<What, fault>)
    expire();
  if (ended())
    log_.counts().refused += std::is_same_v<What, tick> ? 0 : 1;
  else
    follow(on(std::forward<What>(what)));
  if (members_.has_people())
    note_waiting();
}

consequence machine::on(start&&) {
  started_ = true;
  started_at_ = log_.now();
  ends_by_ = started_at_ + spec_.options.max_duration_ms;
  const auto text = std::move(spec_text_);
  const auto& collab = spec_.collab;
  std::string digest;
  if (spec_.digests)
    digest = protocol::start_digest(protocol::rules,
                                    boost::json::value(protocol::rules_since),
                                    *protocol::parse_json(text->view()));
  log_.append(
    protocol::map_session_started{.mode = collab.mode,
                                  .policy = policy_->name,
                                  .participant_count = members_.size(),
                                  .context_id = collab.context_id,
                                  .title = collab.title,
                                  .purpose = collab.purpose,
                                  .session_key = log_.key(),
                                  .spec = text->view(),
                                  .spec_sha256 = digest,
                                  .initiator_role = members_.initiator_role(),
                                  .tasks = plan_.given().tasks,
                                  .tasks_text = text->tasks()});
  change_status(status_, collab_status::active);
  std::vector<protocol::role_assignment> assignments;
  for (participant_index i = 0; i < members_.size(); ++i)
    assignments.push_back({.who = members_.name_of(i),
                           .kind = collab.participants[i].kind,
                           .role_name = members_[i].role_name});
  log_.append(protocol::map_roles_assigned{assignments});
  talk_.add({.at = started_at_, .content = spec_.task});
  progress_.note_resumed(started_at_);
  const auto& given = plan_.given();
  log_.append(protocol::graph_opened{
    .graph_id = collab.context_id,
    .size = graph_size(spec_, given.plan ? &*given.plan : nullptr,
                       given.confirm ? &*given.confirm : nullptr)});
  arbiter_.open();
  plan_.open(policy_->needs_plan);
  return ask(occasion::started);
}

consequence machine::on(answer&& a) {
  if (a.from >= requests_.size()) {
    ++log_.counts().refused;
    return {};
  }
  const auto* open = requests_.find(a.from);
  switch (
    arbiter_.take_answer(a.from, a.token, a.reply, turn_.current_turn_holder)) {
    case answer_kind::no_question:
      break;
    case answer_kind::too_late:
    case answer_kind::counted:
      return {};
    case answer_kind::settled:
      return after_conflicts();
  }
  if (!checks::is_answered(open, a.token))
    return refuse(std::move(a));
  normalise(a.reply);
  switch (open->kind) {
    case request_kind::turn:
      return take_turn_answer(a.from, std::move(a.reply));
    case request_kind::broadcast:
      return take_broadcast_answer(a.from, std::move(a.reply));
    case request_kind::decision:
      return take_decision(a.from, std::move(a.reply));
    case request_kind::vote:
    case request_kind::escalation:
      break; // never open: see session/conflicts/open_conflicts.cpp
  }
  return {};
}

consequence machine::on(write_attempt&& w) {
  if (w.from >= requests_.size()) {
    ++log_.counts().refused;
    return {};
  }
  protocol::reply wrapped{.writes = {std::move(w.what)}};
  normalise(wrapped);
  if (wrapped.writes.empty()) {
    ++log_.counts().refused;
    log_.notify(w.from, w.token, "write_refused",
                std::move(wrapped.error.code));
    return {};
  }
  const auto& what = wrapped.writes.front();
  const auto* open = requests_.find(w.from);
  writing by{.who = w.from, .token = w.token, .input = true};
  if (checks::is_answered(open, w.token)
      && open->kind != request_kind::decision) {
    by.turn_number = open->turn_number;
    by.step = open->step;
    by.allowed = open->may_write;
    arbiter_.attempt(by, what);
    return {};
  }
  if (!note_violation(w.from))
    return after_violations(w.from);
  const bool stale = requests_.is_late(w.from, w.token);
  arbiter_.disputes().reject(
    by, what,
    stale
      ? conflict_with(turn_.current_turn_holder, "stale_token",
                      "the request had closed before the write came")
      : conflict_with(turn_.current_turn_holder, "exclusive_write_violation",
                      "the write names no live request of its sender"));
  return {};
}

consequence machine::on(claim_attempt&& c) {
  if (c.from >= requests_.size()) {
    ++log_.counts().refused;
    return {};
  }
  protocol::reply wrapped{.claim = {std::move(c.what)}};
  normalise(wrapped);
  if (wrapped.claim.empty() || policy_->takes_turns) {
    ++log_.counts().refused;
    log_.notify(c.from, c.token, "claim_refused",
                wrapped.claim.empty() ? wrapped.error.code
                                      : "claim_not_supported");
    return {};
  }
  const auto& what = wrapped.claim.front();
  const auto* open = requests_.find(c.from);
  writing by{.who = c.from, .token = c.token, .input = true};
  if (open != nullptr && open->token == c.token
      && open->kind == request_kind::turn) {
    by.turn_number = open->turn_number;
    by.allowed = open->may_write;
    arbiter_.attempt(by, what);
    return {};
  }
  if (!note_violation(c.from))
    return after_violations(c.from);
  const bool stale = requests_.is_late(c.from, c.token);
  arbiter_.disputes().reject(
    by, what,
    stale ? conflict_with(no_participant, "stale_token",
                          "the request had closed before the claim came")
          : conflict_with(no_participant, "exclusive_write_violation",
                          "the claim names no live request of its sender"));
  return {};
}

consequence machine::on(tick&&) {
  return {}; // what has expired is already closed
}

consequence machine::on(suspend&& s) {
  if (status_ != collab_status::active) {
    ++log_.counts().refused;
    return {};
  }
  normalise_reason(s.reason);
  log_simple_input("suspend", no_participant, s.reason);
  close_all("suspended", s.reason);
  briefing_.tell_again();
  record_session();
  change_status(status_, collab_status::suspended);
  suspended_at_ = log_.now();
  return {};
}

consequence machine::on(resume&&) {
  if (status_ != collab_status::suspended) {
    ++log_.counts().refused;
    return {};
  }
  log_simple_input("resume", no_participant, {});
  change_status(status_, collab_status::active);
  ends_by_ += log_.now() - suspended_at_;
  progress_.note_resumed(log_.now());
  // What it waited for was settled when it was suspended.
  if (auto held = arbiter_.take_held())
    // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): it moves
    return complete_by(*std::move(held));
  return ask(occasion::resumed);
}

consequence machine::on(cancel&& c) {
  normalise_reason(c.reason);
  log_simple_input("cancel", no_participant, c.reason);
  // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): it moves
  return cancel_by("cancelled", std::move(c.reason));
}

consequence machine::on(stop&& s) {
  normalise_reason(s.reason);
  log_simple_input("stop", no_participant, s.reason);
  stopped_ = std::move(s.reason);
  return status_ == collab_status::active ? why_over() : consequence{};
}

} // namespace convene::session
