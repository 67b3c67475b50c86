#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json_schema/validate.hpp>
#include <convene/server/mcp/tool_book.hpp>

#include <cmath>
#include <cstdint>
#include <utility>

namespace convene::server {
namespace {

namespace json = boost::json;
using protocol::fail;
using protocol::result;

result<protocol::compiled_schema> compiled(const std::string& text) {
  protocol::schema_set set;
  if (auto added = set.add_text("tool", text); !added)
    return fail(std::move(added).error());
  return compile(set, "tool");
}

result<json::object> shown(const mcp_tool& tool) {
  auto input = protocol::parse_json(tool.input_schema);
  auto output = protocol::parse_json(tool.output_schema);
  if (!input || !output)
    return fail(input ? output.error() : input.error());
  return json::object{{"name", tool.name},
                      {"title", tool.title},
                      {"description", tool.about},
                      {"inputSchema", *std::move(input)},
                      {"outputSchema", *std::move(output)},
                      {"annotations",
                       {{"readOnlyHint", tool.is_read_only},
                        {"destructiveHint", false},
                        {"openWorldHint", !tool.is_read_only}}}};
}

/// For the schemas 2.0 is a whole number; the tools get it as 2.
void write_whole_numbers(json::object& arguments) {
  constexpr double exact = 9'007'199'254'740'992.0; // 2^53
  for (auto& member : arguments)
    if (const auto* number = member.value().if_double();
        number != nullptr && std::abs(*number) < exact
        && std::trunc(*number) == *number)
      member.value() = static_cast<std::int64_t>(*number);
}

tool_answer invalid_arguments(const protocol::validation_outcome& why) {
  json::array errors;
  for (const auto& each : why.violations)
    errors.push_back({{"instance", each.instance_pointer},
                      {"keyword", each.keyword},
                      {"message", protocol::shorten(each.text)}});
  return tool_error("arguments_invalid",
                    "the arguments do not match the tool's inputSchema: "
                    "correct what `errors` names",
                    {{"errors", std::move(errors)}});
}

/// The answer as the protocol has it.
json::object to_result(tool_answer from) {
  auto text = from.text.empty() ? json::serialize(from.content)
                                : std::move(from.text);
  json::object made{
    {"content",
     json::array{json::object{{"type", "text"}, {"text", std::move(text)}}}}};
  // An error does not have the form of the tool's answers.
  if (!from.is_error)
    made.emplace("structuredContent", std::move(from.content));
  made.emplace("isError", from.is_error);
  return made;
}

} // namespace

result<tool_book> tool_book::open(std::vector<mcp_tool> tools,
                                  std::size_t answer_bytes_max) {
  tool_book made;
  made.answer_bytes_max_ = answer_bytes_max;
  for (auto& each : tools) {
    auto schema = compiled(each.input_schema);
    auto json = shown(each);
    if (!schema || !json)
      return fail(schema ? json.error() : schema.error());
    made.list_.push_back(*std::move(json));
    auto name = each.name;
    if (!made.tools_
           .emplace(std::move(name), entry{std::move(each), *std::move(schema)})
           .second)
      return fail(protocol::errc::internal, "two tools have the same name");
  }
  return made;
}

tool_answer tool_book::answer(const entry& of, const json::object& params,
                              const caller& by, std::stop_token stop) const {
  const auto& tool = of.tool;
  if (!by.may(tool.scope))
    return tool_error("forbidden", "this key does not allow " + tool.name
                                     + ": use one with the scope "
                                     + tool.scope);
  json::value arguments = protocol::object_of(params, "arguments");
  if (const auto checked = validate(of.arguments, arguments); !checked.valid)
    return invalid_arguments(checked);
  write_whole_numbers(arguments.get_object());
  auto made = tool.run({.arguments = arguments.get_object(),
                        .key = by.key_id.empty() ? "mcp" : by.key_id,
                        .stop = std::move(stop)});
  const auto bytes = json::serialize(made.content).size() + made.text.size();
  if (bytes <= answer_bytes_max_)
    return made;
  return tool_error("answer_bytes_max",
                    "the answer has " + std::to_string(bytes)
                      + " bytes, more than the "
                      + std::to_string(answer_bytes_max_)
                      + " that a call returns: ask for less, or read the "
                        "session's resources");
}

tl::expected<json::object, rpc_fault>
tool_book::call(const json::object& params, const caller& by,
                std::stop_token stop) const {
  const auto name = protocol::text_of(params, "name");
  const auto found = tools_.find(name);
  if (found == tools_.end())
    return tl::unexpected{
      rpc_fault{.code = rpc_code::invalid_params,
                .message = "unknown tool " + protocol::quote(name)
                           + ": tools/list has all of them"}};
  if (const auto* given = params.if_contains("arguments");
      given != nullptr && !given->is_object())
    return tl::unexpected{
      rpc_fault{.code = rpc_code::invalid_params,
                .message = "`arguments` must be an object"}};
  return to_result(answer(found->second, params, by, std::move(stop)));
}

} // namespace convene::server
