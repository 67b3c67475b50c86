#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/server/runs/hosted_run.hpp>

using namespace convene;
namespace json = boost::json;

TEST_CASE("The text of a run's event is what the event is") {
  protocol::run_event event{.event_id = "e1",
                            .run_id = "r\"\\\n\x01\x7f",
                            .type = "node.started",
                            .payload = {json::object{{"a", {1, 2.5, nullptr}},
                                                     {"\x02", "\xc3\xa4"}}},
                            .timestamp = "2026-01-01T00:00:00.000Z",
                            .sequence = 7};
  std::vector<protocol::run_event> all{event};
  event.node_id = "n";
  event.causation_id = "e0";
  all.push_back(event);
  event.schema_version = 1;
  event.engine_version = "2";
  event.others["more"] = true;
  all.push_back(event);
  event = all.front();
  event.payload.held = {true, false, -9, std::uint64_t{1} << 63, "\b\f"};
  all.push_back(event);
  for (int level = 0; level < 100; ++level)
    event.payload.held = json::array{std::move(event.payload.held)};
  all.push_back(event);
  json::parse_options deep;
  deep.max_depth = 128;
  const auto texts = server::texts_of(all);
  REQUIRE(texts.size() == all.size());
  CHECK(server::events_of(texts) == all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto read = json::parse(*texts[i], {}, deep);
    const auto wanted = protocol::encode(all[i]);
    CHECK(read == wanted);
    // In the same order, too.
    auto at = wanted.get_object().begin();
    for (const auto& member : read.get_object())
      CHECK(member.key() == (at++)->key());
  }
}
