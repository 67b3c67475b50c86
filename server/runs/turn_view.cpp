#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/server/runs/turn_view.hpp>

#include <memory>
#include <string_view>

namespace convene::server {
namespace {

namespace json = boost::json;
using protocol::text_of;

/// What remains of a turn that is hidden.
void hide(json::object& turn) {
  json::object made;
  for (const auto* const name :
       {"messageId", "from", "ts", "role", "turnIndex", "groupId"})
    if (const auto* const found = turn.if_contains(name))
      made.emplace(name, *found);
  made["content"] = nullptr;
  made["isHidden"] = true;
  turn = std::move(made);
}

bool is_turn(const json::object& of) {
  return of.contains("messageId") && of.contains("turnIndex");
}

} // namespace

void turn_view::apply(json::value& to) const { // NOLINT(misc-no-recursion)
  if (auto* const list = to.if_array())
    for (auto& each : *list)
      apply(each);
  auto* const members = to.if_object();
  if (members == nullptr)
    return;
  if (is_turn(*members) && !sees(text_of(*members, "groupId")))
    return hide(*members);
  // A request shows the first turn's content without its group: who may see it
  // has the turn.
  if (members->contains("conversationId"))
    if (auto* const prompt = members->if_contains("initialPrompt"))
      *prompt = nullptr;
  for (auto& [name, value] : *members)
    apply(value);
}

event_text turn_view::apply(const event_text& event) const {
  if (sees_all())
    return event;
  auto parsed = protocol::parse_json(*event);
  if (!parsed) // of our own log, and read before
    return std::make_shared<const std::string>("{}");
  apply(*parsed);
  return std::make_shared<const std::string>(json::serialize(*parsed));
}

} // namespace convene::server
