#include <convene/session/workspace/merge.hpp>

#include <utility>

namespace convene::session {
namespace {

/// What became of a member that may be absent (null): not joined, gone, or
/// there.
struct joined_member {
  bool possible = true;
  std::optional<json::value> value;
};

bool same(const json::value* a, const json::value* b) {
  return a == nullptr || b == nullptr ? a == b : *a == *b;
}

joined_member copy_of(const json::value* what) {
  return {true, what == nullptr ? std::nullopt : std::optional{*what}};
}

joined_member join_members(const json::value* base, const json::value* ours,
                           const json::value* theirs);

joined_member join_objects(const json::object& base, const json::object& ours,
                           const json::object& theirs) {
  json::object made;
  for (const auto& [name, value] : ours) {
    auto member = join_members(base.if_contains(name), &value,
                               theirs.if_contains(name));
    if (!member.possible)
      return {false, std::nullopt};
    if (member.value)
      made.emplace(name, *std::move(member.value));
  }
  for (const auto& [name, value] : theirs) {
    if (ours.contains(name))
      continue;
    auto member = join_members(base.if_contains(name), nullptr, &value);
    if (!member.possible)
      return {false, std::nullopt};
    if (member.value)
      made.emplace(name, *std::move(member.value));
  }
  return {true, json::value(std::move(made))};
}

joined_member join_members(const json::value* base, const json::value* ours,
                           const json::value* theirs) {
  if (same(base, theirs) || same(ours, theirs))
    return copy_of(ours);
  if (same(base, ours))
    return copy_of(theirs);
  const bool objects = base != nullptr && base->is_object() && ours != nullptr
                       && ours->is_object() && theirs != nullptr
                       && theirs->is_object();
  if (!objects)
    return {false, std::nullopt};
  return join_objects(base->get_object(), ours->get_object(),
                      theirs->get_object());
}

} // namespace

json::value merge_patch(json::value to, const json::value& patch) {
  const auto* members = patch.if_object();
  if (members == nullptr)
    return patch;
  if (!to.is_object())
    to = json::object{};
  auto& object = to.get_object();
  for (const auto& [name, value] : *members) {
    if (value.is_null()) {
      object.erase(name);
      continue;
    }
    auto& member = object[name];
    member = merge_patch(std::move(member), value);
  }
  return to;
}

std::optional<json::value> join(const json::value& base,
                                const json::value& ours,
                                const json::value& theirs) {
  return join_members(&base, &ours, &theirs).value;
}

} // namespace convene::session
