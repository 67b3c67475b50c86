#include "documents.hpp"

#include <convene/protocol/lifecycle/transition.hpp>
#include <convene/schemas/catalog.hpp>

#include <set>

using namespace convene::tests;

namespace {

const lifecycle_policy lenient{.extensions_return = true, .native_words = true};

/// The schema of the event's family.
std::string schema_of(const lifecycle_event& event) {
  auto name = std::string{event.family} + "-event";
  std::ranges::replace(name, '_', '-');
  return name;
}

/// Calls `visit` with each move of each lifecycle and its events.
template <class Visit>
void visit_moves(Visit visit) {
  for (const auto* of : all_lifecycles())
    for (const auto& move : of->moves) {
      INFO(of->name << ": " << move.from << " to " << move.to);
      const bool is_part = of->name != to_word(of->owner);
      const auto part = id(1);
      const auto whole = id(2);
      const auto graph = id(3);
      status_change change{.id = part,
                           .from = move.from,
                           .to = move.to,
                           .holds = precondition_set::all(),
                           .graph_id = graph,
                           .reason = "why"};
      if (is_part)
        change.owner_id = whole;
      const auto events = transition(*of, change, lenient);
      REQUIRE(events);
      visit(*of, move, *events);
    }
}

/// The event types of the taxonomy, as `module family type`.
std::set<std::string> taxonomy() {
  std::set<std::string> all;
  const auto* file = convene::schemas::find("module-event-matrix");
  REQUIRE(file != nullptr);
  const auto rows = json::parse(file->text);
  for (const auto& row : rows.as_array())
    for (const auto* kind : {"primary", "secondary"})
      for (const auto& family : row.at(kind).as_array())
        for (const auto& type : family.at("event_types").as_array())
          all.insert(std::string{text_of(row.as_object(), "module")} + ' '
                     + std::string{text_of(family.as_object(), "family")} + ' '
                     + std::string{type.as_string()});
  return all;
}

} // namespace

TEST_CASE("the events of every move are valid by the schema of their family") {
  std::size_t seen = 0;
  visit_moves([&](const auto&, const auto&, const auto& events) {
    for (const auto& event : events) {
      const json::value whole = core_event(event, {}, 1'700'000'000'000);
      INFO(json::serialize(whole));
      const auto with_id = core_event(event, derive_uuid({5, 6}, 0, ++seen),
                                      1'700'000'000'000);
      CHECK(violations(schema_of(event), with_id).empty());
      CHECK(violations("event-core", with_id).empty());
      CHECK(text_of(with_id, "timestamp") == "2023-11-14T22:13:20.000Z");
    }
  });
  CHECK(seen > 100);
}

TEST_CASE("every move changes a node, and that is the last that it tells") {
  visit_moves([](const lifecycle& of, const lifecycle_move& move,
                 const lifecycle_events& events) {
    const auto& graph = events.back();
    CHECK(graph.family == "graph_update");
    CHECK(text_of(graph.members, "graph_id") == id(3));
    CHECK(text_of(graph.members, "source_module") == to_word(of.owner));
    const bool adds = move.from.empty() && !move.by_initial;
    CHECK(text_of(graph.members, "update_kind")
          == (adds ? "node_add" : "node_update"));
    CHECK(integer_of(graph.members, "node_delta") == (adds ? 1 : 0));
    CHECK(text_of(graph.payload, "new_state") == move.to);
    CHECK(text_of(graph.payload, "reason") == "why");
  });
}

TEST_CASE("six kinds of object report each change of status as a stage") {
  const std::map<std::string, std::map<std::string, std::string>> stages{
    {"plan",
     {{"draft", "pending"},
      {"proposed", "pending"},
      {"approved", "pending"},
      {"in_progress", "running"},
      {"completed", "completed"},
      {"failed", "failed"},
      {"cancelled", "skipped"}}},
    {"step",
     {{"pending", "pending"},
      {"blocked", "pending"},
      {"in_progress", "running"},
      {"completed", "completed"},
      {"failed", "failed"},
      {"skipped", "skipped"}}},
    {"confirm",
     {{"pending", "pending"},
      {"approved", "completed"},
      {"override", "completed"},
      {"rejected", "failed"},
      {"cancelled", "skipped"}}},
    {"context",
     {{"draft", "pending"},
      {"active", "running"},
      {"archived", "completed"},
      {"closed", "completed"},
      {"suspended", "skipped"}}},
    {"collab",
     {{"draft", "pending"},
      {"active", "running"},
      {"completed", "completed"},
      {"cancelled", "skipped"},
      {"suspended", "skipped"}}},
    {"core",
     {{"draft", "pending"},
      {"active", "running"},
      {"archived", "completed"},
      {"deprecated", "skipped"}}}};
  visit_moves([&](const lifecycle& of, const lifecycle_move& move,
                  const lifecycle_events& events) {
    std::vector<const lifecycle_event*> found;
    for (const auto& event : events)
      if (event.family == "pipeline_stage")
        found.push_back(&event);
    const auto want = stages.find(std::string{of.name});
    if (want == stages.end()) {
      CHECK((found.empty() || of.name == "core_module"));
      return;
    }
    const bool reports = !move.from.empty() || move.by_initial
                         || of.name == "confirm";
    REQUIRE(found.size() == (reports ? 1 : 0));
    if (!reports)
      return;
    const auto& event = *found.front();
    CHECK(text_of(event.members, "stage_status")
          == want->second.at(std::string{move.to}));
    CHECK(text_of(event.members, "pipeline_id")
          == (of.name == "step" ? id(2) : id(1)));
    CHECK(text_of(event.members, "stage_id")
          == (of.name == "step" || of.name == "confirm"
                ? id(1)
                : std::string{of.name}));
    CHECK(text_of(event.payload, "resource_type") == of.name);
    CHECK(text_of(event.payload, "resource_id") == id(1));
    CHECK(text_of(event.payload, "from_status")
          == (move.by_initial ? of.initial : move.from));
    CHECK(text_of(event.payload, "to_status") == move.to);
    CHECK(text_of(event.payload, "reason") == "why");
  });
}

TEST_CASE("events have the names of the taxonomy where it has one") {
  const auto known = taxonomy();
  std::set<std::string> used;
  std::set<std::string> own;
  visit_moves(
    [&](const lifecycle& of, const auto&, const lifecycle_events& events) {
      for (const auto& event : events) {
        auto name = std::string{to_word(of.owner)} + ' '
                    + std::string{event.family} + ' ' + event.type;
        (known.contains(name) ? used : own).insert(name);
      }
    });
  CHECK(used
        == std::set<std::string>{
          "collab pipeline_stage session_cancelled",
          "collab pipeline_stage session_completed",
          "collab pipeline_stage session_started",
          "confirm graph_update confirm_created",
          "confirm pipeline_stage confirm_created",
          "confirm pipeline_stage confirm_resolved",
          "context graph_update context_created",
          "context graph_update context_updated",
          "core pipeline_stage module_disabled",
          "core pipeline_stage module_enabled",
          "core pipeline_stage protocol_initialized",
          "extension runtime_execution extension_activated",
          "network graph_update network_created",
          "network graph_update node_added",
          "network runtime_execution node_status_changed",
          "plan graph_update plan_created",
          "plan graph_update step_added",
          "plan pipeline_stage plan_status_changed",
          "plan pipeline_stage step_completed",
          "plan pipeline_stage step_failed",
          "plan pipeline_stage step_started",
        });
  // Names of our own are made alike: what it is, and what happened to it.
  for (const auto& name : own) {
    INFO(name);
    const auto type = name.substr(name.rfind(' ') + 1);
    CHECK((type.ends_with("_created") || type.ends_with("_added")
           || type.ends_with("_updated") || type.ends_with("_status_changed")
           || type == "context_activated" || type == "extension_registered"));
  }
}

TEST_CASE("a Context that is created as active is created and activated") {
  const auto events = transition(find_lifecycle(module::context),
                                 {.id = id(1), .to = "active"});
  REQUIRE(events);
  std::vector<std::string> types;
  for (const auto& event : *events)
    types.push_back(event.type);
  CHECK(types
        == std::vector<std::string>{"context_created", "context_activated",
                                    "context_updated"});
  CHECK(text_of(events->front().payload, "new_state") == "draft");
  CHECK(text_of(events->back().payload, "previous_state") == "draft");
}
