#pragma once

#include <convene/session/conversation/run_conversations.hpp>
#include <convene/session/workflow/divergence.hpp>
#include <convene/session/workflow/input.hpp>
#include <convene/session/workflow/limits.hpp>
#include <convene/session/workflow/run_state.hpp>

#include <memory>

namespace convene::session {

struct run_options {
  bool has_conversations = true; ///< the conversation primitive
  std::int64_t node_executions_max = session::node_executions_max;
  divergence_policy on_divergence = divergence_policy::keep_going;
};

/// One run of a workflow. Reads no clock and does nothing itself: an input
/// changes it by the events that follow from it, and by nothing else, so that
/// these events alone give the same state again. What follows next is decided
/// from the state: a run goes on wherever its log ends.
///
/// Rules: docs/workflows.md.
class run_machine {
public:
  /// Makes the events of an input (recorder.hpp).
  class recorder;

  run_machine(std::string run_id, std::shared_ptr<const protocol::workflow> of,
              run_options options = {});

  /// Takes an input at a time; time that goes back is taken for that of the
  /// last event. If the events cannot be appended to the run's log, this is to
  /// be folded from it again; likewise after an internal_error.
  [[nodiscard]] run_effects feed(const run_input& input,
                                 protocol::timestamp_ms now);

  /// Likewise for what a replay's source recorded, which `feed` refuses.
  [[nodiscard]] run_effects replay(const run_input& input,
                                   protocol::timestamp_ms at);

  /// Ends a run that has not ended as failed, before anything else that would
  /// follow: a replay that cannot continue.
  [[nodiscard]] run_effects end_failed(protocol::run_failure why,
                                       protocol::timestamp_ms at);

  /// Takes an event of the run's log. Refuses what cannot follow: rule
  /// `run_order`; `run_event` for another run, number or id, or what the
  /// workflow does not have; `workflow_changed` for a start by another
  /// definition; and those of conversations. This is of no use then.
  [[nodiscard]] protocol::result<void> fold(const protocol::run_event& event);

  /// Whether the run can go on from where its log ends: rule
  /// `conversation_torn` in the middle of what opens or closes a conversation,
  /// `child_torn` of what ends a child run, `run_torn` of the run's end.
  [[nodiscard]] protocol::result<void> check_whole() const;

  [[nodiscard]] run_status status() const noexcept;

  /// The node that the run waits for: of several, the one that began first.
  [[nodiscard]] std::optional<std::size_t> current_node() const noexcept;

  /// What a node waits for, if it is this interrupt; null: it is not.
  [[nodiscard]] const node_interrupt*
  find_open(std::string_view node_id, std::string_view interrupt_id) const;

  /// When something happens by itself.
  [[nodiscard]] std::optional<protocol::timestamp_ms> next_deadline() const;

  /// The sessions that run for the run's nodes, for a host that was started
  /// again.
  [[nodiscard]] std::vector<start_session> open_sessions() const;

  /// The child runs that the run's nodes wait for, for a host that was started
  /// again.
  [[nodiscard]] std::vector<start_child> open_children() const;

  /// Whether it replays what is recorded: nobody can answer it, and no session
  /// is started.
  [[nodiscard]] bool is_replay() const noexcept;

  [[nodiscard]] const std::string& run_id() const noexcept {
    return run_id_;
  }
  [[nodiscard]] const protocol::workflow& workflow() const noexcept {
    return *workflow_;
  }
  [[nodiscard]] const run_state& state() const noexcept {
    return state_;
  }
  [[nodiscard]] const run_conversations& conversations() const noexcept {
    return conversations_;
  }

private:
  using event_type = protocol::workflow_event_type;
  using outputs = boost::json::object;

  // run_machine.cpp
  void take(recorder& to, const start_run& input);
  void take(recorder& to, const cancel_run& input);
  void take(recorder& to, const pause_run& input);
  void take(recorder& to, const resume_run& input);
  void take(recorder& to, const session_ended& input);
  void take(recorder& to, const child_ended& input);
  void take(recorder& to, const check_timers& input);
  [[nodiscard]] bool is_live() const noexcept;

  // answers.cpp
  void take(recorder& to, const resolve_interrupt& input);
  void answer_gate(recorder& to, std::size_t node,
                   const resolve_interrupt& input);
  void answer_conversation(recorder& to, const resolve_interrupt& input);

  // settle.cpp: what follows from the state, step by step.
  void settle(recorder& to);
  bool refuse_unknown_type(recorder& to);
  void end_run(recorder& to);
  bool step(recorder& to, std::size_t node);
  bool step_failed(recorder& to, std::size_t node);
  bool step_pending(recorder& to, std::size_t node);
  void start_node(recorder& to, std::size_t node);
  [[nodiscard]] std::string cause_of(std::size_t node) const;
  void complete(recorder& to, std::size_t node, outputs made,
                const std::optional<std::string>& cause = {});
  [[nodiscard]] protocol::result<void> check_outputs(const outputs& made) const;
  void fail_node(recorder& to, std::size_t node, std::string code,
                 std::string message, bool is_final = false);
  void stop_all(recorder& to, const std::string& reason);
  void breach(recorder& to, std::size_t node, std::string kind,
              std::int64_t limit, protocol::run_failure why);
  void fail_run(recorder& to, protocol::run_failure why,
                std::optional<std::size_t> node);

  // node_work.cpp: what a node that runs or waits does next, if anything.
  bool work(recorder& to, std::size_t node, const protocol::noop_config&);
  bool work(recorder& to, std::size_t node,
            const protocol::identity_config& config);
  bool work(recorder& to, std::size_t node, const protocol::delay_config&);
  bool work(recorder& to, std::size_t node,
            const protocol::fail_config& config);
  bool work(recorder& to, std::size_t node,
            const protocol::channel_write_config& config);
  bool work(recorder& to, std::size_t node, const protocol::session_config&);
  bool write_channel(recorder& to, std::size_t node, const std::string& channel,
                     const boost::json::value& value);
  [[nodiscard]] protocol::result<boost::json::object>
  inputs_of(std::size_t node) const;
  /// What a channel of the workflow has.
  [[nodiscard]] boost::json::value read_channel(const std::string& name) const;
  [[nodiscard]] std::int64_t delay_of(std::size_t node) const;
  [[nodiscard]] bool is_due(std::size_t node,
                            protocol::timestamp_ms now) const noexcept;

  // children.cpp: child runs of nodes.
  bool work(recorder& to, std::size_t node,
            const protocol::sub_workflow_config& config);
  bool wait_for_child(recorder& to, std::size_t node);
  void start_child_run(recorder& to, std::size_t node);
  void end_children(recorder& to, std::size_t node, run_status how);
  void cancel_child_of(recorder& to, std::size_t node,
                       const std::string& reason) const;
  [[nodiscard]] const std::string* next_child(std::size_t node) const;
  [[nodiscard]] start_child child_start(std::size_t node) const;
  [[nodiscard]] bool stops_children(std::size_t node) const;
  [[nodiscard]] std::string child_id_of(std::size_t node,
                                        std::size_t index) const;
  protocol::result<void> apply_child(const protocol::run_event& event,
                                     event_type type, std::size_t node);

  // gates.cpp
  bool work(recorder& to, std::size_t node,
            const protocol::approval_config& config);
  bool work(recorder& to, std::size_t node,
            const protocol::clarification_config& config);
  bool work(recorder& to, std::size_t node,
            const protocol::conversation_config& config);
  bool work(recorder& to, std::size_t node,
            const protocol::interrupt_config& config);
  struct question;
  bool ask(recorder& to, std::size_t node, question what);
  bool converse(recorder& to, std::size_t node,
                const protocol::conversation_config& config);
  [[nodiscard]] outputs outputs_of(std::size_t node,
                                   const conversation_state& said) const;
  bool open(recorder& to, std::size_t node,
            const protocol::conversation_config& config);
  bool speak(recorder& to, std::size_t node,
             const protocol::conversation_config& config);
  bool write_turns(recorder& to, std::size_t node);
  [[nodiscard]] std::vector<std::string>
  message_channels(const std::optional<std::string>& named) const;
  [[nodiscard]] const conversation* talk_of(std::size_t node) const;

  // orchestrating.cpp
  bool work(recorder& to, std::size_t node,
            const protocol::supervisor_config& config);
  bool work(recorder& to, std::size_t node,
            const protocol::dispatch_config& config);
  /// Whether what an input comes from ended after the node asked somebody.
  [[nodiscard]] bool is_late(std::size_t node, const std::string& port) const;
  [[nodiscard]] protocol::result<std::optional<protocol::orchestrator_decision>>
  decision_given(std::size_t node,
                 const protocol::supervisor_config& config) const;
  [[nodiscard]] double
  threshold_of(const protocol::supervisor_config& config) const;
  bool ask_for_decision(recorder& to, std::size_t node,
                        const protocol::supervisor_config& config);
  bool ratify(recorder& to, std::size_t node,
              const protocol::supervisor_config& config,
              protocol::orchestrator_decision what);
  void decide(recorder& to, std::size_t node,
              const protocol::supervisor_config& config,
              protocol::orchestrator_decision what);
  void choose_workers(recorder& to, std::size_t node,
                      const protocol::dispatch_config& config,
                      const run_decision& of);
  bool ask_user(recorder& to, std::size_t node,
                const protocol::dispatch_config& config,
                const run_decision& of);
  [[nodiscard]] const run_decision* decision_of(std::size_t node) const;
  [[nodiscard]] const run_decision* find_termination() const;
  void terminate(recorder& to, const run_decision& by);

  // run_fold.cpp: each judges an event and makes its change.
  protocol::result<void> apply(const protocol::run_event& event,
                               protocol::timestamp_ms at);
  protocol::result<void> apply_started(const protocol::run_event& event,
                                       protocol::timestamp_ms at);
  protocol::result<void> apply_ended(const protocol::run_event& event,
                                     event_type type,
                                     protocol::timestamp_ms at);
  protocol::result<void> apply_node(const protocol::run_event& event,
                                    event_type type, protocol::timestamp_ms at);
  protocol::result<void> apply_interrupt(const protocol::run_event& event,
                                         event_type type,
                                         protocol::timestamp_ms at);
  protocol::result<void> apply_decided(const protocol::run_event& event);
  protocol::result<void> apply_changed(const protocol::run_event& event);
  protocol::result<void> apply_written(const protocol::run_event& event,
                                       protocol::timestamp_ms at);

  /// The run whose id those of conversations and sessions are made of.
  [[nodiscard]] const std::string& ids_of() const noexcept;
  [[nodiscard]] std::string session_id_of(std::size_t node,
                                          std::int64_t attempt) const;

  std::string run_id_;
  std::shared_ptr<const protocol::workflow> workflow_;
  run_options options_;
  run_state state_;
  run_conversations conversations_;
  bool is_broken_ = false;    ///< after an internal_error
  bool is_replaying_ = false; ///< the input was recorded
};

} // namespace convene::session
