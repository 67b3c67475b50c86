#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/words.hpp>
#include <convene/protocol/codec/held_values.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::protocol {

/// What an orchestrator can decide (RFC 0006, section B).
enum class decision_kind : std::uint8_t { next_worker, ask_user, terminate };
CONVENE_WORDS(decision_kind, "next-worker", "ask-user", "terminate");

/// The workers that one decision can name, and the bytes of its prompt.
inline constexpr std::size_t decision_workers_max = 100;
inline constexpr std::size_t decision_prompt_max = 16'384;

struct orchestrator_decision {
  decision_kind kind = decision_kind::terminate;
  std::vector<std::string> next_worker_ids; ///< of next-worker, each once
  std::optional<std::string> prompt;        ///< of ask-user
  std::optional<std::string> reason;        ///< of terminate
  /// From 0 to 1, how sure the orchestrator is; absent: it does not say.
  std::optional<json_number> confidence;
  json::object others; ///< further members

  bool operator==(const orchestrator_decision&) const = default;
};

/// Reads a decision. Rules besides the schema's keywords: `required` of what
/// its kind needs, and `decision_prompt_max`.
[[nodiscard]] result<orchestrator_decision>
read_decision(const json::value& from, std::string_view pointer = "");

/// Where a person is asked: `automatic` is where the host can (RFC 0007).
enum class ask_user_routing : std::uint8_t {
  conversation,
  clarification,
  automatic
};
CONVENE_WORDS(ask_user_routing, "conversation", "clarification", "auto");

/// What becomes of a decision for several workers: one after the other, or
/// none.
enum class fan_out_policy : std::uint8_t { sequential, reject };
CONVENE_WORDS(fan_out_policy, "sequential", "reject");

/// Who workers are: nodes of the same run, which come right after the dispatch,
/// or workflows, each of which becomes a run of its own (RFC 0007).
enum class dispatch_model : std::uint8_t { node, child_run };
CONVENE_WORDS(dispatch_model, "vendor.convene.node", "child-run");

/// Variables that one run gets from another, by its own name of each: the value
/// is the name there (RFC 0022).
using variable_mapping = std::map<std::string, std::string>;

/// An orchestrator, which decides what comes next.
struct supervisor_config {
  std::string agent_id = "orchestrator";
  /// If there is no input `decision`; absent too: it is asked for outside.
  std::optional<json::object> decision;
  /// A decision that is less sure is put before a person.
  std::optional<json_number> escalation_threshold;
  std::optional<std::int64_t> iteration_cap; ///< decisions of a run
  std::optional<std::int64_t> timeout_ms;    ///< of each question
  json::object others;

  bool operator==(const supervisor_config&) const = default;
};

/// Does what the latest decision says (dispatch-config.schema.json). Closed.
struct dispatch_config {
  ask_user_routing routing = ask_user_routing::automatic;
  /// Absent: nodes, if any comes right after it, else child runs.
  std::optional<dispatch_model> model;
  fan_out_policy fan_out = fan_out_policy::sequential;
  std::optional<std::int64_t> iteration_cap; ///< dispatches of a run
  variable_mapping input_mapping;            ///< of children, from their parent
  variable_mapping output_mapping;           ///< of the parent, from a child
  /// Instead of these, by the id of the child's workflow.
  std::map<std::string, variable_mapping> per_worker_input_mappings;
  std::map<std::string, variable_mapping> per_worker_output_mappings;

  bool operator==(const dispatch_config&) const = default;
};

} // namespace convene::protocol
