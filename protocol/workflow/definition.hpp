#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/words.hpp>
#include <convene/protocol/codec/held_values.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace convene::protocol {

/// Where a node's input comes from.
enum class input_source : std::uint8_t {
  fixed,
  expression,
  connection,
  variable
};
CONVENE_WORDS(input_source, "static", "expression", "connection", "variable");

struct node_input {
  input_source type = input_source::fixed;
  std::optional<any_value> value;           ///< of `static`
  std::optional<std::string> expression;    ///< of `expression`
  std::optional<std::string> node_id;       ///< of `connection`
  std::optional<std::string> output_key;    ///< of `connection`
  std::optional<std::string> variable_name; ///< of `variable`
  std::optional<bool> optional; ///< absent input instead of a failed node

  bool operator==(const node_input&) const = default;
};

/// Where an editor draws a node.
struct node_position {
  json_number x;
  json_number y;

  bool operator==(const node_position&) const = default;
};

struct node_definition {
  std::string id;
  std::string type_id;
  std::string name;
  node_position position;
  json::object config; ///< depends on the type: node_config.hpp
  std::map<std::string, node_input> inputs;
  json::object others; ///< further members

  bool operator==(const node_definition&) const = default;
};

/// When a node starts, by how those before it ended; all of its edges have the
/// same.
enum class trigger_rule : std::uint8_t {
  all_success,
  all_failed,
  all_done,
  one_success,
  one_failed
};
CONVENE_WORDS(trigger_rule, "all_success", "all_failed", "all_done",
              "one_success", "one_failed");

struct edge_definition {
  std::string id;
  std::string source_node_id;
  std::string target_node_id;
  std::optional<std::string> source_output; ///< for editors
  std::optional<std::string> target_input;  ///< for editors
  std::optional<any_value> condition;
  std::optional<std::string> label;
  std::optional<protocol::trigger_rule> trigger_rule;

  bool operator==(const edge_definition&) const = default;
};

struct variable_definition {
  std::string name;
  std::string type;
  std::optional<bool> required;
  std::optional<any_value> default_value;
  json::object others; ///< further members

  bool operator==(const variable_definition&) const = default;
};

/// How a channel's value follows from what is written to it.
enum class channel_reducer : std::uint8_t {
  message,
  append,
  replace,
  last,
  merge,
  counter,
  votes,
  feedback
};
CONVENE_WORDS(channel_reducer, "message", "append", "replace", "last", "merge",
              "counter", "votes", "feedback");

/// Whether a channel has entries that may leave it: `maxSize`, `ttlMs`.
[[nodiscard]] constexpr bool drops_entries(channel_reducer reducer) noexcept {
  return reducer == channel_reducer::append || reducer == channel_reducer::votes
         || reducer == channel_reducer::feedback;
}

/// What a channel has that nothing was written to.
[[nodiscard]] inline json::value unwritten_value(channel_reducer reducer) {
  switch (reducer) {
    case channel_reducer::replace:
    case channel_reducer::last:
      return nullptr;
    case channel_reducer::merge:
      return json::object{};
    case channel_reducer::counter:
      return 0;
    default:
      return json::array{};
  }
}

struct channel_definition {
  channel_reducer reducer = channel_reducer::append;
  std::optional<any_value> schema; ///< for readers
  std::optional<any_value> default_value;
  std::optional<std::int64_t> max_size; ///< of `drops_entries`: older leave
  std::optional<std::int64_t> ttl_ms;   ///< likewise
  std::optional<any_value> access;
  std::optional<any_value> schema_version;  ///< for readers
  std::optional<any_value> compatible_with; ///< for readers
  std::optional<bool> sensitive;

  bool operator==(const channel_definition&) const = default;
};

struct workflow_settings {
  std::optional<std::int64_t> timeout;     ///< of a run, in ms; 0: none
  std::optional<std::int64_t> max_retries; ///< of a node that fails
  json::object others;                     ///< further members

  bool operator==(const workflow_settings&) const = default;
};

/// A workflow as it is written (workflow-definition.schema.json).
struct workflow_definition {
  std::string id;
  std::string name;
  std::string version;
  std::optional<std::string> description;
  std::vector<node_definition> nodes;
  std::vector<edge_definition> edges;
  std::vector<json::object> triggers;
  std::vector<variable_definition> variables;
  std::map<std::string, channel_definition> channels;
  std::optional<json::object> configurable_schema;
  json::object metadata;
  workflow_settings settings;

  bool operator==(const workflow_definition&) const = default;
};

} // namespace convene::protocol
