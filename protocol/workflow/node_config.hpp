#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/conversation/interrupt.hpp>
#include <convene/protocol/workflow/definition.hpp>
#include <convene/protocol/workflow/orchestrator.hpp>

#include <variant>

namespace convene::protocol {

/// The types of nodes that are known.
enum class node_type : std::uint8_t {
  noop,
  identity,
  delay,
  fail,
  approval_gate,
  clarification_gate,
  conversation_gate,
  channel_write,
  session,
  interrupt,
  supervisor,
  dispatch,
  sub_workflow
};
CONVENE_WORDS(node_type, "core.noop", "core.identity", "core.delay",
              "core.fail", "core.approvalGate", "core.clarificationGate",
              "core.conversationGate", "core.channelWrite", "convene.session",
              "core.interrupt", "core.orchestrator.supervisor", "core.dispatch",
              "core.subWorkflow");

// The config of each. Members that are unknown are kept, of gates for those who
// answer; a session has none.

struct noop_config {
  json::object others;

  bool operator==(const noop_config&) const = default;
};

/// Its outputs are its inputs.
struct identity_config {
  /// Writes one message twice, which a `message` channel takes once.
  bool emit_duplicate_message_id = false;
  std::optional<std::string> channel; ///< absent: all of reducer `message`
  json::object others;

  bool operator==(const identity_config&) const = default;
};

struct delay_config {
  std::optional<std::int64_t> ms; ///< if there is no input `delayMs`
  json::object others;

  bool operator==(const delay_config&) const = default;
};

struct fail_config {
  std::string code = "conformance_test_failure";
  std::string message = "the node fails, as it is made to";
  json::object others;

  bool operator==(const fail_config&) const = default;
};

struct approval_config {
  std::optional<std::string> title;
  std::optional<std::string> description;
  std::vector<std::string> actions{"accept", "reject"};
  std::optional<std::int64_t> timeout_ms;
  json::object others;

  bool operator==(const approval_config&) const = default;
};

struct clarification_question {
  std::string id;
  std::string question;
  std::optional<bool> required; ///< absent: it is
  json::object others;

  bool operator==(const clarification_question&) const = default;
};

struct clarification_config {
  std::vector<clarification_question> questions;
  std::optional<std::int64_t> timeout_ms;
  json::object others;

  bool operator==(const clarification_config&) const = default;
};

/// What a conversation does by itself.
enum class gate_lifecycle : std::uint8_t { open_exchange_close };
CONVENE_WORDS(gate_lifecycle, "open-exchange-close");

struct conversation_config {
  std::optional<std::string> title;
  std::optional<any_value> prompt;
  std::optional<any_value> initial_prompt; ///< goes before `prompt`
  std::optional<conversation_turn> initial_turn;
  std::optional<std::string> agent_id;
  std::optional<json::object> schema; ///< of what turns say
  std::vector<conversation_capability> capabilities;
  std::optional<std::int64_t> timeout_ms;
  std::optional<std::string> channel; ///< absent: all of reducer `message`
  std::optional<gate_lifecycle> lifecycle;
  bool mock_auto_resume = false; ///< it holds the conversation by itself
  std::int64_t turn_count = 1;   ///< exchanges that it then takes
  json::object others;

  bool operator==(const conversation_config&) const = default;
};

struct channel_write_config {
  std::string channel_name;
  std::optional<channel_reducer> reducer; ///< absent: the channel's, or append
  std::optional<std::int64_t> ttl_ms;
  std::optional<std::int64_t> max_size;
  std::optional<any_value> value; ///< if there is no input `value`
  json::object others;

  bool operator==(const channel_write_config&) const = default;
};

/// Runs a collaboration session.
struct session_config {
  json::object scenario;
  std::optional<std::int64_t> timeout_ms;

  bool operator==(const session_config&) const = default;
};

/// What an external event is, and what of it must be as it says.
struct external_event_data {
  std::string event_type;
  json::object correlation;
  json::object others;

  bool operator==(const external_event_data&) const = default;
};

struct custom_data {
  std::string custom_kind;
  any_value payload;
  json::object others;

  bool operator==(const custom_data&) const = default;
};

/// Asks for an external event, or for something of the workflow's own.
struct interrupt_config {
  interrupt_kind kind = interrupt_kind::external_event; ///< or `custom`
  json::object data; ///< an `external_event_data`, or a `custom_data`
  std::optional<json::object> resume_schema; ///< of the answer
  std::optional<std::int64_t> timeout_ms;
  json::object others;

  bool operator==(const interrupt_config&) const = default;
};

/// What becomes of a node whose child run fails or is cancelled.
enum class child_failure_policy : std::uint8_t { fail_parent, absorb };
CONVENE_WORDS(child_failure_policy, "fail-parent", "absorb");

/// Runs another workflow, and waits for its end.
struct sub_workflow_config {
  std::string workflow_id;
  bool wait_for_completion = true; ///< nothing else is taken
  child_failure_policy on_child_failure = child_failure_policy::fail_parent;
  variable_mapping input_mapping;  ///< of the child, from its parent
  variable_mapping output_mapping; ///< of the parent, from its child
  bool propagate_cancellation = true;
  json::object others;

  bool operator==(const sub_workflow_config&) const = default;
};

/// In the order of `node_type`.
using node_config
  = std::variant<noop_config, identity_config, delay_config, fail_config,
                 approval_config, clarification_config, conversation_config,
                 channel_write_config, session_config, interrupt_config,
                 supervisor_config, dispatch_config, sub_workflow_config>;

/// Reads the config of a node of this kind. Besides what members must be: rules
/// `unique_question_id`, `uniqueItems` of actions, `mock_schema` for a
/// conversation that has a schema but speaks for itself, and `interrupt_kind`
/// for an interrupt of a kind that has a node of its own, or none; what
/// `read_decision` refuses; `wait_for_completion` for a child run that nobody
/// waits for, and `dispatch_mapping` for variables of workers that are nodes.
[[nodiscard]] result<node_config> decode_node_config(node_type kind,
                                                     const json::object& from,
                                                     std::string_view pointer);

} // namespace convene::protocol
