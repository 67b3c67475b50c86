#pragma once

#include <convene/protocol/base/api.hpp>
#include <convene/protocol/events/workspace_event.hpp>
#include <convene/session/conflicts/shared_state.hpp>
#include <convene/session/ending/ending.hpp>
#include <convene/session/machine/effects.hpp>
#include <convene/session/machine/input.hpp>
#include <convene/session/machine/tally.hpp>
#include <convene/session/orchestration/decisions.hpp>
#include <convene/session/requests/request_slot.hpp>
#include <convene/session/routing/policy.hpp>
#include <convene/session/spec/roster.hpp>
#include <convene/session/spec/spec.hpp>

#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace convene::protocol {
class event_gate;
}

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

  /// The latest time for the next `tick`, if one is due. May be early, never
  /// late.
  [[nodiscard]] CONVENE_API std::optional<protocol::timestamp_ms>
  next_deadline() const;

  [[nodiscard]] protocol::collab_status status() const noexcept {
    return spec_.collab.status;
  }
  [[nodiscard]] bool ended() const noexcept {
    return outcome_.has_value();
  }
  [[nodiscard]] const std::optional<session::outcome>& result() const noexcept {
    return outcome_;
  }
  [[nodiscard]] const tally& counts() const noexcept {
    return tally_;
  }
  /// The collab has the session's status; plan, tasks and behaviours are
  /// dropped at start.
  [[nodiscard]] const session::spec& spec() const noexcept {
    return spec_;
  }
  [[nodiscard]] const roster& who() const noexcept {
    return roster_;
  }
  /// The current plan; null: the session has none.
  [[nodiscard]] const protocol::plan* plan() const noexcept {
    return plan_.size() == 0 ? nullptr : &plan_.document();
  }
  /// The Confirm that approved the plan, if any.
  [[nodiscard]] const std::optional<protocol::confirm>&
  confirm() const noexcept {
    return spec_.confirm;
  }
  /// The complete dialog.
  [[nodiscard]] const dialog_window& talk() const noexcept {
    return talk_.all();
  }
  /// The shared resources.
  [[nodiscard]] const session::workspace& workspace() const noexcept {
    return shared_.resources;
  }
  /// The conditions awaiting verdicts from the application.
  [[nodiscard]] std::vector<std::string> custom_conditions() const {
    return ending_.customs();
  }
  [[nodiscard]] protocol::timestamp_ms started_at() const noexcept {
    return started_at_;
  }
  [[nodiscard]] protocol::timestamp_ms last_at() const noexcept {
    return now_;
  }
  [[nodiscard]] const protocol::uuid& key() const noexcept {
    return key_;
  }

  /// What participants need to know about the session.
  [[nodiscard]] CONVENE_API session_info info() const;

  /// Whether `who` has an open request with this token: it is unanswered and
  /// not known to have expired.
  [[nodiscard]] CONVENE_API bool
  awaits(participant_index who, const protocol::uuid& token) const noexcept;

  /// Whether a participant is lost and has not returned.
  [[nodiscard]] bool is_lost(participant_index who) const noexcept {
    return participants_[who].lost;
  }

  /// From now on, events must pass `gate`, which must outlive the machine;
  /// null: all events pass. For a machine created without one for replay.
  void pass_through(const protocol::event_gate* gate) noexcept {
    gate_ = gate;
  }

  /// For snapshots (session/snapshot/): lists the members they save.
  template <class Self, class F>
  static void fields(Self& x, F& f);

  /// For snapshots: the workspace revision shown by the oldest open request,
  /// else the current one. Changes from there on must remain available.
  [[nodiscard]] std::uint64_t oldest_view() const noexcept {
    return open_.empty() ? shared_.resources.view().revision()
                         : slots_[open_.front()].open->revision;
  }

  /// For snapshots: the record of the dialog.
  [[nodiscard]] const dialog_record& record() const noexcept {
    return talk_;
  }

  /// For loaded snapshots: why no session can be in this state; empty: one can.
  [[nodiscard]] std::string_view why_unsound() const;

private:
  friend report make_report(std::unique_ptr<machine> ended);

  machine(session::spec what, protocol::byte_buffer text, roster who,
          session::ending ending, const routing_policy& policy,
          const protocol::uuid& key, const protocol::event_gate* gate);

  // machine.cpp: inputs from outside, and the end
  void on(start&&);
  void on(answer&&);
#ifdef CONVENE_MUTANTS
  /// As a mutant, accepts a late answer; false: not this mutant.
  bool misbehave(const answer& late);
#endif
  void on(write_attempt&&);
  void on(claim_attempt&&);
  void on(tick&&);
  void on(suspend&&);
  void on(resume&&);
  void on(cancel&&);
  void on(stop&&);
  void on(verdict&&);
  void on(fault&&);
  void take(input&& in);
  void end(bool success, std::string_view condition, std::string observed,
           std::int64_t limit = -1);

  // departures.cpp: participants lost or returned
  void on(participant_down&&);
  void on(participant_up&&);
  [[nodiscard]] bool promote_deputy();

  // expiry.cpp: effects of time alone
  void expire();
  void time_out(participant_index who);

  // faults.cpp: the last event, and refused events
  void finish(bool success, std::string_view condition, std::string observed,
              std::int64_t limit);
  struct checkpoint;
  [[nodiscard]] checkpoint now_at();
  void judge_line(std::size_t from);
  void undo(const checkpoint& to);
  void end_by_fault(std::string why);

  // endings.cpp: guards, and the scenario's conditions
  [[nodiscard]] bool end_if_over();
  [[nodiscard]] bool end_by_guard();
  [[nodiscard]] observation observe() const;
  [[nodiscard]] std::size_t turn_takers() const noexcept;

  // routing.cpp: what the policy decides
  void ask(occasion why, closed_turn closed = {},
           std::span<const decision> decided = {});
  [[nodiscard]] ruling consult_policy(occasion why, closed_turn closed,
                                      std::span<const decision> decided);
  /// Whether the policy must be asked again.
  [[nodiscard]] bool carry_out(ruling&& answer);
  void apply(broadcast&&);
  void apply(consult&&);
  void apply(close_step&&);
  void apply(complete&&);
  void policy_fault(std::string what);

  // dispatching.cpp: dispatching turns
  void apply(dispatch&&);
  void give_turn(dispatch&& d, const step_changes& changes);
  [[nodiscard]] std::vector<held_turn> held_turns() const;
  [[nodiscard]] bool may_open(const turn_terms& terms) const;
  void remember_holder();

  // handoffs.cpp: turns continued by another participant
  [[nodiscard]] std::optional<protocol::reply_error>
  why_no_handoff(participant_index from, const protocol::reply& reply,
                 participant_index& to) const;
  void hand_off(participant_index from, participant_index to,
                const open_request& held, const protocol::handoff& what);
  void begin_handoff(dispatch& next, turn_terms terms,
                     const protocol::uuid& token, std::uint32_t turn_number);
  void pass_claim(const resource_key& what, participant_index from,
                  participant_index to, const open_request& held);
  void hand_on();
  void drop_handoffs();
  void lose_receiver(participant_index who);

  [[nodiscard]] step_index step_for(participant_index who) const;
  [[nodiscard]] decision_view decision_request();

  // requests.cpp: issuing and closing requests
  void issue(participant_index to, open_request what, request message);
  void forget(participant_index who);
  void close_turn(participant_index who, turn_status status,
                  const protocol::reply* reply, std::string_view error_code,
                  std::string_view error_message);
  void remember_closed(participant_index who, std::string_view status,
                       std::string_view content, step_index step);
  void end_step_turn(step_index step, participant_index who,
                     turn_status status);
  void close_answer(participant_index who, std::string_view status,
                    const protocol::reply* reply, std::string_view error_code,
                    std::string_view error_message);
  void close_broadcast(std::string_view error_code, std::string_view message);
  void finish_broadcast_if_done();
  void close_all(std::string_view error_code, std::string_view message);
  void refuse(answer&& late);
  [[nodiscard]] bool too_many_violations(participant_index who);

  // answers.cpp: what an accepted answer means
  void take_turn_answer(participant_index who, protocol::reply&& reply);
  void take_broadcast_answer(participant_index who, protocol::reply&& reply);
  void take_decision(participant_index who, protocol::reply&& reply);
  void decision_failed(std::string why);
  void tell_again();
  void add_usage(const protocol::usage& what);
  void record_reply(participant_index who, const protocol::reply& reply,
                    bool refused);
  [[nodiscard]] std::optional<protocol::reply_error>
  why_not(const protocol::reply& reply, bool holds_turn) const;

  // writes.cpp: participants' writes
  void open_workspace();
  void take_writes(participant_index who, const protocol::reply& reply,
                   bool completed);
  void attempt(const writing& by, const protocol::resource_write& what);
  void accept(const writing& by, const protocol::resource_write& what,
              const written& made, const protocol::uuid& conflict,
              std::uint64_t replaced = 0);
  void refuse_write(const writing& by, const protocol::resource_write& what,
                    const protocol::error& why);
  [[nodiscard]] std::uint64_t oldest_seen() const;

  // conflicts.cpp: writes that are invalid or conflict with others
  void reject(const writing& by, const protocol::resource_write& what,
              std::string_view kind, participant_index other,
              std::string_view reason);
  void clash_with(const writing& by, const protocol::resource_write& what);
  void conclude(const protocol::uuid& conflict, const writing& by,
                const protocol::resource_write& what,
                const write_conflict& found, const written& made,
                const resolution& ruled,
                std::span<const protocol::vote_cast> votes = {});
  void reject(const writing& by, const protocol::claim& what,
              std::string_view kind, participant_index other,
              std::string_view reason);

  // claims.cpp: exclusive rights to write
  void take_claims(participant_index who, const protocol::reply& reply);
  void attempt(const writing& by, const protocol::claim& what);
  void log_claim(const writing& by, const protocol::claim& what,
                 protocol::claim_event event);
  void end_claim(const resource_key& what, std::string_view reason);
  void end_claims_of(participant_index who);

  // votes.cpp: conflicts decided by others
  [[nodiscard]] std::vector<participant_index>
  electorate(conflict_strategy how, const writing& by,
             const write_conflict& found) const;
  [[nodiscard]] resolution
  find_deciders(resolution ruled, const writing& by,
                const write_conflict& found,
                std::vector<participant_index>& who) const;
  void put_question(open_conflict& about,
                    std::span<const participant_index> to);
  [[nodiscard]] bool is_disputed(const resource_name& what) const;
  [[nodiscard]] bool take_question_answer(answer& a);
  void count_vote(open_conflict& about, participant_index who,
                  const protocol::reply& reply);
  void settle_votes(std::size_t at, bool over);
  void close_conflict(std::size_t at, resolution ruled);
  void close_conflicts(std::string_view reason);
  void go_on_without_conflicts();
  void expire_conflicts();
  void close_question(const question& what);
  void lose_voter(participant_index who);
  [[nodiscard]] protocol::uuid
  detect(const writing& by, const protocol::resource_write& what,
         std::string_view kind, std::span<const author> others,
         std::span<const participant_index> asked = {});
  [[nodiscard]] std::int64_t rank_of(participant_index who) const;
  [[nodiscard]] std::int64_t rank_of(std::span<const author> all) const;
  void refuse_writes(participant_index who, const protocol::uuid& token,
                     const protocol::reply& reply);
  void tell_lost(const writing& by, const protocol::resource_write& what,
                 std::string_view why);

  // plan_running.cpp: the plan's lifecycle
  void open_plan();
  void start_plan(std::string_view reason);
  void approve_plan();
  void add_tasks(const std::vector<protocol::task>& tasks);
  void create_plan(const std::vector<protocol::task>& tasks);
  void add_step(protocol::plan_step step);
  void set_plan_status(protocol::plan_status to, std::string_view reason);
  void log_steps(const step_changes& changes, std::string_view reason);
  void close_plan();

  // machine_events.cpp: names on the log
  [[nodiscard]] protocol::event_head next_event();
  [[nodiscard]] protocol::uuid next_id();
  [[nodiscard]] protocol::uuid token_of(std::uint32_t turn_number) const;
  [[nodiscard]] protocol::actor_name name_of(participant_index who) const;
  [[nodiscard]] std::string_view initiator_role() const;
  template <class Event>
  void append(const Event& event);
  void log_input(std::string_view executor_kind, participant_index who,
                 std::string_view payload);
  void log_answer(std::string_view what, participant_index who,
                  const protocol::uuid& token, const protocol::reply& reply);
  void log_simple_input(std::string_view what, participant_index who,
                        std::string_view reason);

  session::spec spec_;
  protocol::byte_buffer spec_text_; ///< until it is on the log
  const routing_policy* policy_;
  const protocol::event_gate* gate_ = nullptr; ///< null: all events pass
  protocol::uuid key_;
  roster roster_;
  plan_book plan_;
  bool plan_drives_ = false; ///< steps become turns
  std::vector<participant_state> participants_;
  std::vector<request_slot> slots_;
  std::vector<participant_index> open_; ///< who has an open request, by issue
  /// Requests closed by this input; kept only for a gate that may undo it.
  std::vector<std::pair<participant_index, open_request>> closed_;
  std::vector<dispatch> waiting_; ///< handed on, receiver is busy
  std::optional<open_broadcast> broadcast_;
  /// Of the last broadcast.
  protocol::shared_value<std::vector<response>> responses_;
  memory memory_;
  turn_state turn_;
  tally tally_;
  session::ending ending_;
  session::progress progress_;
  std::optional<std::string> stopped_; ///< from outside, and why
  shared_state shared_;
  dialog_record talk_;
  std::optional<session::outcome> outcome_;
  std::size_t can_act_ = 0;
  std::uint32_t decisions_failed_ = 0; ///< in a row
  decision_view last_;                 ///< what the orchestrator is shown
  bool last_is_told_ = true;           ///< nothing new in it
  /// What else it was shown, until it has decided.
  std::vector<closed_view> told_;
  std::uint64_t event_count_ = 0;
  std::uint64_t id_count_ = 0;
  bool started_ = false;
  bool faulted_ = false; ///< refused events are omitted
  protocol::timestamp_ms now_ = 0;
  protocol::timestamp_ms started_at_ = 0;
  protocol::timestamp_ms ends_by_ = 0;
  protocol::timestamp_ms suspended_at_ = 0;
  protocol::timestamp_ms earliest_ = 0; ///< lower bound of open expiries
  effects* out_ = nullptr;              ///< valid during `feed`
  /// For a restored machine: strings that the policy has as constants.
  std::set<std::string, std::less<>> words_;
};

} // namespace convene::session
