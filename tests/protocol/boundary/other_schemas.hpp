#pragma once

#include <convene/protocol/boundary/boundary.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json_schema/schema_set.hpp>
#include <convene/schemas/catalog.hpp>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>

// The embedded schemas with one of them changed, to see that a changed schema
// changes what is refused, and to have sessions fail.

namespace convene::test {

/// The value at a JSON pointer; objects get a member there that they lack.
inline boost::json::value& value_at(boost::json::value& root,
                                    std::string_view pointer) {
  auto* at = &root;
  while (!pointer.empty()) {
    const auto end = std::min(pointer.find('/', 1), pointer.size());
    const auto name = pointer.substr(1, end - 1);
    at = at->is_array() ? &at->get_array().at(std::stoul(std::string{name}))
                        : &at->as_object()[name];
    pointer.remove_prefix(end);
  }
  return *at;
}

/// Replaces the value at `pointer` of the event schema by the JSON `text`, or
/// puts it there.
inline protocol::boundary::schema_source
changed_event_schema(const std::string& pointer, std::string_view text) {
  auto set = std::make_shared<protocol::schema_set>();
  for (const auto& file : schemas::all()) {
    if (file.id.empty())
      continue;
    auto schema = protocol::parse_json(file.text).value();
    if (schemas::name(file) == "convene-native-event")
      value_at(schema, pointer) = protocol::parse_json(text).value();
    if (auto added = set->add({}, std::move(schema)); !added)
      throw std::runtime_error{to_string(added.error())};
  }
  return [set](std::string_view id) { return protocol::compile(*set, id); };
}

inline std::shared_ptr<const protocol::boundary::rules>
changed_rules(const std::string& pointer, std::string_view text) {
  return protocol::boundary::make_rules(changed_event_schema(pointer, text))
    .value();
}

/// Where the payload of an event type is described.
inline std::string payload_of(const std::string& type) {
  return "/definitions/" + type + "/properties/payload";
}

/// What is said of an event.
struct verdict {
  bool passes = false; ///< as values
  std::string refusal; ///< of the line
};

template <class Event>
verdict verdict_on(const protocol::boundary::rules& by,
                   const protocol::event_head& head, const Event& event) {
  protocol::byte_buffer line;
  encode(line, head, event);
  return {by.gate->passes(head, event), by.gate->refusal(line.view())};
}

} // namespace convene::test
