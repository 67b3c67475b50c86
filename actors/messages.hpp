#pragma once

#include <caf/error.hpp>
#include <caf/meta/load_callback.hpp>
#include <caf/meta/type_name.hpp>
#include <caf/typed_actor.hpp>
#include <caf/variant.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/session/machine/input.hpp>
#include <convene/session/requests/request.hpp>

#include <functional>
#include <string>
#include <utility>

// What actors send each other. Everything is a value that can cross a node, so
// that participants may live elsewhere. `add_messages` registers them all.

namespace caf {
class actor_system_config;
}

namespace convene::protocol {

template <class Inspector>
auto inspect(Inspector& f, uuid& x) {
  return f(caf::meta::type_name("uuid"), x.high, x.low);
}

template <class Inspector>
auto inspect(Inspector& f, resource_ref& x) {
  return f(caf::meta::type_name("resource_ref"), x.resource_type,
           x.resource_id);
}

template <class Inspector>
auto inspect(Inspector& f, error& x) {
  return f(caf::meta::type_name("error"), x.code, x.message, x.file, x.pointer,
           x.rule, x.value, x.line, x.column);
}

} // namespace convene::protocol

namespace convene::actors {

/// A workspace in JSON and back, for the wire.
[[nodiscard]] std::string workspace_to_text(const session::workspace_view& of);
[[nodiscard]] caf::error workspace_from_text(const std::string& text,
                                             session::workspace_view& into);
[[nodiscard]] std::string value_to_text(const protocol::json::value& of);
[[nodiscard]] caf::error value_from_text(const std::string& text,
                                         protocol::json::value& into);

} // namespace convene::actors

namespace convene::actors {

/// Actions and what came of them in their JSON form and back, for the wire.
[[nodiscard]] std::string action_to_text(const protocol::action& of);
[[nodiscard]] caf::error action_from_text(const std::string& text,
                                          protocol::action& into);
[[nodiscard]] std::string result_to_text(const protocol::action_result& of);
[[nodiscard]] caf::error result_from_text(const std::string& text,
                                          protocol::action_result& into);

} // namespace convene::actors

namespace convene::session {

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, recorded_action& x) {
  std::string what;
  std::string result;
  if constexpr (Inspector::reads_state) {
    what = actors::action_to_text(x.what);
    result = actors::result_to_text(x.result);
  }
  auto load = [&]() -> caf::error {
    if (auto bad = actors::action_from_text(what, x.what))
      return bad;
    return actors::result_from_text(result, x.result);
  };
  return f(caf::meta::type_name("recorded_action"), what, x.attempt, x.ended,
           result, caf::meta::load_callback(load));
}

template <class Inspector>
auto inspect(Inspector& f, recorded_actions& x) {
  return f(caf::meta::type_name("recorded_actions"), x.first_token, x.all);
}

template <class Inspector>
auto inspect(Inspector& f, response& x) {
  return f(caf::meta::type_name("response"), x.participant, x.status,
           x.content);
}

template <class Inspector>
auto inspect(Inspector& f, ready_step& x) {
  return f(caf::meta::type_name("ready_step"), x.step_id, x.description,
           x.agent_role, x.assigned, x.attempts);
}

template <class Inspector>
auto inspect(Inspector& f, closed_view& x) {
  return f(caf::meta::type_name("closed_view"), x.participant, x.status,
           x.step_id, x.content);
}

template <class Inspector>
auto inspect(Inspector& f, turn_terms& x) {
  return f(caf::meta::type_name("turn_terms"), x.limited, x.resources,
           x.handoff_id, x.handed_by, x.depth, x.instructions, x.reason);
}

template <class Inspector>
auto inspect(Inspector& f, decision_view& x) {
  return f(caf::meta::type_name("decision_view"), x.ready, x.steps_total,
           x.steps_open, x.steps_failed, x.outstanding, x.last_participant,
           x.last_status, x.last_step_id, x.last_content, x.also_closed,
           x.refused, x.responses, x.missed.answered, x.missed.needed);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, conflict_side& x) {
  std::string text;
  if constexpr (Inspector::reads_state)
    text = actors::value_to_text(x.value);
  auto load = [&] { return actors::value_from_text(text, x.value); };
  return f(caf::meta::type_name("conflict_side"), x.participant, x.deleted,
           text, caf::meta::load_callback(load));
}

template <class Inspector>
auto inspect(Inspector& f, conflict_view& x) {
  return f(caf::meta::type_name("conflict_view"), x.conflict_id,
           x.resource_type, x.resource_id, x.sides);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, request& x) {
  auto decide = *x.decide;
  auto conflict = *x.conflict;
  auto responses = *x.responses;
  auto terms = *x.terms;
  auto actions = *x.actions;
  std::string workspace;
  if constexpr (Inspector::reads_state)
    workspace = actors::workspace_to_text(x.workspace);
  auto load = [&]() -> caf::error {
    x.decide = std::move(decide);
    x.conflict = std::move(conflict);
    x.responses = std::move(responses);
    x.terms = std::move(terms);
    x.actions = std::move(actions);
    return actors::workspace_from_text(workspace, x.workspace);
  };
  return f(caf::meta::type_name("request"), x.kind, x.token, x.turn_number,
           x.sequence, x.kind_sequence, x.round, x.attempt, x.expires_at,
           x.task, x.duty, x.step_id, terms, x.dialog, responses,
           x.missed.answered, x.missed.needed, decide, conflict, workspace,
           x.workspace_since, actions, caf::meta::load_callback(load));
}

} // namespace convene::session

namespace convene::actors {

/// Participant to session: the answer to a request, in the form in which the
/// machine takes it. The session compares `from` with the sender.
struct reply_msg {
  session::answer what;
};

/// Participant to session: writes and claims before the answer to the request
/// that `token` names; nothing else of `what` counts.
struct write_msg {
  session::participant_index from = session::no_participant;
  protocol::uuid token;
  protocol::reply what;
};

/// Participant to session: an attempt at an action wants to begin, for the
/// request that `token` names. Answered by a notice, `action_started` or
/// `action_refused`.
struct action_begin_msg {
  session::participant_index from = session::no_participant;
  protocol::uuid token;
  protocol::action what;
  std::uint32_t attempt = 1;
};

/// Participant to session: what came of an attempt.
struct action_end_msg {
  session::participant_index from = session::no_participant;
  protocol::uuid token;
  std::string position;
  std::uint32_t attempt = 1;
  protocol::action_result result;
};

/// Participant to itself, later: an attempt at this action is over, or the next
/// one is due.
struct action_due_msg {
  protocol::uuid token;
  std::string position;
  std::int64_t delay_ms = 0; ///< above 0: not yet
  std::uint64_t run = 0;     ///< as `turn_actions::due` has it
};

/// Participant to itself: no participant can continue its session.
struct cancel_session_msg {
  std::string reason;
};

/// Participant to itself, from wherever its turn goes on: what that has for the
/// session, or an action that is due. One type, as each that an actor takes
/// costs memory in every actor.
struct from_turn_msg {
  caf::variant<reply_msg, write_msg, action_begin_msg, action_end_msg,
               action_due_msg, cancel_session_msg>
    what;
};

/// Session to participant: what became of a request; wants no answer.
struct notice_msg {
  protocol::uuid token;
  std::string what; ///< as `session::notice` has it, like the rest
  std::string reason;
  std::string position;
};

/// To a session, from outside.
struct control {
  enum class verb : std::uint8_t {
    start,
    suspend,
    resume,
    cancel,
    stop,
    resume_from_log, ///< instead of start: a session that its log left standing
    leave,   ///< suspend, and end the actor: somebody will go on from the log
    fail,    ///< end with a fault: what it was about to do cannot be done
    halt,    ///< end the actor as a process that dies would, without an event
    let_go,  ///< likewise, and report no end: another process has the session
    message, ///< say something that is no answer
  };

  verb what = verb::start;
  std::string reason;              ///< of a message: its content
  std::string participant_id = {}; ///< of a message: who says it; may be empty
  /// Of a message: called once it was taken, in memory, or refused. Stays in
  /// this process.
  std::function<void(protocol::result<void>)> then = {};
};

/// Session to itself, later: this participant is to be started again.
struct comeback {
  session::participant_index who = session::no_participant;
};

/// Timekeeper to session: a deadline it asked for has come.
struct time_passed {
  bool operator==(const time_passed&) const = default;
};

/// From the sink, to a session: what waited for its events to be kept, up to
/// this number, waits no more.
struct events_durable {
  std::uint64_t up_to = 0;
  bool failed = false; ///< they are not, and nothing will be
  protocol::error why; ///< then
};

/// A reply in its JSON form and back, for the wire.
[[nodiscard]] std::string reply_to_text(const protocol::reply& reply);
[[nodiscard]] caf::error reply_from_text(const std::string& text,
                                         protocol::reply& into);

/// What names a request and carries a reply.
template <class Inspector, class What>
typename Inspector::result_type
inspect_reply(Inspector& f, const char* name, What& x, protocol::reply& reply) {
  std::string text;
  if constexpr (Inspector::reads_state)
    text = reply_to_text(reply);
  auto load = [&] { return reply_from_text(text, reply); };
  return f(caf::meta::type_name(name), x.from, x.token, text,
           caf::meta::load_callback(load));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, reply_msg& x) {
  return inspect_reply(f, "reply_msg", x.what, x.what.reply);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, write_msg& x) {
  return inspect_reply(f, "write_msg", x, x.what);
}

template <class Inspector>
auto inspect(Inspector& f, notice_msg& x) {
  return f(caf::meta::type_name("notice_msg"), x.token, x.what, x.reason,
           x.position);
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, action_begin_msg& x) {
  std::string text;
  if constexpr (Inspector::reads_state)
    text = action_to_text(x.what);
  auto load = [&] { return action_from_text(text, x.what); };
  return f(caf::meta::type_name("action_begin_msg"), x.from, x.token, text,
           x.attempt, caf::meta::load_callback(load));
}

template <class Inspector>
typename Inspector::result_type inspect(Inspector& f, action_end_msg& x) {
  std::string text;
  if constexpr (Inspector::reads_state)
    text = result_to_text(x.result);
  auto load = [&] { return result_from_text(text, x.result); };
  return f(caf::meta::type_name("action_end_msg"), x.from, x.token, x.position,
           x.attempt, text, caf::meta::load_callback(load));
}

template <class Inspector>
auto inspect(Inspector& f, action_due_msg& x) {
  return f(caf::meta::type_name("action_due_msg"), x.token, x.position,
           x.delay_ms, x.run);
}

template <class Inspector>
auto inspect(Inspector& f, cancel_session_msg& x) {
  return f(caf::meta::type_name("cancel_session_msg"), x.reason);
}

template <class Inspector>
auto inspect(Inspector& f, from_turn_msg& x) {
  return f(caf::meta::type_name("from_turn_msg"), x.what);
}

template <class Inspector>
auto inspect(Inspector& f, control& x) {
  return f(caf::meta::type_name("control"), x.what, x.reason);
}

template <class Inspector>
auto inspect(Inspector& f, comeback& x) {
  return f(caf::meta::type_name("comeback"), x.who);
}

template <class Inspector>
auto inspect(Inspector& f, time_passed&) {
  return f(caf::meta::type_name("time_passed"));
}

template <class Inspector>
auto inspect(Inspector& f, events_durable& x) {
  return f(caf::meta::type_name("events_durable"), x.up_to, x.failed, x.why);
}

/// Runs one session.
using session_actor
  = caf::typed_actor<caf::reacts_to<reply_msg>, caf::reacts_to<write_msg>,
                     caf::reacts_to<action_begin_msg>,
                     caf::reacts_to<action_end_msg>, caf::reacts_to<control>,
                     caf::reacts_to<comeback>, caf::reacts_to<time_passed>,
                     caf::reacts_to<events_durable>>;

/// Answers for one participant. Requests come with their age in ms: above 0
/// they are made again, after a restart. All but requests and notices come from
/// itself, later.
using participant_actor
  = caf::typed_actor<caf::reacts_to<session::request, std::int64_t>,
                     caf::reacts_to<notice_msg>, caf::reacts_to<from_turn_msg>>;

/// Registers the messages with CAF. Before the actor system is made.
void add_messages(caf::actor_system_config& config);

} // namespace convene::actors
