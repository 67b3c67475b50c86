#include <boost/json/serialize.hpp>
#include <convene/protocol/base/percent.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/outside/participants/a2a_legacy.hpp>
#include <convene/runtime/outside/participants/a2a_wire.hpp>

#include <algorithm>
#include <utility>

namespace convene::host {
namespace {

namespace json = protocol::json;

/// The largest reply that a session takes, with history and metadata.
constexpr std::size_t agent_answer_bytes_max = 4U << 20;
constexpr std::size_t agent_words_max = 500;

std::string agent_words(std::string_view text) {
  return protocol::sanitize_beginning(text, agent_words_max);
}

/// A call with everything but method, path and body.
http_request begun_call(const a2a_agent& to) {
  const bool plain = to.is_legacy || to.binding == a2a_binding::json_rpc;
  http_request made{
    .url = to.url,
    .headers
    = {{"A2A-Version", to.is_legacy ? "0.3" : "1.0"},
       {"Accept",
        plain ? "application/json" : "application/a2a+json, application/json"},
       {"Content-Type", plain ? "application/json" : "application/a2a+json"}},
    .body_bytes_max = agent_answer_bytes_max};
  if (!to.key.name.empty())
    made.headers.push_back(to.key);
  return made;
}

http_request rpc_call(const a2a_agent& to, std::string_view method,
                      json::object params) {
  auto made = begun_call(to);
  if (!to.tenant.empty())
    params["tenant"] = to.tenant;
  made.body = json::serialize(
    json::object{{"jsonrpc", "2.0"},
                 {"id", 1},
                 {"method", to.is_legacy ? legacy_method(method) : method},
                 {"params", std::move(params)}});
  return made;
}

http_request rest_call(const a2a_agent& to, std::string_view method,
                       const std::string& path, std::string body) {
  auto made = begun_call(to);
  made.method = method;
  if (to.is_legacy)
    made.url += "/v1";
  if (!to.tenant.empty())
    made.url += '/' + protocol::percent_encoded(to.tenant);
  made.url += path;
  made.body = std::move(body);
  return made;
}

protocol::action_error bad_answer(const a2a_agent& from,
                                  const std::string& why) {
  return {.code = "agent_answer_invalid",
          .message = from.origin + ": the agent's answer " + why};
}

/// What the body of an error says, by google.rpc.Status, RFC 9457 or 0.3.
std::string words_of_error(std::string_view body) {
  const auto read = protocol::parse_json(body);
  const auto* object = read ? read->if_object() : nullptr;
  if (object == nullptr)
    return {};
  auto words = protocol::text_of(protocol::object_of(*object, "error"),
                                 "message");
  for (const auto* name : {"detail", "message"})
    if (words.empty())
      words = protocol::text_of(*object, name);
  return agent_words(words);
}

} // namespace

bool is_task_id(std::string_view text) {
  constexpr std::size_t bytes_max = 512;
  return !text.empty() && text.size() <= bytes_max && text != "."
         && text != "..";
}

http_request send_message_call(const a2a_agent& to, json::object params) {
  if (to.is_legacy)
    params = legacy_message(std::move(params), to.binding);
  if (to.binding == a2a_binding::json_rpc)
    return rpc_call(to, "SendMessage", std::move(params));
  return rest_call(to, "POST", "/message:send", json::serialize(params));
}

http_request get_task_call(const a2a_agent& to, std::string_view task_id) {
  if (to.binding == a2a_binding::json_rpc)
    return rpc_call(to, "GetTask", {{"id", task_id}, {"historyLength", 0}});
  return rest_call(
    to, "GET",
    "/tasks/" + protocol::percent_encoded(task_id) + "?historyLength=0", {});
}

http_request cancel_task_call(const a2a_agent& to, std::string_view task_id) {
  if (to.binding == a2a_binding::json_rpc)
    return rpc_call(to, "CancelTask", {{"id", task_id}});
  return rest_call(to, "POST",
                   "/tasks/" + protocol::percent_encoded(task_id) + ":cancel",
                   "{}");
}

tl::expected<json::object, protocol::action_error>
read_agent_answer(const a2a_agent& from, http_answer got) {
  if (!got.is_ok()) {
    if (const auto words = words_of_error(got.body); !words.empty())
      got.error.message += ": " + words;
    return tl::unexpected{std::move(got.error)};
  }
  auto read = protocol::parse_json(got.body);
  if (!read)
    return tl::unexpected{
      bad_answer(from, "is not JSON: " + protocol::to_string(read.error()))};
  auto* object = read->if_object();
  if (object == nullptr)
    return tl::unexpected{bad_answer(from, "is not a JSON object: "
                                             + protocol::shorten_value(*read))};
  const auto as_modern = [&from](json::object result) {
    return from.is_legacy ? modern_answer(std::move(result))
                          : std::move(result);
  };
  if (from.binding == a2a_binding::http_json)
    return as_modern(std::move(*object));
  if (const auto* error = object->if_contains("error");
      error != nullptr && !error->is_null()) {
    const auto& inside = protocol::object_of(*object, "error");
    const auto code = protocol::integer_of(inside, "code").value_or(0);
    return tl::unexpected{protocol::action_error{
      .code = "agent_error",
      .message = from.origin + ": the agent reports "
                 + agent_words(protocol::text_of(inside, "message")) + " ("
                 + std::to_string(code) + ')'}};
  }
  auto* result = object->if_contains("result");
  if (result == nullptr || !result->is_object())
    return tl::unexpected{
      bad_answer(from, "is neither a result nor an error of JSON-RPC")};
  return as_modern(std::move(result->get_object()));
}

json::object task_outcome(const a2a_agent& from, json::object got) {
  if (from.is_legacy)
    return got;
  return {{"task", std::move(got)}};
}

} // namespace convene::host
