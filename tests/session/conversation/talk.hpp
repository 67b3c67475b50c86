#pragma once

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json_schema/validate.hpp>
#include <convene/session/conversation/run_conversations.hpp>

namespace convene::test {

namespace json = boost::json;
using namespace convene::session;
using protocol::run_event;
using protocol::timestamp_ms;

inline constexpr timestamp_ms talk_start = 1'700'000'000'000;

/// A turn as a client sends it, read from JSON.
inline protocol::conversation_turn
turn_of(std::int64_t index, const std::string& id, json::value content = "yes",
        std::string_view role = "user") {
  auto read = protocol::decode<protocol::conversation_turn>(
    json::object{{"messageId", id},
                 {"from", role == "user" ? "user" : "ann"},
                 {"content", std::move(content)},
                 {"ts", 5 + index},
                 {"role", role},
                 {"turnIndex", index}});
  REQUIRE(read);
  return *std::move(read);
}

/// An answer that ends a conversation, from nobody in particular.
inline close_conversation
closing(std::optional<protocol::conversation_turn> turn = {},
        std::optional<protocol::any_value> outcome = {}) {
  return {{std::move(turn), std::move(outcome)}, {}};
}

inline close_conversation close_with(std::int64_t index, const std::string& id,
                                     json::value outcome) {
  return closing(turn_of(index, id), protocol::any_value{std::move(outcome)});
}

inline std::vector<conversation_state> states_of(const run_conversations& of) {
  std::vector<conversation_state> all;
  for (const auto& each : of.all())
    all.push_back(each.state());
  return all;
}

/// What a log on disk gives: each event through its text.
inline protocol::result<run_conversations>
folded(const std::string& run_id, const std::vector<run_event>& log) {
  run_conversations made{run_id};
  for (const auto& event : log) {
    const auto text
      = protocol::parse_json(json::serialize(protocol::encode(event)));
    REQUIRE(text);
    const auto read = protocol::decode<run_event>(*text);
    REQUIRE(read);
    if (auto done = made.fold(*read); !done)
      return protocol::fail(done.error());
  }
  if (auto whole = made.check_whole(); !whole)
    return protocol::fail(whole.error());
  return made;
}

inline bool is_valid(const std::string& schema, const json::value& document) {
  const auto known = protocol::embedded_schema(schema);
  REQUIRE(known);
  return protocol::validate(*known, document).valid;
}

/// A run's conversations and its log, with a clock that tests set.
class talk {
public:
  explicit talk(std::string run_id = "r") : book{run_id}, run_id_{run_id} {}

  run_conversations book;
  std::vector<run_event> log;
  timestamp_ms now = talk_start;

  conversation_effects
  open(open_conversation input = {.node_id = "ask", .prompt = {"Well?"}}) {
    return keep(book.open(input, now, next()));
  }
  conversation_effects feed(const conversation_input& input,
                            std::string_view node = "ask") {
    return keep(book.feed(node, input, now, next()));
  }
  conversation_effects exchange(std::int64_t index, const std::string& id,
                                json::value content = "yes") {
    return feed(
      protocol::exchange_resume{turn_of(index, id, std::move(content))});
  }
  void close_due() {
    CHECK_FALSE(keep(book.close_due(now, next())).refusal);
  }
  void cancel_all() {
    CHECK_FALSE(keep(book.cancel_all("over", now, next())).refusal);
  }

  /// Goes on as a host does that was killed and started again.
  void restart() {
    auto made = folded(run_id_, log);
    REQUIRE(made);
    book = *std::move(made);
  }

  [[nodiscard]] const conversation_state& state() const {
    return book.find("ask")->state();
  }
  [[nodiscard]] std::vector<std::string> types() const {
    std::vector<std::string> all;
    for (const auto& event : log)
      all.push_back(event.type);
    return all;
  }
  [[nodiscard]] std::int64_t next() const {
    return static_cast<std::int64_t>(log.size());
  }

private:
  conversation_effects keep(conversation_effects made) {
    append(made.events);
    return made;
  }

  /// Each input's events give the state that it left, and are valid.
  void append(const std::vector<run_event>& events) {
    for (const auto& event : events) {
      const auto written = protocol::encode(event);
      INFO(json::serialize(written));
      CHECK(event.sequence == next());
      CHECK(is_valid("run-event", written));
      if (event.type.starts_with("conversation."))
        CHECK(is_valid("conversation-event", event.payload.held));
      log.push_back(event);
    }
    const auto again = folded(run_id_, log);
    INFO((again ? "" : to_string(again.error())));
    REQUIRE(again);
    CHECK(states_of(*again) == states_of(book));
  }

  std::string run_id_;
};

inline std::string refusal_of(const conversation_effects& effects) {
  CHECK(effects.answer.has_value() != effects.refusal.has_value());
  return effects.refusal ? std::string{to_word(effects.refusal->code)} + ": "
                             + effects.refusal->what.rule
                         : "";
}

} // namespace convene::test
