#include <convene/actors/behaviours/turn_request.hpp>

namespace convene::actors {
namespace {

using session::participant_index;
using session::session_info;

/// Fills `to` from `from`, reusing the elements that are there.
template <class To, class From, class Copy>
void refill(std::vector<To>& to, const std::vector<From>& from, Copy copy) {
  to.resize(from.size());
  for (std::size_t i = 0; i < from.size(); ++i)
    copy(to[i], from[i]);
}

const std::string& id_of(const session_info& about, participant_index who) {
  static const std::string nobody;
  return who < about.participants.size()
           ? about.participants[who].participant_id
           : nobody;
}

void refill_answers(std::vector<answer_of_other>& to, const session_info& about,
                    const std::vector<session::response>& from) {
  refill(to, from, [&](answer_of_other& x, const session::response& y) {
    x.participant = id_of(about, y.participant);
    x.status = y.status;
    x.content = y.content;
  });
}

void refill_candidates(std::vector<candidate>& to, const session_info& about,
                       participant_index self) {
  const auto& all = about.participants;
  to.resize(all.size() - (self < all.size() ? 1 : 0));
  auto next = to.begin();
  for (participant_index i = 0; i < all.size(); ++i) {
    if (i == self)
      continue;
    next->participant = all[i].participant_id;
    next->role = all[i].role_id.value_or("");
    next->kind = all[i].kind;
    ++next;
  }
}

void assemble_decision(decision_request& into, const session_info& about,
                       const session::decision_view& view) {
  refill(into.ready, view.ready,
         [&](open_step& x, const session::ready_step& y) {
           x.step_id = y.step_id;
           x.description = y.description;
           x.agent_role = y.agent_role;
           x.assigned = id_of(about, y.assigned);
           x.attempts = y.attempts;
         });
  into.steps_total = view.steps_total;
  into.steps_open = view.steps_open;
  into.steps_failed = view.steps_failed;
  into.outstanding = view.outstanding;
  into.last_participant = id_of(about, view.last_participant);
  into.last_status = view.last_status;
  into.last_step_id = view.last_step_id;
  into.last_content = view.last_content;
  refill(into.also_closed, view.also_closed,
         [&](closed_turn& x, const session::closed_view& y) {
           x.participant = id_of(about, y.participant);
           x.status = y.status;
           x.step_id = y.step_id;
           x.content = y.content;
         });
  into.refused = view.refused;
  refill_answers(into.responses, about, view.responses);
  into.missed = view.missed;
}

void assemble_session(turn_request& into,
                      const std::shared_ptr<const session_info>& about) {
  into.about = about;
  into.session_id = about->session_id;
  into.title = about->title;
  into.purpose = about->purpose;
  into.mode = about->mode;
}

void assemble_self(turn_request& into, const session_info& about,
                   participant_index self) {
  into.participant = id_of(about, self);
  into.role.clear();
  if (self < about.participants.size() && about.participants[self].role_id)
    into.role = *about.participants[self].role_id;
  into.role_name.clear();
  if (self < about.role_names.size())
    into.role_name = about.role_names[self];
}

/// What sets the turn apart, if anything does.
void assemble_terms(turn_request& into, const session_info& about,
                    const session::turn_terms& terms) {
  into.limited = terms.limited;
  into.resources = terms.resources;
  if (!into.handoff.handoff_id.empty())
    into.handoff = {};
  if (terms.handoff_id.is_nil())
    return;
  into.handoff = {.handoff_id = to_string(terms.handoff_id),
                  .from = id_of(about, terms.handed_by),
                  .instructions = terms.instructions,
                  .reason = terms.reason};
}

dispute assemble_dispute(const session_info& about,
                         const session::conflict_view& view) {
  dispute made{.conflict_id = view.conflict_id,
               .resource_type = view.resource_type,
               .resource_id = view.resource_id};
  for (const auto& side : view.sides)
    made.sides.push_back(
      {id_of(about, side.participant), side.deleted, side.value});
  return made;
}

} // namespace

std::vector<dialog_entry> turn_request::dialog() const {
  std::vector<dialog_entry> all;
  for (const auto& entry : window.entries())
    all.push_back({about ? id_of(*about, entry.participant) : std::string{},
                   std::string{entry.content}, entry.at});
  return all;
}

std::vector<answer_of_other> turn_request::responses() const {
  std::vector<answer_of_other> all;
  if (about)
    refill_answers(all, *about, *earlier);
  return all;
}

void assemble(turn_request& into,
              const std::shared_ptr<const session_info>& about,
              participant_index self, const session::request& asked) {
  const bool decides = asked.kind == session::request_kind::decision;
  const bool decided = into.kind == session::request_kind::decision;
  if (decided && !decides)
    into.decide = {};
  into.kind = asked.kind;
  const bool same_session = into.about == about;
  if (!same_session)
    assemble_session(into, about);
  const bool same_one = same_session && into.participant == id_of(*about, self);
  if (!same_one)
    assemble_self(into, *about, self);
  into.task = asked.task;
  into.duty = asked.duty;
  into.step_id = asked.step_id;
  into.turn = asked.turn_number;
  into.round = asked.round;
  into.attempt = asked.attempt;
  into.sequence = asked.sequence;
  into.kind_sequence = asked.kind_sequence;
  const auto token = protocol::to_chars(asked.token);
  into.token.assign(token.data(), token.size());
  into.deadline = asked.expires_at;
  into.window = asked.dialog;
  into.workspace = asked.workspace;
  into.workspace_since = asked.workspace_since;
  into.earlier = asked.responses;
  into.missed = asked.missed;
  assemble_terms(into, *about, *asked.terms);
  if (!into.dispute.conflict_id.empty() || !asked.conflict->conflict_id.empty())
    into.dispute = assemble_dispute(*about, *asked.conflict);
  if (!decides)
    return;
  if (!same_one || !decided)
    refill_candidates(into.decide.participants, *about, self);
  assemble_decision(into.decide, *about, *asked.decide);
}

} // namespace convene::actors
