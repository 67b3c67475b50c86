#include <convene/protocol/base/ascii.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/outside/participants/llm_outside.hpp>
#include <convene/runtime/outside/participants/quoted_text.hpp>

#include <algorithm>
#include <utility>

namespace convene::host {
namespace {

namespace json = protocol::json;

constexpr std::size_t tool_name_bytes_max = 64;

} // namespace

tool tool_of(std::shared_ptr<const actors::executor> by) {
  auto schema = by->input_schema;
  if (schema.empty())
    schema["type"] = "object";
  return {.name = by->name,
          .description = by->description,
          .input_schema = std::move(schema),
          .read_only = by->repeatable,
          .by = std::move(by)};
}

bool matches_tool(std::string_view wanted, std::string_view name) noexcept {
  if (!wanted.ends_with('*'))
    return wanted == name;
  wanted.remove_suffix(1);
  return name.starts_with(wanted);
}

std::string model_tool_name(std::string_view name,
                            const std::vector<model_tool>& others) {
  std::string plain;
  for (char c : name) {
    const bool is_allowed = protocol::is_alnum(c) || c == '-' || c == '_';
    plain += is_allowed ? std::string{c} : c == '/' ? "__" : "_";
  }
  if (plain.empty() || protocol::is_digit(plain.front())
      || plain.front() == '-')
    plain.insert(plain.begin(), '_'); // Gemini
  plain.resize(std::min(plain.size(), tool_name_bytes_max));
  auto unique = plain;
  for (int n = 2;
       std::ranges::find(others, unique, &model_tool::name) != others.end();
       ++n) {
    const auto suffix = '_' + std::to_string(n);
    unique = plain.substr(0, tool_name_bytes_max - suffix.size()) + suffix;
  }
  return unique;
}

std::string outside_text(const tool& which,
                         const protocol::action_result& got) {
  if (got.status != protocol::action_status::completed)
    return "the call failed: " + got.error.code + ':'
           + quoted_text(got.error.message);
  if (which.by) {
    const auto* said = got.output.if_string();
    return said ? quoted_whole(*said) : shown_json(got.output);
  }
  static const json::object none;
  const auto* object = got.output.if_object();
  const auto& output = object ? *object : none;
  std::string text;
  const auto* content = output.if_contains("content");
  if (content && content->is_array())
    for (const auto& each : content->get_array()) {
      const auto* part = each.if_object();
      if (!part)
        continue;
      const auto type = protocol::text_of(*part, "type");
      if (!text.empty())
        text += '\n';
      if (type == "text")
        text += quoted_whole(protocol::text_of(*part, "text"));
      else if (type == "resource")
        text += quoted_whole(
          protocol::text_of(protocol::object_of(*part, "resource"), "text"));
      else
        text += '[' + shown_name(type) + " is not shown]";
    }
  if (text.empty())
    if (const auto* value = output.if_contains("structuredContent"))
      text = shown_json(*value);
  return text.empty() ? "(nothing)" : text;
}

bool is_outside_error(const tool& which, const protocol::action_result& got) {
  if (got.status != protocol::action_status::completed)
    return true;
  if (which.by)
    return false;
  const auto* object = got.output.if_object();
  const auto* flag = object ? object->if_contains("isError") : nullptr;
  return flag && flag->is_bool() && flag->get_bool();
}

} // namespace convene::host
