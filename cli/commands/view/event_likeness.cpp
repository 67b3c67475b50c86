#include <boost/json/serialize.hpp>
#include <convene/cli/commands/view/event_likeness.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/log/digest/digest.hpp>

#include <algorithm>

namespace convene::cli {

void event_likeness::write(std::string& to, std::string_view text) {
  if (const auto id = protocol::parse_uuid(text))
    to += '#'
          + std::to_string(ids_.try_emplace(*id, ids_.size()).first->second);
  else if (protocol::parse_timestamp(text))
    to += '@';
  else
    to += json::serialize(text);
}

void event_likeness::write(std::string& to, const json::value& value) {
  if (const auto* text = value.if_string()) {
    write(to, std::string_view{*text});
  } else if (const auto* object = value.if_object()) {
    write(to, *object);
  } else if (const auto* array = value.if_array()) {
    to += '[';
    for (const auto& element : *array) {
      write(to, element);
      to += ',';
    }
    to += ']';
  } else {
    to += json::serialize(value);
  }
}

void event_likeness::write(std::string& to, const json::object& object) {
  to += '{';
  for (const auto& [name, member] : object) {
    if (name.ends_with("_ms"))
      continue;
    write(to, std::string_view{name});
    to += ':';
    write(to, member);
    to += ',';
  }
  to += '}';
}

event_likeness::hash event_likeness::hash_of(const json::object& value) {
  std::string text;
  write(text, value);
  const auto digest = host::digest_of(text);
  hash made{};
  std::copy_n(digest.begin(), made.size(), made.begin());
  return made;
}

void event_likeness::add(const json::object& event) {
  if (protocol::text_of(event, "event_type") != "MAPSessionStarted") {
    events_.push_back(hash_of(event));
    return;
  }
  auto spec = protocol::object_of(protocol::object_of(event, "payload"),
                                  "spec");
  spec.erase("seed");
  set_up_ = hash_of(spec);
  events_.push_back({});
}

std::optional<std::size_t>
event_likeness::first_difference(const event_likeness& one,
                                 const event_likeness& other) {
  const auto [here, there] = std::ranges::mismatch(one.events_, other.events_);
  if (here == one.events_.end() && there == other.events_.end())
    return std::nullopt;
  return static_cast<std::size_t>(here - one.events_.begin());
}

} // namespace convene::cli
