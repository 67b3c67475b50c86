#include "talk.hpp"

#include <catch2/catch.hpp>
#include <convene/protocol/dialog/dialog_change.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/json_schema/validate.hpp>

using namespace convene::protocol;

namespace {

const timestamp_ms later = parse_timestamp(noon).value() + 1'000;

/// Everything that a dialog refers to is there.
const object_lookup all_there{
  .find = [](module, std::string_view) -> const json::object* {
    static const json::object there;
    return &there;
  }};

result<changed_dialog> say(const dialog& to, message_role role,
                           std::optional<std::size_t> changes = {},
                           timestamp_ms at = later) {
  return append_message(to,
                        {.role = role,
                         .content = "Also in French.",
                         .at = at,
                         .source = "cli",
                         .changes = changes},
                        all_there);
}

dialog asked() {
  auto one = active_dialog();
  REQUIRE(add_message(one, {.content = "Translate it.", .timestamp = noon}));
  return one;
}

std::vector<std::string> types(const lifecycle_events& events) {
  std::vector<std::string> all;
  for (const auto& one : events)
    all.push_back(one.type);
  return all;
}

std::string rule_of(const result<changed_dialog>& made) {
  return made ? "" : made.error().rule;
}

} // namespace

TEST_CASE("what a user says is appended, and is an intent") {
  const auto before = asked();
  const auto made = say(before, message_role::user);
  REQUIRE(made);
  auto expected = before;
  expected.messages.push_back(
    {.content = "Also in French.", .timestamp = format_timestamp(later)});
  expected.meta.updated_at = format_timestamp(later);
  CHECK(made->after == expected);
  CHECK(types(made->events)
        == std::vector<std::string>{"user_message_received", "dialog_updated"});
  const auto& payload = made->events.front().payload;
  CHECK(made->events.front().family == "intent");
  CHECK(payload.at("raw_text") == "Also in French.");
  CHECK(payload.at("message") == 2);
  CHECK(payload.at("source") == "cli");
}

TEST_CASE("what others say is no intent of the user") {
  const auto role = GENERATE(message_role::agent, message_role::assistant,
                             message_role::system);
  const auto made = say(asked(), role);
  REQUIRE(made);
  CHECK(types(made->events) == std::vector<std::string>{"dialog_updated"});
}

TEST_CASE("a change of what was asked refers to the intent that it changes") {
  auto before = active_dialog();
  const auto first = say(before, message_role::user);
  REQUIRE(first);
  const auto second = say(first->after, message_role::user, 1);
  REQUIRE(second);
  REQUIRE(types(second->events)
          == std::vector<std::string>{"user_message_received",
                                      "modification_requested",
                                      "dialog_updated"});
  const auto& received = second->events[0].payload;
  const auto& changed = second->events[1];
  CHECK(changed.family == "delta_intent");
  CHECK(changed.payload.at("original_intent_id")
        == first->events[0].payload.at("intent_id"));
  CHECK(changed.payload.at("intent_id") == received.at("intent_id"));
  CHECK(received.at("intent_id") != changed.payload.at("original_intent_id"));
}

TEST_CASE("the events of a dialog are valid by the schemas of their families") {
  const auto made = say(asked(), message_role::user, 1);
  REQUIRE(made);
  for (const auto& event : made->events) {
    INFO(event.type);
    const auto schema = embedded_schema(event.family == "graph_update"
                                          ? "mplp-graph-update-event"
                                          : "mplp-event-core");
    REQUIRE(schema);
    CHECK(validate(*schema, core_event(event, as_v4({1, 2}), later)).valid);
  }
  const auto schema = embedded_schema("dialog");
  REQUIRE(schema);
  CHECK(validate(*schema, encode(made->after)).valid);
}

TEST_CASE("only a message of the user is changed, and by the user") {
  const auto before = asked();
  CHECK(rule_of(say(before, message_role::user, 0)) == "changes_user_message");
  CHECK(rule_of(say(before, message_role::user, 2)) == "changes_user_message");
  CHECK(rule_of(say(before, message_role::agent, 1)) == "changes_user_message");
  CHECK(say(before, message_role::user, 1));
}

TEST_CASE("a message is refused where the dialog or the clock is not ready") {
  auto paused = asked();
  paused.status = dialog_status::paused;
  CHECK(rule_of(say(paused, message_role::user)) == "dialog_active");
  auto locked = asked();
  locked.governance.emplace().locked = true;
  CHECK(rule_of(say(locked, message_role::user)) == "locked");
  CHECK(rule_of(say(asked(), message_role::user, {}, 0)) == "message_order");
  auto unsaid = active_dialog();
  unsaid.messages.clear();
  CHECK(rule_of(say(unsaid, message_role::user, {}, 0)) == "message_order");
  CHECK(rule_of(append_message(asked(), {.at = later}, all_there))
        == "message_empty");
  CHECK(rule_of(append_message(asked(), {.content = "x", .at = later}, {}))
        == "reference_missing");
}

TEST_CASE("a dialog moves along its lifecycle, and ends with the time") {
  using enum dialog_status;
  for (const auto from : {active, paused, completed, cancelled})
    for (const auto to : {active, paused, completed, cancelled}) {
      INFO(to_word(from) << " to " << to_word(to));
      auto before = asked();
      before.status = from;
      const auto made = move_dialog(before, to, later, all_there);
      const bool may = (from == active && to != active)
                       || (from == paused && (to == active || to == cancelled));
      REQUIRE(made.has_value() == may);
      if (!may)
        continue;
      CHECK(made->after.status == to);
      CHECK(made->after.messages == before.messages);
      CHECK(made->after.ended_at.has_value()
            == (to == completed || to == cancelled));
      CHECK(types(made->events) == std::vector<std::string>{"dialog_updated"});
    }
}

TEST_CASE("a dialog does not end before its last message, or while locked") {
  CHECK(rule_of(move_dialog(asked(), dialog_status::completed, 0, all_there))
        == "message_order");
  auto locked = asked();
  locked.governance.emplace().locked = true;
  CHECK(rule_of(move_dialog(locked, dialog_status::paused, later, all_there))
        == "locked");
}
