#include <boost/json/array.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json/parts.hpp>
#include <convene/runtime/outside/participants/a2a_legacy.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace convene::host {
namespace {

namespace json = protocol::json;

using protocol::object_of;
using protocol::text_of;

struct word_pair {
  std::string_view legacy;
  std::string_view modern;
};

constexpr std::array method_names{word_pair{"message/send", "SendMessage"},
                                  word_pair{"tasks/get", "GetTask"},
                                  word_pair{"tasks/cancel", "CancelTask"}};

/// With the one word of HTTP+JSON that 1.0 spells otherwise.
constexpr std::array state_names{
  word_pair{"submitted", "TASK_STATE_SUBMITTED"},
  word_pair{"working", "TASK_STATE_WORKING"},
  word_pair{"completed", "TASK_STATE_COMPLETED"},
  word_pair{"failed", "TASK_STATE_FAILED"},
  word_pair{"rejected", "TASK_STATE_REJECTED"},
  word_pair{"canceled", "TASK_STATE_CANCELED"},
  word_pair{"TASK_STATE_CANCELLED", "TASK_STATE_CANCELED"},
  word_pair{"input-required", "TASK_STATE_INPUT_REQUIRED"},
  word_pair{"auth-required", "TASK_STATE_AUTH_REQUIRED"}};

constexpr std::array role_names{word_pair{"user", "ROLE_USER"},
                                word_pair{"agent", "ROLE_AGENT"}};

/// Replaces the member's word if it is one of these.
template <class Names>
void modernize(json::object& of, std::string_view member, const Names& names) {
  const auto found = std::ranges::find(names, text_of(of, member),
                                       &word_pair::legacy);
  if (found != names.end())
    of[member] = found->modern;
}

/// Moves a member to another name unless that is taken.
void move_member(json::object& of, std::string_view from, std::string_view to) {
  auto* found = of.if_contains(from);
  if (found == nullptr)
    return;
  auto value = std::move(*found);
  of.erase(from);
  of.emplace(to, std::move(value));
}

/// How a part of 1.0 has what 0.3 has in `file`.
void unpack_file(json::object& part) {
  const auto* file = protocol::object_in(part, "file");
  if (file == nullptr)
    return;
  const json::object from{*file};
  part.erase("file");
  for (const auto& [legacy, modern] :
       {word_pair{"bytes", "raw"}, word_pair{"fileWithBytes", "raw"},
        word_pair{"uri", "url"}, word_pair{"fileWithUri", "url"},
        word_pair{"mimeType", "mediaType"}, word_pair{"name", "filename"}})
    if (const auto* member = from.if_contains(legacy))
      part.emplace(modern, *member);
}

/// HTTP+JSON has data in an object of its own, and both wrap data that is not
/// an object.
void unpack_data(json::object& part, bool has_kind) {
  const auto& metadata = object_of(part, "metadata");
  const auto* wraps = metadata.if_contains("data_part_compat");
  const bool is_wrapped = wraps != nullptr && wraps->is_bool()
                          && wraps->get_bool();
  const auto* name = is_wrapped ? "value" : has_kind ? nullptr : "data";
  const auto& outer = object_of(part, "data");
  if (name == nullptr || outer.size() != 1 || !outer.contains(name))
    return;
  auto inner = outer.at(name);
  part["data"] = std::move(inner);
}

void modernize_part(json::value& of) {
  auto* part = of.if_object();
  if (part == nullptr)
    return;
  unpack_file(*part);
  unpack_data(*part, part->contains("kind"));
  if (const std::string type{
        text_of(object_of(*part, "metadata"), "mediaType")};
      !type.empty())
    part->emplace("mediaType", type);
  part->erase("kind");
}

void modernize_parts(json::object& of) {
  if (auto* const parts = protocol::array_in(of, "parts"))
    for (auto& each : *parts)
      modernize_part(each);
}

void modernize_message(json::value& of) {
  auto* message = of.if_object();
  if (message == nullptr)
    return;
  message->erase("kind");
  move_member(*message, "content", "parts");
  modernize(*message, "role", role_names);
  modernize_parts(*message);
}

void modernize_task(json::value& of) {
  auto* task = of.if_object();
  if (task == nullptr)
    return;
  task->erase("kind");
  task->erase("history");
  if (auto* artifacts = task->if_contains("artifacts");
      artifacts != nullptr && artifacts->is_array())
    for (auto& each : artifacts->get_array())
      if (auto* artifact = each.if_object())
        modernize_parts(*artifact);
  auto* status = protocol::object_in(*task, "status");
  if (status == nullptr)
    return;
  modernize(*status, "state", state_names);
  move_member(*status, "update", "message");
  if (auto* message = status->if_contains("message"))
    modernize_message(*message);
}

/// A security scheme by its `type`, as OpenAPI has it.
void modernize_scheme(json::value& of) {
  const auto* scheme = of.if_object();
  if (scheme == nullptr)
    return;
  if (scheme->contains("httpAuthSecurityScheme")
      || scheme->contains("apiKeySecurityScheme"))
    return;
  const auto type = text_of(*scheme, "type");
  if (type == "http")
    of = json::object{
      {"httpAuthSecurityScheme", {{"scheme", text_of(*scheme, "scheme")}}}};
  else if (type == "apiKey")
    of = json::object{{"apiKeySecurityScheme",
                       {{"location", text_of(*scheme, "in")},
                        {"name", text_of(*scheme, "name")}}}};
}

void modernize_security(json::object& card) {
  if (auto* schemes = card.if_contains("securitySchemes");
      schemes != nullptr && schemes->is_object())
    for (auto& each : schemes->get_object())
      modernize_scheme(each.value());
  if (card.contains("securityRequirements"))
    return;
  json::array ways;
  for (const auto& each : protocol::items_of(card, "security")) {
    const auto* way = each.if_object();
    if (way == nullptr)
      continue;
    json::object schemes;
    for (const auto& scheme : *way)
      schemes[scheme.key()] = {{"list", scheme.value()}};
    ways.push_back(json::object{{"schemes", std::move(schemes)}});
  }
  if (!ways.empty())
    card["securityRequirements"] = std::move(ways);
}

/// The interfaces of a card of 0.3: its own URL, and the additional ones.
json::array legacy_interfaces(const json::object& card) {
  const auto version = text_of(card, "protocolVersion");
  const auto transport = text_of(card, "preferredTransport");
  json::array all;
  const auto add = [&](std::string_view url, std::string_view binding) {
    all.push_back(
      json::object{{"url", url},
                   {"protocolBinding", binding},
                   {"protocolVersion", version.empty() ? "0.3" : version}});
  };
  add(text_of(card, "url"), transport.empty() ? "JSONRPC" : transport);
  for (const auto& each : protocol::items_of(card, "additionalInterfaces"))
    if (const auto* item = each.if_object())
      add(text_of(*item, "url"), text_of(*item, "transport"));
  return all;
}

/// A part of a message to an agent; HTTP+JSON has no `kind`.
void make_legacy_part(json::value& of, bool has_kind) {
  auto& part = of.get_object();
  const bool is_data = part.contains("data");
  json::object type{{"mediaType", part.at("mediaType")}};
  part.erase("mediaType");
  if (has_kind) {
    part["kind"] = is_data ? "data" : "text";
    if (is_data)
      part["metadata"] = std::move(type);
  } else if (is_data) {
    json::object data{{"data", std::move(part.at("data"))}};
    part["data"] = std::move(data);
  }
}

} // namespace

json::object modern_card(json::object card) {
  modernize_security(card);
  if (protocol::items_of(card, "supportedInterfaces").empty()) {
    if (!text_of(card, "url").empty())
      card["supportedInterfaces"] = legacy_interfaces(card);
    return card;
  }
  const std::string version{text_of(card, "protocolVersion")};
  for (auto& each : card.at("supportedInterfaces").get_array())
    if (auto* item = each.if_object();
        item != nullptr && text_of(*item, "protocolVersion").empty())
      (*item)["protocolVersion"] = version.empty() ? "1.0" : version;
  return card;
}

json::object legacy_message(json::object from, a2a_binding binding) {
  const bool has_kind = binding == a2a_binding::json_rpc;
  auto& message = from.at("message").get_object();
  for (auto& each : message.at("parts").get_array())
    make_legacy_part(each, has_kind);
  if (has_kind) {
    message["kind"] = "message";
    message["role"] = "user";
  } else {
    move_member(message, "parts", "content");
  }
  auto& how = from.at("configuration").get_object();
  how["blocking"] = !how.at("returnImmediately").get_bool();
  how.erase("returnImmediately");
  return from;
}

json::object modern_answer(json::object from) {
  move_member(from, "msg", "message");
  const std::string kind{text_of(from, "kind")};
  // HTTP+JSON answers with a bare task, and some agents leave `kind` out.
  const bool is_task = kind == "task"
                       || (kind.empty() && from.contains("status"));
  if (is_task || kind == "message"
      || (kind.empty() && from.contains("parts"))) {
    json::object made;
    made.emplace(is_task ? "task" : "message", std::move(from));
    from = std::move(made);
  }
  if (auto* task = from.if_contains("task"))
    modernize_task(*task);
  if (auto* message = from.if_contains("message"))
    modernize_message(*message);
  return from;
}

std::string_view legacy_method(std::string_view modern) {
  const auto* found = std::ranges::find(method_names, modern,
                                        &word_pair::modern);
  return found == method_names.end() ? modern : found->legacy;
}

} // namespace convene::host
