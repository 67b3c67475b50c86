#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/outside/participants/llm_checks.hpp>
#include <convene/runtime/outside/participants/llm_session_tools.hpp>
#include <convene/runtime/outside/participants/llm_tools.hpp>

#include <optional>
#include <string>
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

/// Where a JSON object that begins the text may end: behind the bracket that
/// closes it; npos: nowhere.
std::size_t end_of_object(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\')
        ++at;
      else
        in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return at + 1;
    }
  }
  return text.npos;
}

/// The one object in a text of other words, which may be an array or Markdown.
protocol::result<json::value> object_among_words(std::string_view text) {
  constexpr int tries_max = 100;
  std::optional<json::value> found;
  int objects = 0;
  int tries = 0;
  for (auto at = text.find('{'); at != text.npos && tries < tries_max;
       at = text.find('{', at), ++tries) {
    const auto end = end_of_object(text.substr(at));
    auto read = end == text.npos
                  ? protocol::fail(protocol::errc::invalid_document, "")
                  : protocol::parse_json(text.substr(at, end));
    if (!read) {
      ++at;
      continue;
    }
    at += end;
    if (read->get_object().empty())
      continue; // as prose has it
    ++objects;
    found = *std::move(read);
  }
  if (objects == 1)
    return *std::move(found);
  return protocol::fail(protocol::errc::invalid_document,
                        "write one JSON object, not "
                          + std::to_string(objects));
}

} // namespace

protocol::result<protocol::reply> read_json_reply(std::string_view text,
                                                  const turn_request& asked) {
  auto read = protocol::parse_json(text);
  if (!read || !read->is_object()) {
    auto found = object_among_words(text);
    if (!found)
      return tl::unexpected{read || text.find('{') == text.npos ? found.error()
                                                                : read.error()};
    read = std::move(found);
  }
  auto* object = read->if_object();
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
