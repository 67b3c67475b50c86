#include <convene/protocol/codec/object_reader.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/pointer.hpp>
#include <convene/protocol/strict/edits.hpp>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

namespace convene::protocol {
namespace {

/// The pointer, whole: `to_pointer` shortens names for people.
std::string exact_pointer(const place& at) {
  if (at.parent == nullptr)
    return {};
  auto pointer = exact_pointer(*at.parent);
  append_token(pointer, at.index ? std::to_string(*at.index) : at.name);
  return pointer;
}

json::array names_of(const json::object& members) {
  json::array names;
  for (const auto& member : members)
    names.emplace_back(member.key());
  return names;
}

void compare(const json::value& from, const json::value& to, const place& at,
             json::array& edits);

void compare_objects(const json::object& from, const json::object& to,
                     const place& at, json::array& edits) {
  // What the edits result in has as many members as `to`.
  std::size_t next = 0;
  bool in_order = true;
  const auto follows = [&](std::string_view name) {
    in_order = in_order && to.begin()[next].key() == name;
    ++next;
  };
  bool removed = false;
  for (const auto& member : from) {
    const place here{.parent = &at, .name = member.key()};
    if (const auto* other = to.if_contains(member.key())) {
      compare(member.value(), *other, here, edits);
      follows(member.key());
    } else {
      edits.push_back(json::object{{"at", exact_pointer(here)}});
      removed = true; // which changes the order of the others
    }
  }
  for (const auto& member : to)
    if (!from.contains(member.key())) {
      const place here{.parent = &at, .name = member.key()};
      edits.push_back(
        json::object{{"at", exact_pointer(here)}, {"value", member.value()}});
      follows(member.key());
    }
  if ((removed && to.size() > 1) || !in_order)
    edits.push_back(
      json::object{{"at", exact_pointer(at)}, {"order", names_of(to)}});
}

void compare(const json::value& from, const json::value& to, const place& at,
             json::array& edits) {
  if (from.is_object() && to.is_object()) {
    compare_objects(from.get_object(), to.get_object(), at, edits);
  } else if (from.is_array() && to.is_array()
             && from.get_array().size() == to.get_array().size()) {
    for (std::size_t i = 0; i < to.get_array().size(); ++i)
      compare(from.get_array()[i], to.get_array()[i],
              {.parent = &at, .index = i}, edits);
  } else if (from.kind() != to.kind() || from != to) {
    edits.push_back(json::object{{"at", exact_pointer(at)}, {"value", to}});
  }
}

auto misfit(const json::value& edit, std::string message) {
  return fail({.code = errc::invalid_document,
               .message = std::move(message),
               .rule = "edit",
               .value = shorten_value(edit)});
}

result<void> reorder(json::value& what, const json::value& names) {
  auto* members = what.if_object();
  const auto* order = names.if_array();
  if (members == nullptr || order == nullptr
      || order->size() != members->size())
    return misfit(names, "an order must name every member of an object");
  json::object sorted;
  for (const auto& name : *order) {
    const auto* text = name.if_string();
    auto* member = text == nullptr ? nullptr : members->if_contains(*text);
    if (member == nullptr || sorted.contains(*text))
      return misfit(names, "an order must name every member of an object");
    sorted.emplace(*text, *member);
  }
  *members = std::move(sorted);
  return {};
}

result<void> apply_edit(json::value& root, const json::value& edit) {
  const auto* members = edit.if_object();
  const auto* at = members == nullptr ? nullptr : members->if_contains("at");
  if (at == nullptr || !at->is_string())
    return misfit(edit, "an edit must have a pointer \"at\"");
  const std::string_view pointer{at->get_string()};
  const auto missing = [&edit] {
    return misfit(edit, "nothing is there to be edited");
  };
  if (const auto* order = members->if_contains("order")) {
    boost::system::error_code none;
    auto* target = root.find_pointer(pointer, none);
    return target == nullptr ? missing() : reorder(*target, *order);
  }
  const auto* value = members->if_contains("value");
  if (pointer.empty()) {
    if (value == nullptr)
      return missing();
    root = *value;
    return {};
  }
  const auto slash = pointer.rfind('/');
  if (slash == pointer.npos)
    return missing();
  boost::system::error_code none;
  auto* parent = root.find_pointer(pointer.substr(0, slash), none);
  const auto piece = pointer.substr(slash + 1);
  if (parent != nullptr && parent->is_object()) {
    std::string name;
    read_token(piece, name);
    if (value != nullptr)
      parent->get_object()[name] = *value;
    else
      parent->get_object().erase(name);
    return {};
  }
  std::size_t index = 0;
  const auto* const end = piece.data() + piece.size();
  if (parent == nullptr || !parent->is_array() || value == nullptr
      || std::from_chars(piece.data(), end, index).ptr != end
      || index >= parent->get_array().size())
    return missing();
  parent->get_array()[index] = *value;
  return {};
}

} // namespace

json::array difference(const json::value& from, const json::value& to) {
  json::array edits;
  compare(from, to, place{}, edits);
  return edits;
}

result<void> apply_edits(json::value& at, const json::value& edits) {
  const auto* list = edits.if_array();
  if (list == nullptr)
    return misfit(edits, "edits must be an array");
  for (const auto& edit : *list)
    if (auto done = apply_edit(at, edit); !done)
      return done;
  return {};
}

} // namespace convene::protocol
