#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <convene/lab/mock_model/answer_parts.hpp>
#include <convene/lab/mock_model/dialect_form.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <fmt/format.h>

#include <array>
#include <utility>

namespace convene::host::mock {

namespace json = boost::json;

namespace {

/// The member for thoughts; empty: there is none.
std::string_view thought_member(dialect by) {
  switch (by) {
    case dialect::deepseek:
    case dialect::llama_cpp:
    case dialect::lmdeploy:
      return "reasoning_content";
    case dialect::groq:
    case dialect::ollama:
    case dialect::openrouter:
    case dialect::vllm:
      return "reasoning";
    default:
      return {};
  }
}

json::object thought_part(const answer& what) {
  return {{"type", "thinking"},
          {"thinking", json::array{json::object{{"type", "text"},
                                                {"text", what.thoughts}}}}};
}

std::string tagged(const answer& what) {
  return "<think>" + what.thoughts + "</think>\n\n";
}

void add_thought_members(dialect by, json::object& to, const answer& what) {
  // DeepSeek's has it with each answer, and wants it back.
  if (const auto name = thought_member(by);
      !name.empty() && (!what.thoughts.empty() || by == dialect::deepseek))
    to[name] = what.thoughts;
  if (by == dialect::openrouter && !what.thoughts.empty())
    to["reasoning_details"]
      = json::array{json::object{{"type", "reasoning.text"},
                                 {"text", what.thoughts},
                                 {"signature", "signed-" + what.id},
                                 {"index", 0}}};
}

bool is_object_text(const json::value& arguments) {
  const auto* text = arguments.if_string();
  if (text == nullptr)
    return false;
  const auto read = protocol::parse_json(*text);
  return read && read->is_object();
}

/// Why a call that the model made before is refused; empty: it is taken.
std::string call_fault(dialect by, const json::object& call) {
  const auto& function = protocol::object_of(call, "function");
  const auto* arguments = function.if_contains("arguments");
  const bool reads = by == dialect::vllm || by == dialect::ollama
                     || by == dialect::llama_cpp;
  if (reads && (arguments == nullptr || !is_object_text(*arguments)))
    return "Failed to parse tool call arguments as JSON";
  if (by == dialect::gemini && !call.contains("extra_content"))
    return "Function call is missing a thought_signature in functionCall "
           "parts.";
  constexpr std::size_t id_bytes = 9;
  if (by == dialect::mistral
      && protocol::text_of(call, "id").size() != id_bytes)
    return "Tool call id has to be 9 letters and digits";
  return {};
}

std::string message_fault(dialect by, const json::object& message) {
  const auto* calls = message.if_contains("tool_calls");
  if (protocol::text_of(message, "role") != "assistant")
    return {};
  if (by == dialect::mistral)
    for (const auto& [name, value] : message)
      if (name != "role" && name != "content" && name != "tool_calls")
        return "Extra inputs are not permitted: " + std::string{name};
  if (calls == nullptr || !calls->is_array())
    return {};
  if (by == dialect::deepseek && !message.contains("reasoning_content"))
    return "The reasoning_content in the thinking mode must be passed back to "
           "the API.";
  for (const auto& each : calls->get_array())
    if (const auto* call = each.if_object())
      if (auto fault = call_fault(by, *call); !fault.empty())
        return fault;
  return {};
}

} // namespace

bool sends_whole_calls(dialect by) {
  return by == dialect::gemini || by == dialect::llama_cpp
         || by == dialect::ollama || by == dialect::tgi;
}

void shape_call(dialect by, json::object& call, const answer& what,
                std::size_t number, std::size_t piece) {
  const auto arguments_as_object = [&] {
    auto& arguments = call["function"].as_object()["arguments"];
    arguments = json::parse(std::string_view{arguments.as_string()});
  };
  switch (by) {
    case dialect::gemini:
      call.erase("index");
      call["id"] = "";
      call["extra_content"] = json::object{
        {"google", json::object{{"thought_signature",
                                 fmt::format("{}-{}", what.id, number)}}}};
      break;
    case dialect::ollama:
      call["index"] = 0;
      break;
    case dialect::llama_cpp:
    case dialect::tgi:
      arguments_as_object();
      break;
    case dialect::lmdeploy:
    case dialect::vllm:
      if (piece > 0)
        call["id"] = fmt::format("call_{}_{}_{}", what.id, number, piece);
      break;
    case dialect::mistral:
      if (piece == 0)
        call["id"] = fmt::format("{:0>6.6}{:03}", what.id, number);
      break;
    default:
      break;
  }
}

void shape_message(dialect by, json::object& message, const answer& what) {
  add_thought_members(by, message, what);
  if (what.thoughts.empty())
    return;
  if (by == dialect::mistral)
    message["content"] = json::array{
      thought_part(what), json::object{{"type", "text"}, {"text", what.text}}};
  if (by == dialect::tags)
    message["content"] = tagged(what) + what.text;
}

void shape_beginning(dialect by, json::object& delta, const answer& what) {
  add_thought_members(by, delta, what);
  if (what.thoughts.empty())
    return;
  if (by == dialect::mistral)
    delta["content"] = json::array{thought_part(what)};
  if (by == dialect::tags)
    delta["content"] = tagged(what);
}

std::string_view finish_word(dialect by, finish why) {
  if (by == dialect::gemini && why == finish::tools)
    return "stop";
  if (by == dialect::mistral && why == finish::length)
    return "model_length";
  if (by == dialect::tgi && why == finish::stop)
    return "eos_token";
  return openai_finish(why);
}

void add_usage(dialect by, json::object& to, json::object usage) {
  if (by == dialect::groq)
    to["x_groq"] = json::object{{"usage", std::move(usage)}};
  else if (by != dialect::tgi)
    to["usage"] = std::move(usage);
}

std::string shape_error(dialect by, unsigned status, std::string body) {
  const auto read = json::parse(body);
  const auto& error = read.at("error").as_object();
  const auto& message = error.at("message");
  switch (by) {
    case dialect::gemini:
      return json::serialize(json::array{json::object{
        {"error", json::object{{"code", status}, {"message", message}}}}});
    case dialect::llama_cpp:
    case dialect::openrouter:
      return json::serialize(json::object{
        {"error", json::object{{"code", status}, {"message", message}}}});
    case dialect::lmdeploy:
    case dialect::vllm:
      return json::serialize(json::object{{"object", "error"},
                                          {"message", message},
                                          {"type", error.at("type")},
                                          {"code", status}});
    case dialect::mistral:
      return json::serialize(json::object{
        {"object", "error"},
        {"message", json::object{{"detail", json::array{json::object{
                                              {"loc", json::array{"body"}},
                                              {"msg", message}}}}}}});
    case dialect::tgi:
      return json::serialize(
        json::object{{"error", message}, {"error_type", error.at("type")}});
    default:
      return body;
  }
}

std::optional<refused_history> history_fault(dialect by,
                                             std::string_view body) {
  if (by == dialect::openai)
    return std::nullopt;
  const auto read = protocol::parse_json(body);
  const auto* messages = read && read->is_object()
                           ? read->get_object().if_contains("messages")
                           : nullptr;
  if (messages == nullptr || !messages->is_array())
    return std::nullopt;
  for (const auto& each : messages->get_array())
    if (const auto* message = each.if_object())
      if (auto fault = message_fault(by, *message); !fault.empty())
        return refused_history{by == dialect::llama_cpp ? 500U
                               : by == dialect::mistral ? 422U
                                                        : 400U,
                               std::move(fault)};
  return std::nullopt;
}

} // namespace convene::host::mock
