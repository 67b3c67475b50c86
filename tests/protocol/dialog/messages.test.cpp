#include "talk.hpp"

#include <catch2/catch.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/json_schema/validate.hpp>

using namespace convene::protocol;

namespace {

dialog_message user_says(std::string content, std::string at = noon) {
  return {.role = message_role::user,
          .content = std::move(content),
          .timestamp = std::move(at)};
}

} // namespace

TEST_CASE("a dialog starts active, with its system prompt, and is valid") {
  const auto made = active_dialog();
  CHECK(made.status == dialog_status::active);
  CHECK(made.started_at == noon);
  CHECK_FALSE(made.ended_at);
  REQUIRE(made.messages.size() == 1);
  CHECK(made.messages[0].role == message_role::system);
  CHECK(made.messages[0].content == "Be brief.");
  const auto schema = embedded_schema("dialog");
  REQUIRE(schema);
  CHECK(validate(*schema, encode(made)).valid);
}

TEST_CASE("a dialog without a system prompt starts without a message") {
  CHECK(start_dialog({.dialog_id = "d"}).messages.empty());
}

TEST_CASE("messages are appended in order while the dialog is active") {
  auto one = active_dialog();
  REQUIRE(add_message(one, user_says("first")));
  REQUIRE(add_message(one, user_says("", "2026-01-31T13:00:00.500+01:00")));
  REQUIRE(add_message(one, user_says("third", "2026-01-31T12:00:00.501Z")));
  REQUIRE(one.messages.size() == 4);
  CHECK(one.messages[1].content == "first");
  CHECK(one.messages[3].content == "third");
}

TEST_CASE("a dialog that is not active refuses messages and says its status") {
  const auto status = GENERATE(dialog_status::paused, dialog_status::completed,
                               dialog_status::cancelled);
  auto one = active_dialog();
  one.status = status;
  const auto before = one;
  const auto refused = add_message(one, user_says("late"));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::not_allowed);
  CHECK(refused.error().rule == "dialog_active");
  CHECK(refused.error().value == to_word(status));
  CHECK(one == before);
}

TEST_CASE("a message that cannot stand there is refused and changes nothing") {
  const auto [message, code, rule]
    = GENERATE(table<dialog_message, errc, std::string>({
      {user_says("old", "2026-01-31T11:59:59.999Z"), errc::not_allowed,
       "message_order"},
      {user_says("when", "yesterday"), errc::invalid_document, "format"},
      {user_says("\xff"), errc::invalid_document, "utf8"},
      {user_says(std::string(message_bytes_max + 1, 'x')), errc::limit_reached,
       "message_bytes_max"},
    }));
  auto one = active_dialog();
  const auto before = one;
  const auto refused = add_message(one, message);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == code);
  CHECK(refused.error().rule == rule);
  CHECK(refused.error().pointer.starts_with("/messages/1"));
  CHECK(one == before);
}

TEST_CASE("a full dialog refuses the next message") {
  auto one = active_dialog();
  one.messages.resize(dialog_messages_max);
  const auto refused = add_message(one, user_says("more"));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "dialog_messages_max");
}
