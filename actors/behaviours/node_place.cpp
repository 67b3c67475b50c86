#include <convene/actors/behaviours/node_place.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace convene::actors {
namespace {

namespace json = protocol::json;

/// Those whose answers come from a place that another node does not have.
constexpr std::array<std::string_view, 5> bound_types{"function", "application",
                                                      "human", "external",
                                                      "recorded"};

constexpr std::size_t name_bytes_max = 63;

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= name_bytes_max
         && std::ranges::all_of(text, [](char c) {
              return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')
                     || (c >= 'A' && c <= 'Z') || c == '.' || c == '-'
                     || c == '_';
            });
}

bool is_label(std::string_view text) {
  const auto is = text.find('=');
  return is_name(text.substr(0, is))
         && (is == text.npos || is_name(text.substr(is + 1)));
}

protocol::error invalid(std::string_view pointer, std::string message) {
  return {.code = protocol::errc::invalid_document,
          .message = std::move(message),
          .pointer = std::string{pointer} + "/node",
          .rule = "node"};
}

} // namespace

std::string to_string(const node_place& what) {
  return what.label.empty() ? "node \"" + what.name + '"'
                            : "label \"" + what.label + '"';
}

bool names_node(const json::value& behaviour) noexcept {
  const auto* const object = behaviour.if_object();
  return object != nullptr && object->contains(node_member);
}

protocol::result<void> check_node_type(const json::value& behaviour,
                                       std::string_view pointer) {
  const auto* const all = behaviour.if_object();
  const auto type = all == nullptr ? std::string_view{}
                                   : protocol::text_of(*all, "type");
  if (std::ranges::find(bound_types, type) == bound_types.end())
    return {};
  return protocol::fail(
    {.code = protocol::errc::activation_refused,
     .message = "a participant of type " + std::string{type}
                + " cannot run on another node: leave out \"node\"",
     .pointer = std::string{pointer} + "/node",
     .rule = "node_type",
     .value = protocol::shorten(type)});
}

protocol::result<node_place> read_node_place(const json::value& behaviour,
                                             std::string_view pointer) {
  if (auto may = check_node_type(behaviour, pointer); !may)
    return protocol::fail(std::move(may).error());
  const auto& all = behaviour.as_object();
  const auto* const wanted = all.at(node_member).if_object();
  const auto* const value = wanted != nullptr && wanted->size() == 1
                              ? wanted->begin()->value().if_string()
                              : nullptr;
  if (value == nullptr)
    return protocol::fail(
      invalid(pointer, R"(write {"name": "NODE"} or {"label": "LABEL"} here)"));
  const std::string_view key = wanted->begin()->key();
  const std::string text{*value};
  if (key == "name" && is_name(text))
    return node_place{.name = text, .label = {}};
  if (key == "label" && is_label(text))
    return node_place{.name = {}, .label = text};
  if (key != "name" && key != "label")
    return protocol::fail(invalid(pointer, "a node is asked for by \"name\" or "
                                           "\"label\", not by \""
                                             + protocol::shorten(key) + '"'));
  return protocol::fail(
    invalid(pointer, "names of nodes and labels have 1 to 63 letters, digits, "
                     "dots, hyphens and underscores; a label may have a value, "
                     "as in \"zone=x\""));
}

json::value without_node(const json::value& behaviour) {
  auto made = behaviour;
  made.as_object().erase(node_member);
  return made;
}

} // namespace convene::actors
