#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <convene/runtime/outside/models/openai.hpp>

namespace convene::host {
namespace {

namespace json = protocol::json;

json::object openai_message(const model_message& from) {
  if (from.by == speaker::user)
    return {{"role", "user"}, {"content", from.text}};
  if (from.by == speaker::tool)
    return {{"role", "tool"},
            {"tool_call_id", from.call_id},
            {"content", from.failed ? "Error: " + from.text : from.text}};
  json::object to{{"role", "assistant"}};
  if (!from.text.empty() || from.calls.empty())
    to["content"] = from.text;
  else
    to["content"] = nullptr;
  json::array calls;
  for (const auto& each : from.calls)
    calls.push_back(
      json::object{{"id", each.id},
                   {"type", "function"},
                   {"function", json::object{{"name", each.name},
                                             {"arguments", each.arguments}}}});
  if (!calls.empty())
    to["tool_calls"] = std::move(calls);
  return to;
}

} // namespace

json::object openai_body(const model_prompt& what) {
  json::array messages;
  if (!what.system.empty())
    messages.push_back(
      json::object{{"role", "system"}, {"content", what.system}});
  for (const auto& each : what.messages)
    messages.push_back(openai_message(each));
  json::object body{{"model", what.model}, {"messages", std::move(messages)}};
  json::array tools;
  for (const auto& each : what.tools)
    tools.push_back(json::object{
      {"type", "function"},
      {"function", json::object{{"name", each.name},
                                {"description", each.description},
                                {"parameters", each.parameters}}}});
  if (!tools.empty())
    body["tools"] = std::move(tools);
  if (!what.reply_schema.empty())
    body["response_format"] = json::object{
      {"type", "json_schema"},
      {"json_schema",
       json::object{{"name", "reply"}, {"schema", what.reply_schema}}}};
  body["max_tokens"] = what.max_tokens;
  if (what.temperature)
    body["temperature"] = *what.temperature;
  if (what.stream) {
    body["stream"] = true;
    body["stream_options"] = json::object{{"include_usage", true}};
  }
  return body;
}

} // namespace convene::host
