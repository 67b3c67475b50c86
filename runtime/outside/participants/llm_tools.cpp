#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/outside/participants/llm_prompt.hpp>
#include <convene/runtime/outside/participants/llm_session_tools.hpp>
#include <convene/runtime/outside/participants/llm_tools.hpp>
#include <convene/runtime/outside/participants/quoted_text.hpp>

#include <algorithm>
#include <utility>

namespace convene::host {
namespace {

namespace json = protocol::json;
using actors::turn_request;

tool_effect refused(std::string why) {
  return {.text = std::move(why), .valid = false};
}

tool_effect read_resource(const json::object& from, const turn_request& asked,
                          const protocol::reply& made) {
  protocol::resource_ref name;
  if (auto problem = read_into(from, name); !problem.empty())
    return refused(std::move(problem));
  json::object shown{{"resource_type", name.resource_type},
                     {"resource_id", name.resource_id}};
  const auto* found
    = asked.workspace.find({name.resource_type, name.resource_id});
  if (!found || found->deleted)
    shown["exists"] = false;
  else
    shown["value"] = found->value;
  for (const auto& each : made.writes)
    if (each.resource_type == name.resource_type
        && each.resource_id == name.resource_id)
      shown["you_wrote"] = json::object{{"op", protocol::to_word(each.op)},
                                        {"value", each.value}};
  return {.text = shown_json(shown)};
}

const session_tool* find_tool(std::string_view name,
                              const turn_request& asked) {
  const auto all = all_session_tools();
  const auto found = std::ranges::find(all, name, &session_tool::name);
  return found != all.end() && found->is_offered(asked) ? &*found : nullptr;
}

} // namespace

std::vector<model_tool> session_tools(const turn_request& asked) {
  std::vector<model_tool> offered;
  for (const auto& each : all_session_tools())
    if (each.is_offered(asked))
      offered.push_back({.name = std::string{each.name},
                         .description = std::string{each.description},
                         .parameters = schema_of(each)});
  return offered;
}

tl::expected<json::object, std::string> read_arguments(const tool_call& what) {
  constexpr std::size_t shown_bytes_max = 2000;
  const auto& text = what.arguments;
  auto read = protocol::parse_json(text.empty() ? "{}" : text);
  if (read && read->is_object())
    return std::move(read->get_object());
  return tl::unexpected{
    (read ? "the arguments must be a JSON object"
          : "the arguments are not valid JSON: " + read.error().message)
    + "; you wrote: " + cut_text(text, shown_bytes_max)};
}

tool_effect call_session_tool(const tool_call& what, const turn_request& asked,
                              protocol::reply& made) {
  const auto* tool = find_tool(what.name, asked);
  if (!tool)
    return refused("there is no tool " + protocol::quote(what.name)
                   + "; use one of those that you were given");
  auto arguments = read_arguments(what);
  if (!arguments)
    return refused(std::move(arguments.error()));
  if (tool->name == read_name)
    return read_resource(*arguments, asked, made);
  auto problem = tool->call(*arguments, asked, made);
  if (!problem.empty())
    return refused(std::move(problem));
  return {.text = "done", .ends = tool->ends};
}

} // namespace convene::host
