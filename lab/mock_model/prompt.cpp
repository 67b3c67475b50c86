#include <boost/json/serialize.hpp>
#include <convene/lab/mock_model/prompt.hpp>
#include <convene/lab/mock_model/tokens.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace convene::host::mock {
namespace {

namespace json = boost::json;

constexpr std::int64_t tokens_of_a_message = 4; // its role and its limits

tl::unexpected<bad_prompt> bad(std::string member, const std::string& wanted) {
  std::string message = "'" + member + "' " + wanted;
  return tl::unexpected<bad_prompt>{{std::move(message), std::move(member)}};
}

/// Adds the texts in a value of messages; the depth is that of parsed JSON.
void collect(const json::value& from, // NOLINT(misc-no-recursion)
             std::string& to) {
  if (const auto* text = from.if_string())
    to.append(text->data(), text->size()).append(1, '\n');
  else if (const auto* array = from.if_array())
    for (const auto& one : *array)
      collect(one, to);
  else if (const auto* object = from.if_object())
    for (const auto& one : *object)
      if (one.key() != "role" && one.key() != "type")
        collect(one.value(), to);
}

const json::object* object_in(const json::object& from, std::string_view name) {
  const auto* found = from.if_contains(name);
  return found == nullptr ? nullptr : found->if_object();
}

std::string text_in(const json::object& from, std::string_view name) {
  const auto* found = from.if_contains(name);
  const auto* text = found == nullptr ? nullptr : found->if_string();
  return text == nullptr ? std::string{} : std::string{*text};
}

bool flag_in(const json::object& from, std::string_view name) {
  const auto* found = from.if_contains(name);
  const auto* flag = found == nullptr ? nullptr : found->if_bool();
  return flag != nullptr && *flag;
}

tl::expected<void, bad_prompt> read_tools(const json::object& body,
                                          prompt& to) {
  const auto* tools = body.if_contains("tools");
  if (tools == nullptr || tools->is_null())
    return {};
  if (!tools->is_array())
    return bad("tools", "has to be a list");
  for (const auto& one : tools->as_array()) {
    const auto* tool = one.if_object();
    if (tool != nullptr && to.form == wire_form::openai)
      tool = object_in(*tool, "function");
    const auto name = tool == nullptr ? std::string{} : text_in(*tool, "name");
    if (name.empty())
      return bad("tools", "has an item without a name");
    const auto* parameters = object_in(*tool, to.form == wire_form::openai
                                                ? "parameters"
                                                : "input_schema");
    to.tools.push_back(
      {name, parameters == nullptr ? json::object{} : *parameters});
  }
  return {};
}

/// OpenAI has words and objects, Anthropic objects with a type.
tool_choice read_choice(const json::object& body) {
  const auto* choice = body.if_contains("tool_choice");
  if (choice == nullptr || choice->is_null())
    return tool_choice::automatic;
  const auto word = choice->is_object() ? text_in(choice->get_object(), "type")
                                        : text_in(body, "tool_choice");
  if (word == "none")
    return tool_choice::none;
  return word == "auto" ? tool_choice::automatic : tool_choice::required;
}

tl::expected<std::int64_t, bad_prompt>
read_tokens_max(wire_form form, const json::object& from) {
  const char* name = "max_tokens";
  if (form == wire_form::openai && from.contains("max_completion_tokens"))
    name = "max_completion_tokens";
  const auto* found = from.if_contains(name);
  if (found == nullptr || (form == wire_form::openai && found->is_null()))
    return 0;
  const auto* number = found->if_int64();
  if (number == nullptr || *number < 1)
    return bad(name, "has to be a whole number from 1");
  return *number;
}

/// What the answer depends on; whether it is streamed does not count.
std::string content_of(const json::object& body) {
  std::string out;
  for (const auto name : {"model", "system", "messages", "tools", "tool_choice",
                          "max_tokens", "max_completion_tokens"}) {
    if (const auto* found = body.if_contains(name))
      out += json::serialize(*found);
    out += '\n';
  }
  return out;
}

} // namespace

tl::expected<prompt, bad_prompt> read_prompt(wire_form form,
                                             const json::value& body) {
  const auto* from = body.if_object();
  if (from == nullptr)
    return bad("body", "has to be a JSON object");
  prompt out;
  out.form = form;
  out.model = text_in(*from, "model");
  if (out.model.empty() || out.model.size() > model_name_max)
    return bad("model", "has to be a model's name, of at most "
                          + std::to_string(model_name_max) + " bytes");
  const auto* messages = from->if_contains("messages");
  if (messages == nullptr || !messages->is_array()
      || messages->get_array().empty())
    return bad("messages", "has to be a list that is not empty");
  for (const auto& one : messages->get_array())
    if (!one.is_object() || text_in(one.get_object(), "role").empty())
      return bad("messages", "has an item without a role");
  if (const auto* n = from->if_contains("n");
      n != nullptr && !n->is_null() && *n != json::value(1))
    return bad("n", "has to be 1: this server gives one choice");
  const auto tokens_max = read_tokens_max(form, *from);
  if (!tokens_max)
    return tl::unexpected{tokens_max.error()};
  out.tokens_max = *tokens_max;
  out.streams = flag_in(*from, "stream");
  if (const auto* how = object_in(*from, "stream_options"))
    out.wants_usage = flag_in(*how, "include_usage");
  if (auto tools = read_tools(*from, out); !tools)
    return tl::unexpected{std::move(tools).error()};
  out.choice = read_choice(*from);
  if (const auto* system = from->if_contains("system"))
    collect(*system, out.said);
  collect(*messages, out.said);
  out.tokens = count_tokens(out.said)
               + tokens_of_a_message
                   * static_cast<std::int64_t>(messages->get_array().size());
  out.content = content_of(*from);
  return out;
}

} // namespace convene::host::mock
