#include <convene/protocol/invariants/path.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <algorithm>
#include <charconv>

namespace convene::protocol {
namespace {

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
           || (c >= '0' && c <= '9') || c == '_';
  });
}

/// Reads the `[0][*]` behind a member's name.
bool parse_indexes(std::string_view text, value_path& to) {
  while (!text.empty()) {
    const auto end = text.find(']');
    if (text.front() != '[' || end == std::string_view::npos)
      return false;
    const auto inside = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    if (inside == "*") {
      to.push_back({});
      continue;
    }
    std::size_t index = 0;
    const auto [stop, failed]
      = std::from_chars(inside.data(), inside.data() + inside.size(), index);
    if (failed != std::errc{} || stop != inside.data() + inside.size())
      return false;
    to.push_back({.member = {}, .index = index});
  }
  return true;
}

} // namespace

value_path parse_path(std::string_view text) {
  value_path path;
  for (bool more = true; more;) {
    const auto dot = text.find('.');
    const auto part = text.substr(0, dot);
    more = dot != std::string_view::npos;
    text.remove_prefix(more ? dot + 1 : text.size());
    const auto name = part.substr(0, part.find('['));
    if (!is_name(name))
      return {};
    path.push_back({.member = std::string{name}});
    if (!parse_indexes(part.substr(name.size()), path))
      return {};
  }
  return path;
}

// As deep as the path has steps, which compiling bounds.
// NOLINTNEXTLINE(misc-no-recursion)
void visit_path(std::span<const path_step> path, const json::value& from,
                const place& at, const value_visitor& visit) {
  if (path.empty())
    return visit(&from, at);
  const auto& [member, index] = path.front();
  if (!member.empty()) {
    const place here{&at, member, {}};
    const auto* object = from.if_object();
    const auto* next = object == nullptr ? nullptr
                                         : object->if_contains(member);
    return next == nullptr ? visit(nullptr, here)
                           : visit_path(path.subspan(1), *next, here, visit);
  }
  const auto* items = from.if_array();
  const auto first = index.value_or(0);
  if (items == nullptr)
    return visit(nullptr, {&at, {}, first});
  const auto last = index ? first + 1 : items->size();
  for (auto i = first; i < last; ++i) {
    const place here{&at, {}, i};
    if (i < items->size())
      visit_path(path.subspan(1), (*items)[i], here, visit);
    else
      visit(nullptr, here);
  }
}

const json::value* find_value(const value_path& path, const json::value& from) {
  const json::value* found = nullptr;
  visit_path(path, from, {}, [&](const json::value* value, const place&) {
    found = found == nullptr ? value : found;
  });
  return found;
}

std::string to_path(const place& at) { // NOLINT(misc-no-recursion)
  if (at.parent == nullptr)
    return {};
  auto path = to_path(*at.parent);
  if (at.index)
    return path + '[' + std::to_string(*at.index) + ']';
  return path + (path.empty() ? "" : ".") + std::string{at.name};
}

} // namespace convene::protocol
