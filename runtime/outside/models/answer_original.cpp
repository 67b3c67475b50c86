#include <convene/protocol/json/members.hpp>
#include <convene/runtime/outside/models/answer_original.hpp>

#include <algorithm>
#include <array>

namespace convene::host {
namespace {

namespace json = protocol::json;

/// Members of a part that come in pieces.
bool is_part_text(std::string_view name) {
  constexpr std::array texts{std::string_view{"text"},
                             std::string_view{"thinking"},
                             std::string_view{"summary"},
                             std::string_view{"reasoning"}};
  return std::ranges::find(texts, name) != texts.end();
}

bool is_same_part(const json::object& last, const json::object& next) {
  const auto is_same = [&](std::string_view name) {
    const auto* a = last.if_contains(name);
    const auto* b = next.if_contains(name);
    return a && b ? *a == *b : !a && !b;
  };
  // An encrypted one is whole.
  return is_same("type") && is_same("index") && !last.contains("data")
         && !next.contains("data");
}

void merge_part(json::object& to, const json::object& from) {
  for (const auto& [name, value] : from) {
    auto& old = to[name];
    if (is_part_text(name) && old.is_string() && value.is_string())
      old.get_string().append(value.get_string());
    else if (is_part_text(name) && old.is_array() && value.is_array())
      merge_parts(old.get_array(), value.get_array());
    else if (!value.is_null())
      old = value;
  }
}

void merge_latest(json::object& to, const json::object& from) {
  for (const auto& [name, value] : from) {
    auto& old = to[name];
    if (old.is_object() && value.is_object())
      merge_latest(old.get_object(), value.get_object());
    else if (!value.is_null())
      old = value;
  }
}

} // namespace

bool is_original(std::string_view name) {
  constexpr std::array names{std::string_view{"extra_content"},
                             std::string_view{"provider_specific_fields"},
                             std::string_view{"encrypted_content"},
                             std::string_view{"signature"}};
  return name.starts_with("reasoning") || name.starts_with("thinking")
         || name.starts_with("thought")
         || std::ranges::find(names, name) != names.end();
}

void merge_parts(json::array& to, const json::array& from) {
  for (const auto& each : from) {
    auto* last = to.empty() ? nullptr : to.back().if_object();
    const auto* next = each.if_object();
    if (last && next && is_same_part(*last, *next))
      merge_part(*last, *next);
    else
      to.push_back(each);
  }
}

bool merge_original(json::object& to, const json::object& from) {
  bool is_any = false;
  for (const auto& [name, value] : from) {
    if (value.is_null() || !is_original(name))
      continue;
    is_any = true;
    auto& old = to[name];
    if (old.is_string() && value.is_string()
        && (name.starts_with("reasoning") || name.starts_with("think")))
      old.get_string().append(value.get_string());
    else if (old.is_array() && value.is_array())
      merge_parts(old.get_array(), value.get_array());
    else if (old.is_object() && value.is_object())
      merge_latest(old.get_object(), value.get_object());
    else
      old = value;
  }
  return is_any;
}

} // namespace convene::host
