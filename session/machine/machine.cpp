#include <convene/protocol/json/json_writer.hpp>
#include <convene/session/machine/append.hpp>
#include <convene/session/machine/faults.hpp>
#include <convene/session/machine/machine.hpp>
#include <convene/session/spec/activation.hpp>
#include <convene/session/spec/normalise.hpp>

#include <algorithm>
#include <utility>

namespace convene::session {

using protocol::collab_status;

protocol::result<std::unique_ptr<machine>>
machine::activate(session::spec what, const routing_policy& policy,
                  const protocol::uuid& key, const protocol::event_gate* gate) {
  auto who = make_roster(what);
  auto text = may_activate(what, who, policy);
  if (!text)
    return tl::unexpected(std::move(text).error());
  auto ending = what.options.end
                  ? make_ending(*what.options.end, "/session/end")
                  : protocol::result<session::ending>{};
  if (!ending)
    return tl::unexpected(std::move(ending).error());
  return std::unique_ptr<machine>{
    new machine{std::move(what), *std::move(text), std::move(who),
                *std::move(ending), policy, key, gate}};
}

machine::machine(session::spec what, protocol::byte_buffer text, roster who,
                 session::ending ending, const routing_policy& policy,
                 const protocol::uuid& key, const protocol::event_gate* gate)
  : spec_(std::move(what)), spec_text_(std::move(text)), policy_(&policy),
    gate_(gate), key_(key), roster_(std::move(who)), ending_(std::move(ending)),
    progress_(spec_.collab.participants.size()), can_act_(roster_.acting) {
  for (std::size_t i = 0; i < spec_.collab.participants.size(); ++i) {
    const auto& p = spec_.collab.participants[i];
    participants_.push_back(
      {.id = p.participant_id,
       .role = p.role_id ? std::string_view{*p.role_id} : std::string_view{},
       .role_name = roster_.role_names[i],
       .acting = p.kind != protocol::participant_kind::system});
  }
  slots_.resize(participants_.size());
}

session_info machine::info() const {
  return {.session_id = spec_.collab.collab_id,
          .title = spec_.collab.title,
          .purpose = spec_.collab.purpose,
          .mode = spec_.collab.mode,
          .participants = spec_.collab.participants,
          .role_names = roster_.role_names};
}

void machine::feed(input in, effects& out) {
  const bool starts = std::holds_alternative<start>(in.what);
  if (ended() || starts == started_) {
    ++tally_.refused;
    return;
  }
  now_ = std::clamp(in.now, now_, protocol::timestamp_max);
  out_ = &out;
  const auto before = now_at();
  try {
    take(std::move(in));
  } catch (refused_event& refused) {
    undo(before);
    end_by_fault(std::move(refused.why));
  }
  out_ = nullptr;
}

void machine::take(input&& in) {
  // A fault undoes what had expired, too.
  if (!std::holds_alternative<fault>(in.what))
    expire();
  if (ended())
    tally_.refused += std::holds_alternative<tick>(in.what) ? 0 : 1;
  else
    std::visit([this](auto&& what) { on(std::move(what)); },
               std::move(in.what));
}

void machine::on(start&&) {
  started_ = true;
  started_at_ = now_;
  ends_by_ = now_ + spec_.options.max_duration_ms;
  const auto text = std::move(spec_text_);
  const auto& collab = spec_.collab;
  append(
    protocol::map_session_started{.mode = collab.mode,
                                  .policy = policy_->name,
                                  .participant_count = participants_.size(),
                                  .context_id = collab.context_id,
                                  .title = collab.title,
                                  .purpose = collab.purpose,
                                  .session_key = key_,
                                  .spec = text.view(),
                                  .initiator_role = initiator_role()});
  // They concern those who run participants.
  spec_.behaviours = protocol::json::object{};
  change_status(spec_.collab.status, collab_status::active);
  std::vector<protocol::role_assignment> assignments;
  for (participant_index i = 0; i < participants_.size(); ++i)
    assignments.push_back({.who = name_of(i),
                           .kind = collab.participants[i].kind,
                           .role_name = roster_.role_names[i]});
  append(protocol::map_roles_assigned{assignments});
  talk_.add({.at = now_, .content = spec_.task});
  progress_.note_resumed(now_);
  open_workspace();
  open_plan();
  ask(occasion::started);
}

void machine::on(answer&& a) {
  if (a.from >= slots_.size()) {
    ++tally_.refused;
    return;
  }
  const auto& open = slots_[a.from].open;
#ifdef CONVENE_MUTANTS
  if (!open && misbehave(a))
    return;
#endif
  if (take_question_answer(a))
    return;
  if (!open || (open->token != a.token && !off(mutant::token_check))) {
    refuse(std::move(a));
    return;
  }
  normalise(a.reply);
  switch (open->kind) {
    case request_kind::turn:
      take_turn_answer(a.from, std::move(a.reply));
      return;
    case request_kind::broadcast:
      take_broadcast_answer(a.from, std::move(a.reply));
      return;
    case request_kind::decision:
      take_decision(a.from, std::move(a.reply));
      return;
    case request_kind::vote:
    case request_kind::escalation:
      return; // never open: see votes.cpp
  }
}

void machine::on(tick&&) {
  // What has expired is already closed.
}

void machine::on(suspend&& s) {
  if (status() != collab_status::active) {
    ++tally_.refused;
    return;
  }
  normalise_reason(s.reason);
  log_simple_input("suspend", no_participant, s.reason);
  close_all("suspended", s.reason);
  tell_again();
  change_status(spec_.collab.status, collab_status::suspended);
  suspended_at_ = now_;
}

void machine::on(resume&&) {
  if (status() != collab_status::suspended) {
    ++tally_.refused;
    return;
  }
  log_simple_input("resume", no_participant, {});
  change_status(spec_.collab.status, collab_status::active);
  ends_by_ += now_ - suspended_at_;
  progress_.note_resumed(now_);
  // What it waited for was settled when it was suspended.
  if (auto held = std::exchange(shared_.held_end, std::nullopt))
    return apply(*std::move(held));
  ask(occasion::resumed);
}

void machine::on(cancel&& c) {
  normalise_reason(c.reason);
  log_simple_input("cancel", no_participant, c.reason);
  end(false, "cancelled", std::move(c.reason));
}

void machine::on(stop&& s) {
  normalise_reason(s.reason);
  log_simple_input("stop", no_participant, s.reason);
  stopped_ = std::move(s.reason);
  if (status() == collab_status::active)
    static_cast<void>(end_if_over());
}

void machine::end(bool success, std::string_view condition,
                  std::string observed, std::int64_t limit) {
  close_all("session_ended", condition);
  shared_.held_end.reset();
  close_plan();
  finish(success, condition, std::move(observed), limit);
}

} // namespace convene::session
