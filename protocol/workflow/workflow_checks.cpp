#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/workflow/checks.hpp>
#include <convene/protocol/workflow/limits.hpp>

#include <bitset>
#include <set>

namespace convene::protocol {
namespace {

/// The places of nodes so that each comes after those before it; shorter if
/// there is a cycle.
std::vector<std::size_t> order_of(const workflow& of) {
  std::vector<std::size_t> missing;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < of.nodes.size(); ++i) {
    missing.push_back(of.nodes[i].sources.size());
    if (missing.back() == 0)
      order.push_back(i);
  }
  for (std::size_t done = 0; done < order.size(); ++done)
    for (auto target : of.nodes[order[done]].targets)
      if (--missing[target] == 0)
        order.push_back(target);
  return order;
}

result<std::size_t> place_of(const workflow& of, const std::string& node_id,
                             std::string pointer) {
  if (const auto found = of.find(node_id))
    return *found;
  return workflow_fault("known_node", "the workflow has no such node",
                        std::move(pointer), shorten(node_id));
}

result<void> connect(workflow& to, const edge_definition& edge,
                     const std::string& at) {
  if (edge.condition)
    return workflow_fault("edge_condition",
                          "conditions of edges are not evaluated: leave it out",
                          at + "/condition", {}, errc::unsupported);
  const auto source = place_of(to, edge.source_node_id, at + "/sourceNodeId");
  if (!source)
    return fail(source.error());
  const auto target = place_of(to, edge.target_node_id, at + "/targetNodeId");
  if (!target)
    return fail(target.error());
  auto& after = to.nodes[*target];
  const auto rule = edge.trigger_rule.value_or(trigger_rule::all_success);
  if (!after.sources.empty() && after.rule != rule)
    return workflow_fault("trigger_rule",
                          "the edges to a node have one trigger rule",
                          at + "/triggerRule", std::string{to_word(rule)});
  after.rule = rule;
  after.sources.push_back(*source);
  to.nodes[*source].targets.push_back(*target);
  return {};
}

result<void> check_input(const workflow& of, const node_input& input,
                         const std::bitset<workflow_nodes_max>& before,
                         const std::string& at) {
  const auto needs = [&](bool has, const char* name) -> result<void> {
    if (has)
      return {};
    return workflow_fault("input",
                          std::string{"an input of this type has "} + name, at,
                          std::string{to_word(input.type)});
  };
  switch (input.type) {
    case input_source::fixed:
      return needs(input.value.has_value(), "a value");
    case input_source::expression:
      return workflow_fault("input_expression",
                            "expressions are not evaluated: write a static "
                            "input, a variable or a connection",
                            at, {}, errc::unsupported);
    case input_source::variable: {
      if (!input.variable_name)
        return needs(false, "a variableName");
      if (of.has_variable(*input.variable_name)
          || of.channels.contains(*input.variable_name))
        return {};
      return workflow_fault("known_variable",
                            "the workflow has no such variable or channel",
                            at + "/variableName",
                            shorten(*input.variable_name));
    }
    case input_source::connection:
      break;
  }
  if (!input.node_id || !input.output_key)
    return needs(false, "a nodeId and an outputKey");
  const auto source = place_of(of, *input.node_id, at + "/nodeId");
  if (!source)
    return fail(source.error());
  if (!before.test(*source))
    return workflow_fault("input_order",
                          "no edges lead from this node to the input's: it may "
                          "not have ended",
                          at + "/nodeId", shorten(*input.node_id));
  return {};
}

/// What a node writes to is a channel like the declared one, or makes one.
result<void> add_channel(workflow& to, const channel_write_config& from,
                         const std::string& at) {
  const auto& declared = to.definition.channels;
  const auto known = to.channels.find(from.channel_name);
  if (known == to.channels.end()) {
    auto& made = to.channels[from.channel_name];
    made.reducer = from.reducer.value_or(channel_reducer::append);
    made.ttl_ms = from.ttl_ms;
    made.max_size = from.max_size;
    return {};
  }
  const auto& channel = known->second;
  const bool must_agree = !declared.contains(from.channel_name);
  const auto differs = [must_agree](const auto& here, const auto& there) {
    return (here || must_agree) && here != there;
  };
  if (from.reducer.value_or(must_agree ? channel_reducer::append
                                       : channel.reducer)
        != channel.reducer
      || differs(from.ttl_ms, channel.ttl_ms)
      || differs(from.max_size, channel.max_size))
    return workflow_fault("reducer",
                          "the channel has another reducer, ttlMs or maxSize, "
                          "where it is declared or written elsewhere",
                          at, shorten(from.channel_name));
  return {};
}

result<void> check_channel(const channel_definition& channel,
                           const std::string& at) {
  if (channel.access || channel.sensitive.value_or(false))
    return workflow_fault("channel_access",
                          "all readers of a run read its channels: access and "
                          "sensitive cannot be kept",
                          at, {}, errc::unsupported);
  if (!drops_entries(channel.reducer) && (channel.max_size || channel.ttl_ms))
    return workflow_fault("reducer",
                          "only channels of the reducers append, votes and "
                          "feedback have maxSize or ttlMs",
                          at, std::string{to_word(channel.reducer)});
  if (channel.default_value && channel.reducer != channel_reducer::replace
      && channel.reducer != channel_reducer::last
      && channel.default_value->held != unwritten_value(channel.reducer))
    return workflow_fault("reducer",
                          "what this reducer builds begins with nothing: its "
                          "default is "
                            + json::serialize(unwritten_value(channel.reducer)),
                          at + "/default");
  return {};
}

result<void> check_named(const workflow& of,
                         const std::optional<std::string>& channel,
                         const std::string& at) {
  if (!channel)
    return {};
  const auto found = of.channels.find(*channel);
  if (found != of.channels.end()
      && found->second.reducer == channel_reducer::message)
    return {};
  return workflow_fault("known_channel",
                        "the workflow has no such channel of reducer message",
                        at + "/channel", shorten(*channel));
}

} // namespace

result<void> connect_nodes(workflow& to, const std::string& pointer) {
  std::set<std::string_view> ids;
  std::set<std::pair<std::string_view, std::string_view>> ends;
  const auto& all = to.definition.edges;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto at = pointer + "/edges/" + std::to_string(i);
    if (!ids.insert(all[i].id).second)
      return workflow_fault("unique_edge_id", "two edges have one id",
                            at + "/id", shorten(all[i].id));
    if (!ends.emplace(all[i].source_node_id, all[i].target_node_id).second)
      return workflow_fault("unique_edge", "two edges join the same nodes", at);
    if (auto done = connect(to, all[i], at); !done)
      return done;
  }
  const auto order = order_of(to);
  if (order.size() == to.nodes.size())
    return {};
  std::vector<bool> reached(to.nodes.size());
  for (auto each : order)
    reached[each] = true;
  std::size_t first = 0;
  while (reached[first])
    ++first;
  return workflow_fault("no_cycle",
                        "the edges form a cycle, or this node comes after one",
                        pointer + "/nodes/" + std::to_string(first),
                        shorten(to.id_of(first)));
}

result<void> check_inputs(const workflow& of, const std::string& pointer) {
  std::vector<std::bitset<workflow_nodes_max>> before(of.nodes.size());
  for (auto each : order_of(of))
    for (auto source : of.nodes[each].sources) {
      before[each] |= before[source];
      before[each].set(source);
    }
  for (std::size_t i = 0; i < of.nodes.size(); ++i)
    for (const auto& [port, input] : of.definition.nodes[i].inputs) {
      auto at = pointer + "/nodes/" + std::to_string(i) + "/inputs";
      append_to_pointer(at, port);
      if (auto fits = check_input(of, input, before[i], at); !fits)
        return fits;
    }
  return {};
}

result<void> check_orchestrators(const workflow& of,
                                 const std::string& pointer) {
  const supervisor_config* first = nullptr;
  std::optional<std::size_t> dispatch;
  for (std::size_t i = 0; i < of.nodes.size(); ++i) {
    if (of.nodes[i].kind == node_type::dispatch && !dispatch)
      dispatch = i;
    const auto* const decides
      = std::get_if<supervisor_config>(&of.nodes[i].config);
    if (decides == nullptr)
      continue;
    if (first != nullptr && first->agent_id != decides->agent_id)
      return workflow_fault("orchestrator_agent",
                            "a run has one orchestrator: its supervisors have "
                            "one agentId",
                            pointer + "/nodes/" + std::to_string(i)
                              + "/config/agentId",
                            shorten(decides->agent_id));
    first = decides;
  }
  if (!dispatch || first != nullptr)
    return {};
  return workflow_fault("supervisor_missing",
                        "a dispatch does what an orchestrator decided: add a "
                        "node of type core.orchestrator.supervisor",
                        pointer + "/nodes/" + std::to_string(*dispatch)
                          + "/typeId");
}

result<void> collect_channels(workflow& to, const std::string& pointer) {
  for (const auto& [name, channel] : to.definition.channels)
    to.channels.emplace(name, channel);
  const auto config_at = [&](std::size_t node) {
    return pointer + "/nodes/" + std::to_string(node) + "/config";
  };
  for (std::size_t i = 0; i < to.nodes.size(); ++i)
    if (const auto* writes
        = std::get_if<channel_write_config>(&to.nodes[i].config))
      if (auto added = add_channel(to, *writes, config_at(i)); !added)
        return added;
  for (std::size_t i = 0; i < to.nodes.size(); ++i) {
    const auto& config = to.nodes[i].config;
    result<void> known;
    if (const auto* talks = std::get_if<conversation_config>(&config))
      known = check_named(to, talks->channel, config_at(i));
    if (const auto* passes = std::get_if<identity_config>(&config))
      known = check_named(to, passes->channel, config_at(i));
    if (!known)
      return known;
  }
  std::size_t messages = 0;
  for (const auto& [name, channel] : to.channels) {
    messages += channel.reducer == channel_reducer::message ? 1 : 0;
    if (messages > workflow_message_channels_max)
      return workflow_fault("workflow_message_channels_max",
                            "a workflow has at most "
                              + std::to_string(workflow_message_channels_max)
                              + " channels of reducer message",
                            pointer + "/channels", {}, errc::limit_reached);
    auto at = pointer + "/channels";
    append_to_pointer(at, name);
    if (auto fits = check_channel(channel, at); !fits)
      return fits;
  }
  return {};
}

} // namespace convene::protocol
