// Inputs that name no live request of their sender: they change nothing, and
// the log says so until there have been too many.

#include <convene/protocol/events/event_encoder.hpp>
#include <convene/session/machine/machine.hpp>
#include <convene/session/spec/normalise.hpp>

#include <utility>

namespace convene::session {

using protocol::operator""_m;

bool machine::note_violation(participant_index who) {
  if (requests_.note_violation(who))
    return true;
  ++log_.counts().refused;
  return false;
}

consequence machine::after_violations(participant_index who) {
  const auto* open = requests_.find(who);
  if (open == nullptr || open->kind != request_kind::turn)
    return {};
  const auto step
    = close_turn(who, turn_status::failed, nullptr, "too_many_violations",
                 "answered too often with a token that is not live")
        .step;
  return ask(occasion::turn_closed,
             {.participant = who, .status = turn_status::failed, .step = step});
}

consequence machine::refuse(answer&& late) {
  const auto who = late.from;
  const bool stale = requests_.is_late(who, late.token);
  const auto* const kind = stale ? "stale_token" : "exclusive_write_violation";
  log_.notify(who, late.token, "refused", kind);
  if (!note_violation(who))
    return after_violations(who);
  ++log_.counts().conflicts;
  normalise(late.reply);
  const auto id = log_.next_id();
  const auto presented = to_string(late.token);
  protocol::byte_buffer details;
  {
    protocol::json_writer out{details};
    protocol::event_encoder{out}.members([&](protocol::event_encoder& v) {
      v.constant("input"_m, "answer"_m);
      v.text("participant_id"_m, members_[who].id);
      v.text("presented_token"_m, presented);
      v.reply("reply"_m, &late.reply);
    });
  }
  std::vector<protocol::actor_name> sides{members_.name_of(who)};
  const auto holder = turn_.current_turn_holder;
  if (holder != no_participant && holder != who)
    sides.push_back(members_.name_of(holder));
  log_.append(protocol::map_conflict_detected{.conflict_id = id,
                                              .resource_type = "token",
                                              .resource_id = presented,
                                              .conflicting = sides,
                                              .conflict_type = kind,
                                              .details = details.view()});
  log_.append(protocol::map_conflict_resolved{
    .conflict_id = id,
    .resolution_strategy = "reject",
    .winner = sides.size() > 1 ? sides.back() : protocol::actor_name{},
    .reason = stale ? "the request had closed before the answer came"
                    : "the answer names no live request of its sender"});
  return {};
}

} // namespace convene::session
