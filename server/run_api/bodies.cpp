#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/server/run_api/bodies.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <span>

namespace convene::server {
namespace {

namespace json = boost::json;
using protocol::result;

protocol::error wrong(std::string pointer, std::string message,
                      std::string rule) {
  return {.code = protocol::errc::invalid_document,
          .message = std::move(message),
          .pointer = std::move(pointer),
          .rule = std::move(rule)};
}

/// The body as an object; empty: an empty object.
result<json::object> read_object(const request& from) {
  if (from.body.empty())
    return json::object{};
  auto parsed = protocol::parse_json(from.body);
  if (!parsed)
    return protocol::fail(std::move(parsed).error());
  auto* members = parsed->if_object();
  if (members == nullptr)
    return protocol::fail(wrong("", "the body must be an object", "type"));
  return std::move(*members);
}

/// The body if it has no other members than these.
result<json::object> read_body(const request& from,
                               std::span<const std::string_view> known) {
  auto body = read_object(from);
  if (body)
    for (const auto& [name, value] : *body)
      if (std::ranges::find(known, std::string_view{name}) == known.end())
        return protocol::fail(
          wrong("/" + std::string{name},
                "this member is not known here; leave it out",
                "additionalProperties"));
  return body;
}

/// Moves an object out of a member that may be absent.
result<void> take_object(json::object& from, std::string_view name,
                         json::object& to) {
  auto* found = from.if_contains(name);
  if (found == nullptr)
    return {};
  if (!found->is_object())
    return protocol::fail(
      wrong("/" + std::string{name}, "the member must be an object", "type"));
  to = std::move(found->get_object());
  return {};
}

result<void> take_text(const json::object& from, std::string_view name,
                       std::string& to) {
  const auto* found = from.if_contains(name);
  if (found == nullptr)
    return {};
  if (!found->is_string())
    return protocol::fail(
      wrong("/" + std::string{name}, "the member must be a string", "type"));
  to = found->get_string();
  return {};
}

result<void> take_tags(const json::object& from, std::vector<std::string>& to) {
  const auto* found = from.if_contains("tags");
  if (found == nullptr)
    return {};
  const auto* list = found->if_array();
  if (list == nullptr || !std::ranges::all_of(*list, [](const auto& each) {
        return each.is_string();
      }))
    return protocol::fail(
      wrong("/tags", "the member must be a list of strings", "type"));
  for (const auto& each : *list)
    to.emplace_back(each.get_string());
  return {};
}

result<json::value> take_resume_value(json::object from) {
  auto* const value = from.if_contains("resumeValue");
  if (value == nullptr)
    return protocol::fail(
      wrong("", "the member \"resumeValue\" is missing: add it", "required"));
  return std::move(*value);
}

/// Which interrupt of the node is meant, if the caller says.
result<void> take_interrupt_id(const json::object& from,
                               session::resolve_interrupt& to) {
  std::string text;
  auto taken = take_text(from, "interruptId", text);
  if (taken && from.contains("interruptId"))
    to.interrupt_id = std::move(text);
  return taken;
}

result<void> take_callback_url(const json::object& from,
                               std::optional<std::string>& to) {
  std::string text;
  auto taken = take_text(from, "callbackUrl", text);
  if (taken && from.contains("callbackUrl"))
    to = std::move(text);
  return taken;
}

/// Whose run it is, which is kept with the run's metadata.
result<void> take_owner(const json::object& from, std::string_view name,
                        json::object& metadata) {
  std::string text;
  auto taken = take_text(from, name, text);
  if (taken && !text.empty())
    metadata[name] = text;
  return taken;
}

result<void> take_dedup(const request& from, run_order& to) {
  const auto given = from.header("x-dedup");
  to.is_exclusive = given == "enforce";
  if (given.empty() || to.is_exclusive)
    return {};
  return protocol::fail(
    {.code = protocol::errc::invalid_document,
     .message = "X-Dedup has the value \"enforce\" or is left out",
     .rule = "enum",
     .value = protocol::shorten(given)});
}

} // namespace

result<run_order> read_run_order(const request& from) {
  static constexpr std::string_view known[]{"workflowId",  "inputs",
                                            "tenantId",    "scopeId",
                                            "callbackUrl", "configurable",
                                            "tags",        "metadata"};
  auto body = read_body(from, known);
  if (!body)
    return protocol::fail(std::move(body).error());
  run_order made;
  made.how.transport = "rest";
  auto all
    = take_text(*body, "workflowId", made.workflow_id)
        .and_then([&] { return take_object(*body, "inputs", made.how.inputs); })
        .and_then([&] {
          return take_object(*body, "configurable", made.how.configurable);
        })
        .and_then(
          [&] { return take_object(*body, "metadata", made.how.metadata); })
        .and_then([&] { return take_tags(*body, made.how.tags); })
        .and_then([&] { return take_callback_url(*body, made.callback_url); })
        .and_then(
          [&] { return take_owner(*body, "tenantId", made.how.metadata); })
        .and_then(
          [&] { return take_owner(*body, "scopeId", made.how.metadata); })
        .and_then([&] { return take_dedup(from, made); });
  if (!all)
    return protocol::fail(std::move(all).error());
  if (made.workflow_id.empty())
    return protocol::fail(
      wrong("", "the member \"workflowId\" is missing: add it", "required"));
  return made;
}

result<json::value> read_resume_value(const request& from) {
  static constexpr std::string_view known[]{"resumeValue"};
  return read_body(from, known).and_then(take_resume_value);
}

result<session::resolve_interrupt> read_answer(const request& from) {
  session::resolve_interrupt made;
  const auto take = [&made](json::value value) {
    made.resume_value = std::move(value);
    return std::move(made);
  };
  if (const auto in_path = from.parameters.find("node");
      in_path != from.parameters.end()) {
    made.node_id = in_path->second;
    static constexpr std::string_view with_id[]{"resumeValue", "interruptId"};
    auto body = read_body(from, with_id);
    if (!body)
      return protocol::fail(std::move(body).error());
    if (auto taken = take_interrupt_id(*body, made); !taken)
      return protocol::fail(std::move(taken).error());
    return take_resume_value(*std::move(body)).map(take);
  }
  const auto take_names = [&made](const json::object& body) {
    return take_text(body, "nodeId", made.node_id).and_then([&] {
      return take_interrupt_id(body, made);
    });
  };
  auto body = read_object(from);
  // RFC 0005 sends a conversation's operation as the body itself.
  if (body && body->contains("operation") && !body->contains("resumeValue")) {
    if (auto taken = take_names(*body); !taken)
      return protocol::fail(std::move(taken).error());
    body->erase("nodeId");
    body->erase("interruptId");
    return take(*std::move(body));
  }
  static constexpr std::string_view known[]{"resumeValue", "nodeId",
                                            "interruptId"};
  body = read_body(from, known);
  if (!body)
    return protocol::fail(std::move(body).error());
  if (auto taken = take_names(*body); !taken)
    return protocol::fail(std::move(taken).error());
  return take_resume_value(*std::move(body)).map(take);
}

result<control_order> read_control(const request& from) {
  const auto body = read_object(from);
  if (!body)
    return protocol::fail(body.error());
  control_order made;
  if (auto taken = take_text(*body, "reason", made.reason).and_then([&] {
        return take_text(*body, "drainPolicy", made.drain_policy);
      });
      !taken)
    return protocol::fail(std::move(taken).error());
  if (made.drain_policy != "drain-current-node"
      && made.drain_policy != "immediate")
    return protocol::fail(
      wrong("/drainPolicy", "expected \"immediate\" or \"drain-current-node\"",
            "enum"));
  return made;
}

result<session::fork_request> read_fork(const request& from) {
  auto parsed = protocol::parse_json(from.body);
  if (!parsed)
    return protocol::fail(std::move(parsed).error());
  return session::read_fork_request(*parsed);
}

result<std::vector<session::run_status>> read_statuses(const request& from) {
  std::vector<session::run_status> all;
  auto left = from.parameter_of_query("status").value_or("");
  while (!left.empty()) {
    const auto word = left.substr(0, left.find(','));
    const auto status = protocol::from_word<session::run_status>(word);
    if (!status)
      return protocol::fail(
        wrong("", "there is no status " + protocol::quote(word) + " of a run",
              "enum"));
    all.push_back(*status);
    left.remove_prefix(std::min(left.size(), word.size() + 1));
  }
  return all;
}

result<std::int64_t> read_number(const request& from, std::string_view name,
                                 std::int64_t least, std::int64_t most,
                                 std::int64_t otherwise) {
  const auto text = from.parameter_of_query(name);
  if (!text)
    return otherwise;
  std::int64_t number = 0;
  const auto* const end = text->data() + text->size();
  const auto read = std::from_chars(text->data(), end, number);
  if (read.ec != std::errc{} || read.ptr != end || number < least
      || number > most)
    return protocol::fail(wrong("",
                                std::string{name} + " is a whole number from "
                                  + std::to_string(least) + " to "
                                  + std::to_string(most),
                                "range"));
  return number;
}

result<std::size_t> read_last_event_id(const request& from) {
  const auto text = from.header("last-event-id");
  if (text.empty())
    return 0;
  std::uint32_t number = 0;
  const auto* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc{} || read.ptr != end)
    return protocol::fail(
      wrong("", "Last-Event-ID is the id of an event of this run", "range"));
  return std::size_t{number} + 1;
}

} // namespace convene::server
