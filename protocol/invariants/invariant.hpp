#pragma once

#include <boost/json/value.hpp>
#include <convene/protocol/base/words.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

// The rules between and within documents that a JSON Schema cannot say, as
// data (schemas/invariants/, MPLP profiles-and-events.md 5), made ready to
// apply.
namespace convene::protocol {

namespace json = boost::json;

/// What a rule looks at. `runtime` is what a session does, as its events show.
enum class invariant_scope : std::uint8_t {
  context,
  plan,
  confirm,
  trace,
  role,
  dialog,
  collab,
  extension,
  core,
  network,
  event, ///< of the twelve families; not SA, MAP and base events
  tool_event,
  file_update_event,
  git_event,
  ci_event,
  learning_sample,
  runtime,
};
CONVENE_WORDS(invariant_scope, "context", "plan", "confirm", "trace", "role",
              "dialog", "collab", "extension", "core", "network", "event",
              "tool_event", "file_update_event", "git_event", "ci_event",
              "learning_sample", "runtime");

/// A step on the way to a value: a member, `[3]` or `[*]`.
struct path_step {
  std::string member;                    ///< empty: an element of an array
  std::optional<std::size_t> index = {}; ///< none: every element

  bool operator==(const path_step&) const = default;
};
using value_path = std::vector<path_step>;

// What a rule demands of each value that its path leads to.
struct uuid_v4_rule {};
struct non_empty_rule {};
struct exists_rule {};
struct text_rule {};
struct date_time_rule {};
struct positive_integer_rule {};
/// Elements of an array, or characters of a text.
struct length_rule {
  std::size_t least = 0;
  std::optional<std::size_t> most = {};
};
struct word_rule {
  std::vector<std::string> words;
};
struct same_text_rule {
  std::string text;
};
/// The same value as in a document of some kind.
struct same_value_rule {
  std::size_t target = 0; ///< into `rule_set::targets`
};
struct unique_rule {};

/// Rules that have no words in the rule language.
enum class program_rule : std::uint8_t {
  map_turn_completion_matches_dispatch,
  map_broadcast_has_receivers,
  map_exclusive_write,
  map_orchestrator_required,
  dialog_messages_only_while_active,
  protocol_versions_mixed,
  map_role_ids_known,
  network_role_ids_known,
  plan_dependencies_known,
  trace_segments_known,
};
CONVENE_WORDS(program_rule, "map_turn_completion_matches_dispatch",
              "map_broadcast_has_receivers", "map_exclusive_write",
              "map_orchestrator_required", "dialog_messages_only_while_active",
              "protocol_versions_mixed", "map_role_ids_known",
              "network_role_ids_known", "plan_dependencies_known",
              "trace_segments_known");

using invariant_rule
  = std::variant<uuid_v4_rule, non_empty_rule, exists_rule, text_rule,
                 date_time_rule, positive_integer_rule, length_rule, word_rule,
                 same_text_rule, same_value_rule, unique_rule, program_rule>;

/// Whether a broken rule makes a document bad, or only worth a word.
enum class invariant_level : std::uint8_t { error, warning };
CONVENE_WORDS(invariant_level, "error", "warning");

/// One rule.
struct invariant {
  std::string id;
  std::string set; ///< the file it is from: "sa", "map", ...
  invariant_scope scope = invariant_scope::context;
  invariant_level level = invariant_level::error;
  std::string path_text; ///< `steps[*].step_id`; empty: none
  value_path path;
  std::string rule_text; ///< `uuid-v4`; empty: a program checks it
  invariant_rule rule;
  bool when_present = false; ///< applies only where the path leads somewhere
  /// Members that the document must have, with their values, for the rule to
  /// apply.
  std::vector<std::pair<std::string, json::value>> when;
  std::string description;
  /// Who asks for it: a seed (`S001`), a rule file (`sa-invariants.yaml`),
  /// `golden flows`; and a schema (`mplp-plan.schema.json`) that refuses
  /// the same.
  std::vector<std::string> demanded_by;
};

} // namespace convene::protocol
