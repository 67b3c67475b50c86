#include <boost/json/serialize.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/workflow/checks.hpp>
#include <convene/protocol/workflow/limits.hpp>

#include <algorithm>
#include <set>

namespace convene::protocol {
namespace {

/// A type that is there to be missing: what it needs, no host provides.
constexpr std::string_view never_provided_type = "conformance.requiresMissing";
constexpr std::string_view never_provided = "conformance.never-provided";

bool nests_deeper(const json::value& what, // NOLINT(misc-no-recursion)
                  std::size_t levels) {
  const auto* const object = what.if_object();
  const auto* const array = what.if_array();
  if (object == nullptr && array == nullptr)
    return false;
  if (levels == 0)
    return true;
  const auto deeper = [levels](const json::value& inner) {
    return nests_deeper(inner, levels - 1);
  };
  return object != nullptr ? std::ranges::any_of(
           *object, [&](const auto& each) { return deeper(each.value()); })
                           : std::ranges::any_of(*array, deeper);
}

result<void> check_bound(const char* rule, std::size_t count, std::size_t most,
                         std::string pointer) {
  if (count <= most)
    return {};
  return workflow_fault(
    rule, "a workflow has at most " + std::to_string(most) + " here",
    std::move(pointer), std::to_string(count), errc::limit_reached);
}

result<void> check_bounds(const json::value& from, const std::string& pointer) {
  if (nests_deeper(from, workflow_depth_max))
    return workflow_fault("workflow_depth_max",
                          "a workflow nests at most "
                            + std::to_string(workflow_depth_max) + " levels",
                          pointer, {}, errc::limit_reached);
  const auto count = [&](const char* name) -> std::size_t {
    const auto* object = from.if_object();
    const auto* member = object ? object->if_contains(name) : nullptr;
    if (member == nullptr)
      return 0;
    return member->is_array()    ? member->get_array().size()
           : member->is_object() ? member->get_object().size()
                                 : 0;
  };
  const auto check = [&](const char* rule, const char* name, std::size_t most) {
    return check_bound(rule, count(name), most, pointer + "/" + name);
  };
  return check_bound("workflow_bytes_max", json::serialize(from).size(),
                     workflow_bytes_max, pointer)
    .and_then(
      [&] { return check("workflow_nodes_max", "nodes", workflow_nodes_max); })
    .and_then(
      [&] { return check("workflow_edges_max", "edges", workflow_edges_max); })
    .and_then([&] {
      return check("workflow_variables_max", "variables",
                   workflow_variables_max);
    })
    .and_then([&] {
      return check("workflow_channels_max", "channels", workflow_channels_max);
    });
}

result<void> add_nodes(workflow& to, const std::string& pointer) {
  const auto& all = to.definition.nodes;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto at = pointer + "/nodes/" + std::to_string(i);
    if (!to.by_id.try_emplace(all[i].id, i).second)
      return workflow_fault("unique_node_id", "two nodes have one id",
                            at + "/id", shorten(all[i].id));
    auto& made = to.nodes.emplace_back();
    made.kind = from_word<node_type>(all[i].type_id);
    if (!made.kind)
      continue;
    auto config = decode_node_config(*made.kind, all[i].config, at + "/config");
    if (!config)
      return fail(std::move(config).error());
    made.config = *std::move(config);
  }
  return {};
}

result<void> check_variables(const workflow& of, const std::string& pointer) {
  std::set<std::string_view> known;
  const auto& all = of.definition.variables;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto at = pointer + "/variables/" + std::to_string(i);
    if (!known.insert(all[i].name).second)
      return workflow_fault("unique_variable", "two variables have one name",
                            at + "/name", shorten(all[i].name));
    const auto& value = all[i].default_value;
    if (value && !fits_variable(all[i].type, value->held))
      return workflow_fault("variable_type",
                            "the default is no " + shorten(all[i].type),
                            at + "/defaultValue", shorten_value(value->held));
  }
  return {};
}

result<void> compile_configurable(workflow& to, const std::string& pointer) {
  const auto& schema = to.definition.configurable_schema;
  if (!schema)
    return {};
  auto made = turn_schema::make(*schema);
  if (!made) {
    auto wrong = std::move(made).error();
    wrong.pointer.insert(0, pointer + "/configurableSchema");
    return fail(std::move(wrong));
  }
  to.configurable = *std::move(made);
  return {};
}

missing_capability missing_of(const workflow& of, std::size_t node,
                              std::string_view capability) {
  return {std::string{capability}, of.definition.nodes[node].type_id,
          of.id_of(node), "/nodes/" + std::to_string(node) + "/typeId"};
}

} // namespace

tl::unexpected<error> workflow_fault(std::string rule, std::string message,
                                     std::string pointer, std::string value,
                                     errc code) {
  return fail({.code = code,
               .message = std::move(message),
               .pointer = std::move(pointer),
               .rule = std::move(rule),
               .value = std::move(value)});
}

std::optional<std::size_t> workflow::find(std::string_view node_id) const {
  const auto found = by_id.find(node_id);
  if (found == by_id.end())
    return std::nullopt;
  return found->second;
}

bool workflow::has_variable(std::string_view name) const {
  return std::ranges::find(definition.variables, name,
                           &variable_definition::name)
         != definition.variables.end();
}

result<workflow> read_workflow(const json::value& from,
                               std::string_view pointer) {
  const std::string at{pointer};
  if (auto fits = check_bounds(from, at); !fits)
    return fail(std::move(fits).error());
  auto definition = decode<workflow_definition>(from, pointer);
  if (!definition)
    return fail(std::move(definition).error());
  workflow made;
  made.definition = *std::move(definition);
  auto checked = add_nodes(made, at)
                   .and_then([&] { return connect_nodes(made, at); })
                   .and_then([&] { return check_variables(made, at); })
                   .and_then([&] { return collect_channels(made, at); })
                   .and_then([&] { return check_inputs(made, at); })
                   .and_then([&] { return check_orchestrators(made, at); })
                   .and_then([&] { return compile_configurable(made, at); });
  if (!checked)
    return fail(std::move(checked).error());
  made.digest = hex_of(sha256(json::serialize(encode(made.definition))));
  return made;
}

bool fits_variable(std::string_view type, const json::value& value) noexcept {
  if (type == "string")
    return value.is_string();
  if (type == "number")
    return value.is_number();
  if (type == "integer")
    return value.is_int64() || value.is_uint64();
  if (type == "boolean")
    return value.is_bool();
  if (type == "object")
    return value.is_object();
  if (type == "array")
    return value.is_array();
  return true;
}

result<void> check_configurable(const workflow& of, const json::object& given) {
  const auto* const limit = given.if_contains("recursionLimit");
  if (limit != nullptr && (!limit->is_int64() || limit->get_int64() < 1))
    return workflow_fault("configurable",
                          "recursionLimit is a whole number from 1 on",
                          "/recursionLimit", shorten_value(*limit));
  const auto* const threshold = given.if_contains("escalationThreshold");
  if (threshold != nullptr
      && std::ranges::count(of.nodes, node_type::supervisor,
                            &workflow_node::kind)
           > 0
      && !(threshold->is_number() && threshold->to_number<double>() >= 0
           && threshold->to_number<double>() <= 1))
    return workflow_fault("configurable",
                          "escalationThreshold is a number from 0 to 1",
                          "/escalationThreshold", shorten_value(*threshold));
  if (!of.configurable)
    return {};
  auto fits = of.configurable->check(given);
  if (fits)
    return {};
  auto wrong = std::move(fits).error();
  const auto why = wrong.message.find(": ");
  wrong.message = "the run is configured against the workflow's "
                  "configurableSchema"
                  + (why == std::string::npos ? "" : wrong.message.substr(why));
  wrong.rule = "configurable";
  return fail(std::move(wrong));
}

std::optional<missing_capability>
find_missing_capability(const workflow& of, bool has_conversations) {
  for (std::size_t i = 0; i < of.nodes.size() && !has_conversations; ++i) {
    const auto* const dispatches
      = std::get_if<dispatch_config>(&of.nodes[i].config);
    if (of.nodes[i].kind == node_type::conversation_gate
        || (dispatches != nullptr
            && dispatches->routing == ask_user_routing::conversation))
      return missing_of(of, i, conversation_primitive);
  }
  return std::nullopt;
}

std::optional<missing_capability> find_unknown_type(const workflow& of) {
  for (std::size_t i = 0; i < of.nodes.size(); ++i)
    if (const auto& type = of.definition.nodes[i].type_id; !of.nodes[i].kind)
      return missing_of(of, i,
                        type == never_provided_type ? never_provided : type);
  return std::nullopt;
}

} // namespace convene::protocol
