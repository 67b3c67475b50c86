#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/integrations/event_stream/stream_message.hpp>
#include <convene/protocol/cloudevents/cloud_event.hpp>

#include <string>

using namespace convene;
using namespace convene::host;

namespace {

constexpr std::size_t much = 1U << 20;
const std::string id = "11111111-1111-4111-8111-111111111111";

std::string line_of(const std::string& type, const std::string& text = "") {
  return R"({"event_id":"e-1","event_type":")" + type + R"(","session_id":")"
         + id
         + R"(","timestamp":"2026-11-28T17:44:44.354Z","payload":{"text":")"
         + text + R"("}})";
}

std::string text(const boost::json::object& of, std::string_view name) {
  return std::string{of.at(name).as_string()};
}

} // namespace

TEST_CASE("an event is published with the bytes of its export") {
  const auto line = line_of("MAPTurnCompleted", "h\\u00e9 1e3");
  const auto made = message_of("events", id, 7, line, much);
  CHECK(made.body
        == boost::json::serialize(protocol::cloud_event(
          boost::json::parse(line).as_object(), "event-1")));
  CHECK(made.id == "e-1");
  CHECK(made.subject == "events.MAPTurnCompleted." + id);
  CHECK(made.place == 7);
  CHECK(!made.is_last);
  CHECK(!made.is_shortened);
  CHECK(
    message_of("events", id, 8, line_of("MAPSessionCompleted"), much).is_last);
}

TEST_CASE("an event that is too long is published with a reference to it") {
  const auto line = line_of("MAPTurnCompleted", std::string(3'000, 'x'));
  const auto made = message_of("events", id, 7, line, 2'000);
  CHECK(made.is_shortened);
  CHECK(made.body.size() < 2'000);
  const auto event = boost::json::parse(made.body).as_object();
  CHECK(text(event, "dataref")
        == "/v1/sessions/" + id + "/events?after=6&limit=1");
  CHECK(!event.contains("data"));
  CHECK(text(event, "type") == "convene.MAPTurnCompleted");
  CHECK(text(event, "id") == "e-1");
}

TEST_CASE("a line without an event is published as a reference, too") {
  for (const std::string_view line : {"", "[]", "\xff", "{"}) {
    const auto made = message_of("events", id, 3, line, much);
    INFO(made.body);
    CHECK(made.is_shortened);
    CHECK(made.id == id + "-3");
    CHECK(made.subject == "events.event." + id);
    const auto event = boost::json::parse(made.body).as_object();
    CHECK(text(event, "source") == "/v1/sessions/" + id);
    CHECK(event.contains("dataref"));
  }
}

TEST_CASE("names in an event do not get into headers and subjects unchecked") {
  const auto made = message_of(
    "events", id, 3,
    R"({"event_id":"a\r\nNats-Rollup: all","event_type":"x.>","session_id":"s"})",
    much);
  CHECK(made.id == id + "-3");
  CHECK(made.subject == "events.event." + id);
}
