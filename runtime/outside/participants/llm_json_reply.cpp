#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/outside/participants/llm_checks.hpp>
#include <convene/runtime/outside/participants/llm_session_tools.hpp>
#include <convene/runtime/outside/participants/llm_tools.hpp>

#include <utility>
#include <vector>

// A reply that is one JSON object, for models without tools.

namespace convene::host {

namespace json = protocol::json;
using actors::turn_request;

json::object reply_schema(const turn_request& asked) {
  json::object members{
    {"content", json::object{{"type", "string"},
                             {"description", "what you say to the others"}}}};
  json::object decisions;
  for (const auto& each : all_session_tools()) {
    if (!each.is_offered(asked) || each.member.empty())
      continue;
    constexpr std::string_view decision = "decision[]";
    auto schema = schema_of(each);
    schema["description"] = each.description;
    if (each.name == "end_session") {
      members[each.member] = json::object{{"type", "boolean"},
                                          {"description", each.description}};
    } else if (each.member.starts_with(decision)) {
      decisions[each.member.substr(decision.size())] = std::move(schema);
    } else if (is_decision(asked)) { // a handoff
      decisions[each.member] = std::move(schema);
    } else if (each.member.ends_with("[]")) {
      members[each.member.substr(0, each.member.size() - 2)]
        = json::object{{"type", "array"}, {"items", std::move(schema)}};
    } else {
      members[each.member] = std::move(schema);
    }
  }
  json::array required;
  if (is_decision(asked)) {
    members["decision"] = json::object{
      {"type", "array"},
      {"minItems", 1},
      {"items", json::object{{"type", "object"},
                             {"description", "exactly one of these"},
                             {"properties", std::move(decisions)},
                             {"additionalProperties", false}}}};
    required.emplace_back("decision");
  }
  required.emplace_back(is_vote(asked) ? "vote" : "content");
  return {{"type", "object"},
          {"properties", std::move(members)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

namespace {

std::vector<json::object*> objects_in(json::object& from,
                                      std::string_view name) {
  std::vector<json::object*> all;
  auto* items = from.if_contains(name);
  if (items && items->is_array())
    for (auto& each : items->get_array())
      if (each.is_object())
        all.push_back(&each.get_object());
  return all;
}

std::string_view without_fence(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos)
    return {};
  text = text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
  constexpr std::string_view fence = "```";
  const auto line = text.find('\n');
  if (!text.starts_with(fence) || !text.ends_with(fence) || line == text.npos
      || line + fence.size() >= text.size())
    return text;
  return text.substr(line + 1, text.size() - line - 1 - fence.size());
}

} // namespace

protocol::result<protocol::reply> read_json_reply(std::string_view text,
                                                  const turn_request& asked) {
  auto read = protocol::parse_json(without_fence(text));
  if (!read)
    return read.map([](const auto&) { return protocol::reply{}; });
  auto* object = read->if_object();
  if (!object)
    return protocol::fail(protocol::errc::invalid_document,
                          "write one JSON object");
  const auto schema = reply_schema(asked);
  const auto& known = schema.at("properties").as_object();
  for (const auto& [name, value] : *object)
    if (!known.contains(name))
      return protocol::fail(protocol::errc::invalid_document,
                            "there is no member " + protocol::quote(name)
                              + " in this reply");
  for (auto* each : objects_in(*object, "writes")) {
    add_base_version(*each, asked);
    if (!each->contains("value") && protocol::text_of(*each, "op") != "delete")
      return protocol::fail(protocol::errc::invalid_document,
                            "a write has no `value`");
  }
  if (auto* vote = object->if_contains("vote"); vote && vote->is_object())
    vote->get_object()["conflict_id"] = asked.dispute.conflict_id;
  auto reply = protocol::decode_reply(*read);
  if (!reply)
    return reply;
  auto problem = problem_of(*reply, asked);
  if (problem.empty() && is_decision(asked) && reply->decision.empty())
    problem = "`decision` is missing";
  if (problem.empty() && is_vote(asked) && !reply->vote)
    problem = "`vote` is missing";
  if (!problem.empty())
    return protocol::fail(protocol::errc::invalid_document, std::move(problem));
  return reply;
}

} // namespace convene::host
