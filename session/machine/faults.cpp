// An event that its gate refuses never gets on the log: the input that led to
// it is undone, and the session ends with a fault.

#include <convene/session/machine/machine.hpp>
#include <convene/session/spec/normalise.hpp>

#include <utility>

namespace convene::session {

void machine::undo(const standing& before) {
  // Open again is what was open before: not what was issued since, but what
  // was closed since and not issued since as well.
  requests_.undo([&](const protocol::uuid& token) {
    return log_.delivered_since(before.log, token);
  });
  actions_.undo();
  log_.rewind(before.log);
  outcome_.reset();
  status_ = before.status;
  arbiter_.show_again(before.shared);
  talk_.truncate(before.said);
  graph_.recorded = before.recorded;
  if (!before.had_plan)
    plan_.forget();
}

void machine::end_by_fault(std::string why) {
  constexpr std::string_view condition = "fault";
  normalise_reason(why);
  log_.omit_refused();
  // Where not even the session's first event was good, there is no log.
  const bool has_log = !log_.is_blank();
  const auto before = log_.here();
  log_simple_input("fault", no_participant, why);
  requests_.abandon([&](participant_index who, const open_request& open) {
    const auto duration_ms = log_.now() - open.issued_at;
    actions_.close({who, open.token}, "session_ended");
    if (open.kind == request_kind::turn)
      log_.append(protocol::map_turn_completed{.who = members_.name_of(who),
                                               .turn_number = open.turn_number,
                                               .token_id = open.token,
                                               .status = "cancelled",
                                               .duration_ms = duration_ms,
                                               .error_code = "session_ended",
                                               .error_message = condition});
    if (open.kind == request_kind::broadcast) {
      ++log_.counts().receipts;
      log_.append(
        protocol::map_broadcast_received{.receiver = members_.name_of(who),
                                         .broadcast_ref = open.token,
                                         .status = "failed",
                                         .duration_ms = duration_ms,
                                         .error_code = "session_ended",
                                         .error_message = condition});
    }
    log_.notify(who, open.token, "closed", "session_ended");
  });
  actions_.close_all("session_ended");
  static_cast<void>(handoffs_.take_all());
  round_.drop();
  finish(
    {.success = false, .condition = condition, .observed = std::move(why)});
  if (!has_log)
    log_.drop_events(before);
}

consequence machine::on(fault&& f) {
  end_by_fault(std::move(f.reason));
  return {};
}

} // namespace convene::session
