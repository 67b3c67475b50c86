// Whether a reply is what the participant's behaviour makes of its outputs.

#include <convene/protocol/checks/outcome_check.hpp>
#include <convene/protocol/checks/outcome_facts.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/protocol/documents/tool_text.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/same_value.hpp>

namespace convene::protocol {
namespace {

constexpr std::string_view spoken_rule = "replies_match_actions";

/// Rounds of a conversation with a model that are looked at.
constexpr int model_rounds_max = 10'000;

} // namespace

void outcome_check::check_answered(const checked_event& e, const request& of,
                                   const json::object& behaviour,
                                   const json::object& reply) const {
  const auto type = text_of(behaviour, "type");
  const auto* const which = find(of, only_position(type));
  if (which == nullptr || which->result.empty())
    return;
  const auto differs = [&](const std::string& what) {
    e.report(spoken_rule, what + " is not what the output of " + quote(of.first)
                            + " makes it");
  };
  const auto status = reply_status_of(reply);
  if (text_of(which->result, "status") != "completed") {
    const auto& error = object_of(which->result, "error");
    const auto& told = object_of(reply, "error");
    if (status != "failed" || text_of(told, "code") != text_of(error, "code")
        || text_of(told, "message") != text_of(error, "message"))
      differs("the error of the reply");
    return;
  }
  const auto& output = object_of(which->result, "output");
  if (is_blob(output) || (output.size() == 1 && output.contains("http_status")))
    return; // it is not here, or the reply came later
  if (type == "mcp") {
    const auto said = text_of(reply, "content");
    if (status == "completed"
        && (!output.contains("content")
            || (text_of_tool(output) != said
                && text_of_tool(output, false) != said)))
      differs("the content of the reply");
    return;
  }
  const auto* const value = member_of(which->result, "output");
  const auto made = decode_reply(value == nullptr ? json::value{} : *value);
  if (made ? !same_value(encode(*made), reply) : status != "failed")
    differs("the reply");
}

void outcome_check::check_spoken(const checked_event& e, const request& of,
                                 const json::object& behaviour,
                                 const json::object& reply) const {
  if (reply_status_of(reply) != "completed")
    return;
  std::string_view text;
  const json::object* last = nullptr;
  for (int round = 1; round < model_rounds_max; ++round) {
    const auto position = last_asked(of, std::to_string(round));
    if (position.empty())
      break;
    last = output_of(of, position);
    if (last == nullptr)
      return; // it is a blob, or the session says how it ended
    if (const auto said = text_of(*last, "text"); !said.empty())
      text = said;
  }
  if (last == nullptr)
    return;
  const auto content = text_of(reply, "content");
  const auto& calls = array_of(*last, "tool_calls");
  bool is_said = content == text;
  if (text_of(behaviour, "reply") == "json") {
    const auto said = parse_json(text);
    is_said = !said || !said->is_object()
              || text_of(said->get_object(), "content") == content;
  }
  for (const auto& each : calls) {
    const auto* call = each.if_object();
    const auto given = call == nullptr
                         ? result<json::value>{json::value{}}
                         : parse_json(text_of(*call, "arguments"));
    is_said = is_said
              || (given && given->is_object()
                  && text_of(given->get_object(), "content") == content);
  }
  if (!is_said)
    e.report(spoken_rule, "the content of the reply of " + quote(of.first)
                            + " is not what the model's answers make it");
}

} // namespace convene::protocol
