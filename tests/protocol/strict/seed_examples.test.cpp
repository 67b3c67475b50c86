#include <convene/protocol/strict/derived_events.hpp>
#include <convene/protocol/strict/official_schema.hpp>
#include <protocol/strict/samples.hpp>

using namespace convene::test;
using namespace convene::protocol;

// MPLP conflicts.md section 0 counts the errors of the seeds' own examples, and
// section 2 says that their exports have none.

TEST_CASE("a dialog as the seed writes it has seven errors, its export none") {
  const auto dialog = parsed(seed_dialog);
  CHECK(violations("mplp-dialog", dialog).size() == 7);
  const auto strict = exported(dialog);
  CHECK(violations("mplp-dialog", strict).empty());
  CHECK(strict.at("dialog_id") == "550e8400-e29b-41d4-a716-446655440000");
  CHECK(strict.at("meta").at("created_by") == "mplp-runtime");
}

TEST_CASE("a collab as the seed writes it has six errors, its export none") {
  const auto collab = parsed(seed_collab);
  CHECK(violations("mplp-collab", collab).size() == 6);
  CHECK(violations("mplp-collab", exported(collab)).empty());
}

TEST_CASE("each event as the seed writes it has three errors") {
  for (const auto& event : seed_events()) {
    CAPTURE(event.at("event_type").as_string());
    CHECK(official_schema(event) == "mplp-map-event");
    CHECK(violations("mplp-map-event", event).size() == 3);
    CHECK_FALSE(violations("mplp-event-core", event).empty());
  }
}

TEST_CASE("exported events of the seed are valid, and so are their twins") {
  const auto strict = exported(seed_events());
  REQUIRE(strict.size() == 9);
  derived_events derived;
  std::size_t count = 0;
  for (const auto& event : strict)
    for (const auto& twin : derived.of(event.as_object())) {
      ++count;
      CAPTURE(json::serialize(twin.value));
      CHECK(official_schema(twin.value) == twin.schema);
      CHECK(violations(twin.schema, twin.value).empty());
      CHECK(is_family_twin(twin.value));
      CHECK_FALSE(is_family_twin(event));
    }
  // Start and end have two, as both a graph_update and a pipeline_stage.
  CHECK(count == 11);
}

TEST_CASE("what is exported together refers to the same ids") {
  auto documents = seed_events();
  documents.push_back(parsed(R"({
    "meta": {"protocolVersion": "1.0.0", "source": "x"},
    "collab_id": "collab-550e8400", "context_id": "ctx-550e8400",
    "title": "t", "purpose": "p", "mode": "pair", "status": "active",
    "participants": [{"participant_id": "role-coder", "kind": "agent",
                      "role_id": "role-coder"}],
    "created_at": "2025-12-07T00:00:00.000Z"})"));
  documents.push_back(parsed(R"({
    "meta": {"protocolVersion": "1.0.0"},
    "role_id": "role-coder", "name": "coder"})"));
  const auto strict = exported(documents);
  const auto& started = strict[0];
  const auto& dispatched = strict[2];
  const auto& collab = strict[9];
  const auto& role = strict[10];
  CHECK(started.at("session_id") == collab.at("collab_id"));
  CHECK(started.at("payload").at("context_id") == collab.at("context_id"));
  CHECK(dispatched.at("payload").at("role_id") == role.at("role_id"));
  CHECK(dispatched.at("target_roles").at(0) == role.at("role_id"));
  const auto& participant = collab.at("participants").at(0);
  CHECK(participant.at("role_id") == role.at("role_id"));
  // A participant's id is its own, whatever it looks like.
  CHECK(participant.at("participant_id") == "role-coder");
  CHECK(strict[1].at("payload").at("assignments").at(0).at("role_id")
        == role.at("role_id"));
}
