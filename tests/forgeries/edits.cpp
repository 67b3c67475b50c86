#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <forgeries/edits.hpp>

#include <algorithm>
#include <utility>

namespace convene::tests {
namespace {

using protocol::text_of;

std::string made_up_id(std::uint64_t number) {
  return to_string(protocol::derive_uuid({77, 78}, 0, number));
}

std::string escaped(std::string_view name) {
  std::string made;
  for (const char c : name)
    made += c == '~' ? "~0" : c == '/' ? "~1" : std::string{c};
  return made;
}

/// Calls `visit(pointer, value)` for each member and item below.
void visit_below(const json::value& from, const std::string& pointer,
                 const auto& visit) {
  const auto go_on = [&](const std::string& name, const json::value& value) {
    const auto here = pointer + '/' + name;
    visit(here, value);
    visit_below(value, here, visit);
  };
  if (const auto* object = from.if_object())
    for (const auto& [name, value] : *object)
      go_on(escaped(name), value);
  else if (const auto* list = from.if_array())
    for (std::size_t i = 0; i < list->size(); ++i)
      go_on(std::to_string(i), (*list)[i]);
}

bool is_leaf(const json::value& value) {
  return !value.is_structured();
}

} // namespace

known_values::known_values(const event_log& log) {
  for (const auto& event : log)
    collect(event, {});
}

void known_values::collect(const json::value& from, std::string_view name) {
  if (const auto* text = from.if_string())
    texts_[std::string{name}].emplace(text->data(), text->size());
  else if (const auto* object = from.if_object())
    for (const auto& [key, value] : *object)
      collect(value, key);
  else if (const auto* list = from.if_array())
    for (const auto& value : *list)
      collect(value, name);
}

json::value known_values::other(std::string_view name,
                                const json::value& than) const {
  if (than.is_bool())
    return !than.get_bool();
  if (than.is_int64())
    return than.get_int64() + 1;
  if (!than.is_string())
    return 1;
  const std::string own{than.get_string()};
  if (const auto time = protocol::parse_timestamp(own))
    return json::value(protocol::format_timestamp(*time + 1));
  const auto known = texts_.find(name);
  if (known != texts_.end() && known->second.size() > 1) {
    auto next = std::next(known->second.find(own));
    if (next == known->second.end())
      next = known->second.begin();
    return json::value(*next);
  }
  if (protocol::is_uuid_v4(own))
    return json::value(made_up_id(1));
  return json::value(own + "x");
}

std::vector<edit> edits_of(const event_log& log) {
  std::vector<edit> all;
  for (std::size_t i = 0; i < log.size(); ++i) {
    all.push_back({edit_kind::drop, i, {}});
    all.push_back({edit_kind::repeat, i, {}});
    if (i + 1 < log.size())
      all.push_back({edit_kind::swap, i, {}});
    visit_below(log[i], "", [&](const auto& pointer, const auto& value) {
      if (is_leaf(value))
        all.push_back({edit_kind::change, i, pointer});
      all.push_back({edit_kind::remove, i, pointer});
    });
  }
  return all;
}

event_log forge(event_log log, const edit& what, const known_values& known) {
  const auto where = log.begin() + static_cast<std::ptrdiff_t>(what.event);
  switch (what.kind) {
    case edit_kind::drop:
      log.erase(where);
      break;
    case edit_kind::repeat: {
      auto copy = *where;
      copy.as_object()["event_id"] = made_up_id(2);
      log.insert(where + 1, std::move(copy));
      break;
    }
    case edit_kind::swap:
      std::swap(where[0].as_object()["timestamp"],
                where[1].as_object()["timestamp"]);
      std::swap(where[0], where[1]);
      break;
    case edit_kind::change: {
      const auto name = what.pointer.substr(what.pointer.rfind('/') + 1);
      auto& value = where->at_pointer(what.pointer);
      value = known.other(name, value);
      break;
    }
    case edit_kind::remove: {
      const auto cut = what.pointer.rfind('/');
      auto& parent = where->at_pointer(what.pointer.substr(0, cut));
      const auto name = what.pointer.substr(cut + 1);
      if (auto* list = parent.if_array())
        list->erase(list->begin() + std::stol(name));
      else
        for (auto* member = parent.as_object().begin();
             member != parent.as_object().end(); ++member)
          if (escaped(member->key()) == name) {
            parent.as_object().stable_erase(member);
            break;
          }
      break;
    }
  }
  return log;
}

std::string describe(const event_log& log, const edit& what) {
  static constexpr std::string_view words[]{"drop", "repeat", "swap", "change",
                                            "remove"};
  const auto& event = log[what.event].as_object();
  return std::string{words[static_cast<std::size_t>(what.kind)]} + ' '
         + std::string{text_of(event, "event_type")}
         + (what.pointer.empty() ? "" : ' ' + what.pointer);
}

} // namespace convene::tests
