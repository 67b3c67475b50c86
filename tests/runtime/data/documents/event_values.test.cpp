#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/modes/catalog.hpp>
#include <convene/protocol/events/any_event.hpp>
#include <convene/protocol/events/map_event.hpp>
#include <convene/protocol/events/map_payloads.hpp>
#include <support/random_session.hpp>

#include <set>

using namespace convene;
using namespace convene::protocol;

namespace {

/// Reads a line of a log and checks that nothing of it is lost, in the event
/// and in its payload.
any_event read_whole(std::string_view line) {
  const auto from = parse_json(line).value();
  auto event = decode_event(from);
  INFO(line);
  INFO((event ? "" : to_string(event.error())));
  REQUIRE(event);
  REQUIRE(encode_event(*event) == from);
  if (const auto* map = std::get_if<map_event>(&*event)) {
    // The order of members counts: these are the bytes of the log.
    REQUIRE(json::serialize(encode_event(*event)) == json::serialize(from));
    const auto payload = decode_payload(*map);
    INFO((payload ? "" : to_string(payload.error())));
    REQUIRE(payload);
    auto again = *map;
    set_payload(again, *payload);
    REQUIRE(json::serialize(encode_event(again)) == json::serialize(from));
    std::visit(
      [](const auto& known) {
        REQUIRE(known.others.empty()); // all that we write has a name
      },
      *payload);
  }
  return *std::move(event);
}

} // namespace

TEST_CASE("every event of every session is read back as it was written") {
  std::set<event_kind> kinds;
  std::set<map_event_type> types;
  for (const auto* policy : modes::catalog())
    for (std::uint32_t seed = 1; seed <= 60; ++seed)
      for (const auto& line : test::run_random_session(*policy, seed).lines) {
        const auto event = read_whole(line);
        kinds.insert(kind_of(event));
        if (const auto* map = std::get_if<map_event>(&event))
          types.insert(map->event_type);
      }
  CHECK(kinds.size() == 5);  // MAP events, three families, other core events
  CHECK(types.size() == 10); // all there are
}

TEST_CASE("a hand-off is read back as it was written") {
  byte_buffer line;
  encode(line,
         {.event_id = derive_uuid({}, 0, 1),
          .session_id = "00000000-0000-4000-8000-000000000001",
          .timestamp = 1'769'860'800'000},
         map_handoff_initiated{.handoff_id = derive_uuid({}, 0, 2),
                               .from = {"ann", "lead"},
                               .to = {"bob", "coder"},
                               .token_id = derive_uuid({}, 0, 3),
                               .turn_number = 7,
                               .plan_id = "plan",
                               .step_id = "step",
                               .instructions = "go \"on\"\n",
                               .reason = "tired"});
  const auto event = read_whole(line.view());
  const auto payload = decode_payload(std::get<map_event>(event)).value();
  const auto& read = std::get<handoff_initiated_payload>(payload);
  CHECK(read.to_participant == "bob");
  CHECK(read.turn_number == 7);
  CHECK(read.instructions == "go \"on\"\n");
}
