#include <convene/protocol/strict/accept.hpp>
#include <protocol/strict/samples.hpp>

#include <algorithm>
#include <set>

using namespace convene::test;
using namespace convene::protocol;

namespace {

std::set<std::string> rules_of(const reading_notes& notes) {
  std::set<std::string> rules;
  for (const auto& one : notes.first)
    rules.insert(one.rule);
  return rules;
}

} // namespace

TEST_CASE("documents of the first descriptions are taken, with notes") {
  for (const auto& [text, schema, ids] :
       {std::tuple{seed_dialog, "mplp-dialog", 3},
        std::tuple{seed_collab, "mplp-collab", 2}}) {
    auto document = parsed(text);
    reading_notes notes;
    const auto taken = accept_document(document, notes);
    REQUIRE(taken);
    CHECK(*taken == schema);
    CHECK(violations(schema, document).empty());
    CHECK(rules_of(notes) == std::set<std::string>{"added", "id", "member"});
    CHECK(std::ranges::count(notes.first, "id", &reading_note::rule) == ids);
    CHECK(std::ranges::count(notes.first, "/meta/protocolVersion",
                             &reading_note::pointer)
          == 1);
  }
  for (auto event : seed_events()) {
    reading_notes notes;
    const auto taken = accept_document(event, notes);
    REQUIRE(taken);
    CHECK(*taken == "mplp-map-event");
    CHECK(violations("mplp-map-event", event).empty());
  }
}

TEST_CASE("what is as the schemas have it is taken as it is, without notes") {
  auto dialog = exported(parsed(seed_dialog));
  dialog.as_object().erase("events"); // which only the export has
  const auto before = dialog;
  reading_notes notes;
  REQUIRE(accept_document(dialog, notes));
  CHECK(dialog == before);
  CHECK(notes.total == 0);
}

TEST_CASE("unknown members are not taken for anything") {
  auto collab = parsed(seed_collab);
  collab.as_object()["titel"] = "Login fix";
  collab.at("meta").as_object()["team"] = "a";
  reading_notes notes;
  REQUIRE(accept_document(collab, notes));
  CHECK(violations("mplp-collab", collab).size() == 2);
}

TEST_CASE("an event that has an id is left to the log's own schema") {
  auto event = seed_events().front();
  event.as_object()["event_id"] = "e";
  const auto before = event;
  reading_notes notes;
  const auto taken = accept_document(event, notes);
  REQUIRE(taken);
  CHECK(taken->empty());
  CHECK(event == before);
}

TEST_CASE("documents of a scenario share their ids, and the session follows") {
  auto scenario = parsed(R"({
    "convene": "1",
    "context": {"context_id": "ctx-1", "title": "t", "status": "active",
                "root": {"domain": "d", "environment": "e"}},
    "collab": {"collab_id": "collab-1", "context_id": "ctx-1", "mode": "pair",
               "participants": [{"participant_id": "role-coder",
                                 "role_id": "role-coder"}]},
    "roles": [{"role_id": "role-coder", "name": "coder"}],
    "plan": {"steps": [{"description": "d", "agent_role": "role-coder"}]},
    "session": {"assign": {"role-coder": "role-coder", "other": "x"},
                "initiator": "role-coder"}
  })");
  reading_notes notes;
  REQUIRE(accept_scenario(scenario.as_object(), notes));
  const auto& collab = scenario.at("collab");
  const auto role = scenario.at("roles").at(0).at("role_id").as_string();
  CHECK(is_uuid_v4(std::string_view{role}));
  CHECK(collab.at("context_id") == scenario.at("context").at("context_id"));
  const auto& who = collab.at("participants").at(0);
  CHECK(who.at("role_id").as_string() == role);
  CHECK(who.at("participant_id") == "role-coder");
  CHECK(scenario.at("plan").at("steps").at(0).at("agent_role").as_string()
        == role);
  const auto& session = scenario.at("session");
  CHECK(session.at("assign").as_object().at(role) == "role-coder");
  CHECK(session.at("assign").as_object().contains("other"));
  CHECK(session.at("initiator") == "role-coder");
  CHECK(
    std::ranges::count(notes.first, "/roles/0/role_id", &reading_note::pointer)
    == 1);
}
