#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/outside/models/anthropic.hpp>
#include <convene/runtime/outside/models/sent_call.hpp>
#include <convene/runtime/outside/models/tool_schema.hpp>

namespace convene::host {
namespace {

namespace json = protocol::json;

json::object block_of(const tool_call& from) {
  return {{"type", "tool_use"},
          {"id", from.id},
          {"name", sendable_name(from.name)},
          {"input", sendable_arguments(from.arguments)}};
}

/// The blocks of an answer as they came, with its calls in their places.
json::array original_content(const model_message& from,
                             const json::value& content) {
  auto blocks = content.is_array() ? content.get_array() : json::array{};
  auto call = from.calls.begin();
  for (auto& each : blocks)
    if (const auto* block = each.if_object();
        block && protocol::text_of(*block, "type") == "tool_use"
        && call != from.calls.end())
      each = block_of(*call++);
  return blocks;
}

json::array content_of(const model_message& from) {
  json::array content;
  if (from.by == speaker::tool) {
    json::object result{{"type", "tool_result"},
                        {"tool_use_id", from.call_id},
                        {"content", from.text}};
    if (from.failed)
      result["is_error"] = true;
    content.push_back(std::move(result));
    return content;
  }
  if (const auto* original = from.original.if_contains("content");
      original && original->is_array())
    return original_content(from, *original);
  // An empty text is refused.
  if (!from.text.empty())
    content.push_back(json::object{{"type", "text"}, {"text", from.text}});
  for (const auto& each : from.calls)
    content.push_back(block_of(each));
  return content;
}

json::object anthropic_tool(const model_tool& from, schema_subset subset) {
  json::object tool{{"name", from.name}};
  if (!from.description.empty())
    tool["description"] = from.description;
  tool["input_schema"] = fit_schema(from.parameters, subset);
  return tool;
}

} // namespace

json::object anthropic_body(const model_prompt& what) {
  json::array messages;
  std::string_view last;
  for (const auto& each : what.messages) {
    const std::string_view role = each.by == speaker::model ? "assistant"
                                                            : "user";
    auto content = content_of(each);
    if (content.empty())
      continue;
    // The roles take turns: results and texts in a row are one message.
    if (role == last) {
      auto& before = messages.back().as_object()["content"].as_array();
      for (auto& part : content)
        before.push_back(std::move(part));
    } else {
      messages.push_back(
        json::object{{"role", role}, {"content", std::move(content)}});
    }
    last = role;
  }
  json::object body{{"model", what.model}, {"max_tokens", what.max_tokens}};
  if (!what.system.empty())
    body["system"] = what.system;
  body["messages"] = std::move(messages);
  json::array tools;
  for (const auto& each : what.tools)
    tools.push_back(anthropic_tool(each, what.shape.schemas));
  if (!tools.empty()) {
    body["tools"] = std::move(tools);
    if (what.shape.parallel_tool_calls)
      body["tool_choice"] = json::object{{"type", "auto"},
                                         {"disable_parallel_tool_use",
                                          !*what.shape.parallel_tool_calls}};
  }
  if (what.temperature)
    body["temperature"] = *what.temperature;
  if (what.shape.top_p)
    body["top_p"] = *what.shape.top_p;
  if (what.stream)
    body["stream"] = true;
  for (const auto& [name, value] : what.shape.extra)
    body[name] = value;
  return body;
}

} // namespace convene::host
