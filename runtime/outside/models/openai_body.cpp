#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <convene/protocol/base/ascii.hpp>
#include <convene/runtime/outside/models/openai.hpp>
#include <convene/runtime/outside/models/sent_call.hpp>
#include <convene/runtime/outside/models/tool_schema.hpp>

#include <algorithm>

namespace convene::host {
namespace {

namespace json = protocol::json;

/// The id of a call as the server accepts it, the same for call and result.
std::string call_id(const std::string& id, const request_shape& shape) {
  constexpr std::size_t wanted = 9;
  if (!shape.short_call_ids
      || (id.size() == wanted && std::ranges::all_of(id, protocol::is_alnum)))
    return id;
  // FNV-1a.
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : id)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  std::string made;
  for (; made.size() < wanted; hash /= 36)
    made += "0123456789abcdefghijklmnopqrstuvwxyz"[hash % 36];
  return made;
}

json::object openai_call(const tool_call& from, const request_shape& shape) {
  json::object function{{"name", sendable_name(from.name)},
                        {"arguments",
                         is_sendable(from.arguments) ? from.arguments : "{}"}};
  json::object to{{"id", call_id(from.id, shape)}, {"type", "function"}};
  for (const auto& [name, value] : from.extra)
    if (const auto* inside = value.if_object(); name == "function" && inside)
      function.insert(inside->begin(), inside->end());
    else
      to[name] = value;
  to["function"] = std::move(function);
  return to;
}

json::object openai_message(const model_message& from,
                            const request_shape& shape) {
  if (from.by == speaker::user)
    return {{"role", "user"}, {"content", from.text}};
  if (from.by == speaker::tool)
    return {{"role", "tool"},
            {"tool_call_id", call_id(from.call_id, shape)},
            {"content", from.failed ? "Error: " + from.text : from.text}};
  json::object to{{"role", "assistant"}};
  if (!from.text.empty() || from.calls.empty())
    to["content"] = from.text;
  else
    to["content"] = nullptr;
  json::array calls;
  for (const auto& each : from.calls)
    calls.push_back(openai_call(each, shape));
  if (!calls.empty())
    to["tool_calls"] = std::move(calls);
  for (const auto& [name, value] : from.original)
    to[name] = value;
  return to;
}

json::object openai_tool(const model_tool& from, schema_subset subset) {
  json::object function{{"name", from.name}};
  if (!from.description.empty())
    function["description"] = from.description;
  auto parameters = fit_schema(from.parameters, subset);
  // Gemini refuses an object without properties.
  if (subset != schema_subset::gemini || parameters.contains("properties"))
    function["parameters"] = std::move(parameters);
  return {{"type", "function"}, {"function", std::move(function)}};
}

json::object openai_format(const model_prompt& from) {
  const auto& shape = from.shape;
  json::object format{{"type", protocol::to_word(shape.format)}};
  if (shape.format == response_format::json_schema)
    format["json_schema"]
      = json::object{{"name", "reply"},
                     {"schema", fit_schema(from.reply_schema, shape.schemas)}};
  return format;
}

} // namespace

json::object openai_body(const model_prompt& what) {
  const auto& shape = what.shape;
  json::array messages;
  if (!what.system.empty())
    messages.push_back(
      json::object{{"role", "system"}, {"content", what.system}});
  for (const auto& each : what.messages)
    messages.push_back(openai_message(each, shape));
  json::object body{{"model", what.model}, {"messages", std::move(messages)}};
  json::array tools;
  for (const auto& each : what.tools)
    tools.push_back(openai_tool(each, shape.schemas));
  const bool has_tools = !tools.empty();
  if (has_tools)
    body["tools"] = std::move(tools);
  if (!what.reply_schema.empty() && shape.format != response_format::none)
    body["response_format"] = openai_format(what);
  if (!shape.max_tokens_name.empty())
    body[shape.max_tokens_name] = what.max_tokens;
  if (what.temperature)
    body["temperature"] = *what.temperature;
  if (shape.top_p)
    body["top_p"] = *shape.top_p;
  if (!shape.reasoning_effort.empty())
    body["reasoning_effort"] = shape.reasoning_effort;
  if (shape.parallel_tool_calls && has_tools)
    body["parallel_tool_calls"] = *shape.parallel_tool_calls;
  if (what.stream) {
    body["stream"] = true;
    if (shape.stream_options)
      body["stream_options"] = json::object{{"include_usage", true}};
  }
  for (const auto& [name, value] : shape.extra)
    body[name] = value;
  return body;
}

} // namespace convene::host
