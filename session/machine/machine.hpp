#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/session/actions/action_book.hpp>
#include <convene/session/conflicts/arbiter.hpp>
#include <convene/session/ending/ending.hpp>
#include <convene/session/journal/effects.hpp>
#include <convene/session/journal/journal.hpp>
#include <convene/session/journal/tally.hpp>
#include <convene/session/machine/consequence.hpp>
#include <convene/session/machine/graph_record.hpp>
#include <convene/session/machine/input.hpp>
#include <convene/session/orchestration/briefing.hpp>
#include <convene/session/orchestration/decisions.hpp>
#include <convene/session/orchestration/handoff_queue.hpp>
#include <convene/session/planning/plan_runner.hpp>
#include <convene/session/requests/broadcast_round.hpp>
#include <convene/session/requests/request_table.hpp>
#include <convene/session/routing/policy.hpp>
#include <convene/session/spec/membership.hpp>
#include <convene/session/spec/spec.hpp>

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace convene::session {

struct report;

/// The core of a session: pure and deterministic. Takes one input at a time and
/// returns what is to be done; reads no clock, draws no random numbers, sends
/// nothing. It owns turn tokens, limits and events; the policy decides who is
/// asked next.
///
/// In a turn-taking session at most one token is live, or several whose turns
/// name disjoint resources. Every dispatched turn is completed exactly once. A
/// session has exactly one MAPSessionCompleted and nothing after it.
class machine {
public:
  /// Checks the activation rules (session/spec/activation.hpp). All ids of the
  /// session are derived from `key`. The policy and `gate`, if given, must
  /// outlive the machine. An input that leads to an event refused by `gate` is
  /// undone, and the session ends as with a `fault`.
  [[nodiscard]] static protocol::result<std::unique_ptr<machine>>
  activate(session::spec what, const routing_policy& policy,
           const protocol::uuid& key,
           const protocol::event_gate* gate = nullptr);

  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;

  /// Total: an inadmissible input is refused, on the log if it comes from a
  /// participant, otherwise by the counter `refused`. Appends to `out`.
  void feed(input in, effects& out);
  /// The same for an answer, the most frequent input, without a copy.
  void feed(protocol::timestamp_ms now, answer&& what, effects& out);

  /// The latest time for the next `tick`, if one is due. May be early, never
  /// late.
  [[nodiscard]] CONVENE_API std::optional<protocol::timestamp_ms>
  next_deadline() const;

  [[nodiscard]] protocol::collab_status status() const noexcept {
    return status_;
  }
  [[nodiscard]] bool ended() const noexcept {
    return outcome_.has_value();
  }
  [[nodiscard]] const std::optional<session::outcome>& result() const noexcept {
    return outcome_;
  }
  /// TurnState of the protocol.
  [[nodiscard]] const turn_state& turn() const noexcept {
    return turn_;
  }
  /// How many requests are unanswered.
  [[nodiscard]] std::size_t open_requests() const noexcept {
    return requests_.open().size();
  }
  [[nodiscard]] const tally& counts() const noexcept {
    return log_.counts();
  }
  [[nodiscard]] const usage_by_participant& used_by() const noexcept {
    return log_.used_by();
  }
  /// As activated, without what only the start needs: plan, confirm, tasks and
  /// behaviours. Never changes.
  [[nodiscard]] const session::spec& spec() const noexcept {
    return spec_;
  }
  [[nodiscard]] const roster& who() const noexcept {
    return members_.who();
  }
  /// The current plan; null: the session has none.
  [[nodiscard]] const protocol::plan* plan() const noexcept {
    return plan_.document();
  }
  /// The Confirm that approved the plan, if any.
  [[nodiscard]] const protocol::boxed<protocol::confirm>&
  confirm() const noexcept {
    return plan_.confirm();
  }
  /// The complete dialog.
  [[nodiscard]] const dialog_window& talk() const noexcept {
    return talk_.all();
  }
  /// The shared resources.
  [[nodiscard]] const session::workspace& workspace() const noexcept {
    return arbiter_.resources();
  }
  /// The conditions awaiting verdicts from the application.
  [[nodiscard]] std::vector<std::string> custom_conditions() const {
    return ending_.customs();
  }
  [[nodiscard]] protocol::timestamp_ms started_at() const noexcept {
    return started_at_;
  }
  [[nodiscard]] protocol::timestamp_ms last_at() const noexcept {
    return log_.now();
  }
  [[nodiscard]] const protocol::uuid& key() const noexcept {
    return log_.key();
  }

  /// What participants need to know about the session.
  [[nodiscard]] CONVENE_API session_info info() const;

  /// Whether `who` has an open request with this token: it is unanswered and
  /// not known to have expired.
  [[nodiscard]] CONVENE_API bool
  awaits(participant_index who, const protocol::uuid& token) const noexcept;

  /// What the participant of an open request has done so far, for the request
  /// to be made again; absent: nothing.
  [[nodiscard]] CONVENE_API protocol::shared_value<recorded_actions>
  actions_of(participant_index who, const protocol::uuid& token) const {
    return actions_.recorded({who, token});
  }

  /// Whether a message is taken. Rules: `session_ended`, `participant_unknown`,
  /// `message_sender`, `message_empty`, `message_bytes_max`, `dialog_full`.
  [[nodiscard]] CONVENE_API protocol::result<void>
  may_take(const message& what) const;

  static constexpr std::size_t message_bytes_max = std::size_t{64} << 10;
  /// Of a session's dialog, from which on it takes no further messages.
  static constexpr std::size_t dialog_messages_max = 10'000;
  static constexpr std::size_t dialog_bytes_max = std::size_t{64} << 20;

  /// How long a participant has for a request.
  [[nodiscard]] std::int64_t timeout_of(participant_index who) const noexcept {
    return members_.timeout_of(who);
  }

  /// Whether a participant is lost and has not returned.
  [[nodiscard]] bool is_lost(participant_index who) const noexcept {
    return members_[who].lost;
  }

  /// From now on, events must pass `gate`, which must outlive the machine;
  /// null: all events pass. For a machine created without one for replay.
  void pass_through(const protocol::event_gate* gate) noexcept {
    log_.pass_through(gate);
  }

  /// What conditions are checked against, as it is after the last input. Valid
  /// until the next one.
  [[nodiscard]] CONVENE_API observation observe() const;

  /// For snapshots (session/snapshot/): lists the members they save.
  template <class Self, class F>
  static void fields(Self& x, F& f);

  /// For snapshots: the workspace revision shown by the oldest open request,
  /// else the current one. Changes from there on must remain available.
  [[nodiscard]] std::uint64_t oldest_view() const noexcept {
    return requests_.empty() ? arbiter_.resources().view().revision()
                             : requests_.oldest_revision();
  }

  /// For snapshots: the record of the dialog.
  [[nodiscard]] const dialog_record& record() const noexcept {
    return talk_;
  }

  /// For loaded snapshots: why no session can be in this state; empty: one can.
  [[nodiscard]] std::string_view why_unsound() const;

private:
  friend report make_report(std::unique_ptr<machine> left);

  machine(session::spec what, planned_work work, spec_text text, roster who,
          session::ending ending, const routing_policy& policy,
          const protocol::uuid& key, const protocol::event_gate* gate);

  // machine.cpp: inputs from outside
  template <class What>
  void feed_one(protocol::timestamp_ms now, What&& what, effects& out);
  template <class What>
  void take(What&& what);
  [[nodiscard]] consequence on(start&&);
  [[nodiscard]] consequence on(answer&&);
  [[nodiscard]] consequence on(write_attempt&&);
  [[nodiscard]] consequence on(claim_attempt&&);
  [[nodiscard]] consequence on(tick&&);
  [[nodiscard]] consequence on(suspend&&);
  [[nodiscard]] consequence on(resume&&);
  [[nodiscard]] consequence on(cancel&&);
  [[nodiscard]] consequence on(stop&&);
  [[nodiscard]] consequence on(verdict&&);
  [[nodiscard]] consequence on(fault&&);
  void log_simple_input(std::string_view what, participant_index who,
                        std::string_view reason) {
    log_.log_input(
      {.input = what, .who = members_.name_of(who), .reason = reason});
  }

  // messages.cpp
  [[nodiscard]] consequence on(message&&);

  // acting.cpp: what participants do outside
  [[nodiscard]] consequence on(action_begins&&);
  [[nodiscard]] consequence on(action_ends&&);
  [[nodiscard]] consequence on(forked&&);
  [[nodiscard]] bool is_open(const held_request& what) const noexcept;
  [[nodiscard]] bool may_spend(const protocol::usage& used) const noexcept;
  [[nodiscard]] request_purpose purpose_of(participant_index who,
                                           const open_request& open) const;
  void close_actions(participant_index who, std::string_view reason);

  // departures.cpp: participants lost or returned
  [[nodiscard]] consequence on(participant_down&&);
  [[nodiscard]] consequence on(participant_up&&);
  [[nodiscard]] consequence without(const participant_down& lost);

  // following.cpp: what follows from an input, and from time
  void follow(consequence next);
  void expire();
  [[nodiscard]] protocol::timestamp_ms ends_at() const noexcept;
  void note_waiting();
  [[nodiscard]] consequence time_out(participant_index who);
  [[nodiscard]] consequence after_conflicts();
  void end(complete&& how);
  void finish(complete&& how);
  void record_session();

  // faults.cpp: refused events
  /// Where an input began.
  struct standing {
    journal::mark log;
    protocol::collab_status status;
    workspace_view shared;
    std::size_t said;
    graph_record::extent recorded;
    bool had_plan;
  };
  void undo(const standing& before);
  void end_by_fault(std::string why);

  // stop_checks.cpp: guards, and the scenario's conditions
  [[nodiscard]] consequence why_over(const protocol::usage& used);
  [[nodiscard]] consequence why_over() {
    return why_over(counts().usage);
  }
  [[nodiscard]] consequence why_over_meanwhile();

  // routing.cpp: what the policy decides
  [[nodiscard]] consequence consult_policy(const consequence& asked);
  [[nodiscard]] consequence carry_out(ruling&& answer);
  [[nodiscard]] consequence apply(dispatch&&);
  [[nodiscard]] consequence apply(broadcast&&);
  [[nodiscard]] consequence apply(consult&&);
  [[nodiscard]] consequence apply(close_step&&);
  [[nodiscard]] consequence apply(complete&&);
  [[nodiscard]] consequence policy_fault(std::string_view what) const;
  void send_broadcast(const protocol::uuid& id, broadcast&& what,
                      std::span<const participant_index> targets);
  [[nodiscard]] decision_view decision_request();

  // turns.cpp: giving turns, and handing them on
  void give_turn(dispatch&& d, const step_changes& changes);
  [[nodiscard]] std::vector<held_turn> held_turns() const;
  [[nodiscard]] bool may_open(const turn_terms& terms) const;
  void remember_holder();
  /// For a reply that has one.
  [[nodiscard]] std::optional<protocol::reply_error>
  why_no_handoff(participant_index from, const protocol::reply& reply,
                 participant_index& to) const;
  void hand_off(participant_index from, participant_index to,
                const open_request& held, const protocol::handoff& what);
  void begin_handoff(dispatch& next, turn_terms terms,
                     const protocol::uuid& token, std::uint32_t turn_number);
  [[nodiscard]] consequence hand_on();
  void lose_receiver(participant_index who);

  // closing.cpp: issuing and closing requests
  void issue(participant_index to, open_request&& what, request& message);
  /// Both are as `request_table::close`.
  const open_request& forget(participant_index who, std::string_view reason);
  const open_request& close_turn(participant_index who, turn_status status,
                                 const protocol::reply* reply,
                                 std::string_view error_code,
                                 std::string_view error_message);
  /// Whether there is an orchestrator; without one, nobody is ever briefed.
  [[nodiscard]] bool is_led() const noexcept {
    return members_.who().orchestrator != no_participant;
  }
  void remember_closed(participant_index who, std::string_view status,
                       std::string_view content, step_index step);
  void close_answer(participant_index who, std::string_view status,
                    const protocol::reply* reply, std::string_view error_code,
                    std::string_view error_message);
  [[nodiscard]] consequence close_broadcast(std::string_view error_code,
                                            std::string_view message);
  [[nodiscard]] consequence close_broadcast_if_done();
  void close_all(std::string_view error_code, std::string_view message);

  // refusals.cpp: inputs that name no live request of their sender
  [[nodiscard]] consequence refuse(answer&& late);
  [[nodiscard]] bool note_violation(participant_index who);
  [[nodiscard]] consequence after_violations(participant_index who);

  // replies.cpp: what an accepted answer means
  [[nodiscard]] consequence take_turn_answer(participant_index who,
                                             protocol::reply&& reply);
  [[nodiscard]] consequence take_broadcast_answer(participant_index who,
                                                  protocol::reply&& reply);
  [[nodiscard]] consequence take_decision(participant_index who,
                                          protocol::reply&& reply);
  [[nodiscard]] consequence decision_failed(std::string why);
  void record_reply(participant_index who, const protocol::reply& reply,
                    bool refused);
  [[nodiscard]] std::optional<protocol::reply_error>
  why_not(participant_index who, const protocol::reply& reply,
          bool holds_turn) const;

  session::spec spec_; ///< constant: the parts refer to it
  std::unique_ptr<const spec_text> spec_text_; ///< until it is on the log
  const routing_policy* policy_;
  journal log_;
  membership members_;
  session::workspace shared_;
  plan_runner plan_;
  request_table requests_;
  handoff_queue handoffs_;
  broadcast_round round_;
  action_book actions_;
  arbiter arbiter_;
  briefing briefing_;
  std::vector<decision> decided_; ///< the latest, for the policy to see
  memory memory_;
  turn_state turn_;
  session::ending ending_;
  session::progress progress_;
  dialog_record talk_;
  graph_record graph_;
  std::optional<std::string> stopped_; ///< from outside, and why
  std::optional<session::outcome> outcome_;
  protocol::collab_status status_;
  bool started_ = false;
  protocol::timestamp_ms started_at_ = 0;
  protocol::timestamp_ms ends_by_ = 0;
  protocol::timestamp_ms suspended_at_ = 0;
  /// Since when all that is open is with people; `ends_by_` waits meanwhile.
  std::optional<protocol::timestamp_ms> people_since_;
  /// For a restored machine: strings that the policy has as constants.
  std::set<std::string, std::less<>> words_;
};

} // namespace convene::session
