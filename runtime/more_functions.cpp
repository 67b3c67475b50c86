#include <convene/protocol/base/catch_error.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json/pointer.hpp>
#include <convene/runtime/more_functions.hpp>

#include <utility>

namespace convene::host {
namespace {

using protocol::errc;
using protocol::fail;

/// Like `actors::entry_for`; null: none, or no object.
const protocol::json::object*
settings_of(const protocol::json::object& behaviours, const std::string& id,
            std::string& pointer) {
  auto key = id;
  const auto* found = behaviours.if_contains(key);
  if (found == nullptr)
    found = behaviours.if_contains(key = "*");
  protocol::append_to_pointer(pointer = "/behaviours", key);
  return found == nullptr ? nullptr : found->if_object();
}

result<participant> make_one(const protocol::json::object& config,
                             const std::string& id,
                             const std::map<std::string, behaviour_maker>& by) {
  const auto maker = by.find(std::string{protocol::text_of(config, "name")});
  if (maker == by.end() || !maker->second)
    return fail(
      {.code = errc::activation_refused,
       .message = "the application has no behavior of this name: "
                  "add it to runtime_options::behaviours",
       .rule = "behaviour_unknown",
       .value = protocol::shorten(protocol::text_of(config, "name"))});
  result<participant> made;
  if (const auto threw = actors::catch_error([&] {
        made = maker->second(protocol::object_of(config, "settings"), id);
      }))
    return fail(errc::activation_refused,
                "making the participant's behavior threw: " + *threw,
                "behaviour_threw");
  return made;
}

} // namespace

void spread_default_function(std::map<std::string, participant>& functions,
                             const session::spec& scenario,
                             const protocol::json::object& behaviours) {
  const auto given = functions.extract("*");
  if (given.empty())
    return;
  std::string unused;
  for (const auto& who : scenario.collab.participants) {
    const auto* config = settings_of(behaviours, who.participant_id, unused);
    const bool is_free = config == nullptr
                         || protocol::text_of(*config, "type") == "function";
    if (is_free && who.kind != participant_kind::system)
      functions.emplace(who.participant_id, given.mapped());
  }
}

result<void>
make_application_behaviours(std::map<std::string, participant>& functions,
                            const session::spec& scenario,
                            const protocol::json::object& behaviours,
                            const std::map<std::string, behaviour_maker>& by) {
  std::string pointer;
  for (const auto& who : scenario.collab.participants) {
    const auto& id = who.participant_id;
    const auto* config = settings_of(behaviours, id, pointer);
    if (config == nullptr || functions.contains(id)
        || protocol::text_of(*config, "type") != "application")
      continue;
    auto made = make_one(*config, id, by);
    if (!made) {
      if (made.error().pointer.empty())
        made.error().pointer = pointer;
      return tl::unexpected(std::move(made).error());
    }
    functions.emplace(id, *std::move(made));
  }
  return {};
}

} // namespace convene::host
