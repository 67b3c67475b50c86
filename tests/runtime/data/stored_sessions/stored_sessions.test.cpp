#include <catch2/catch.hpp>
#include <convene/protocol/documents/trace_ids.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/state_store/state_text.hpp>
#include <convene/runtime/data/stored_sessions/stored_sessions.hpp>
#include <convene/runtime/log/event_log/writer.hpp>
#include <runtime/data/state_store/stores.hpp>

using namespace convene::tests;
using convene::protocol::pretty;
using convene::protocol::role;

namespace {

const std::string first = "650e8400-e29b-41d4-a716-446655443001";
const std::string second = "650e8400-e29b-41d4-a716-446655443002";

std::string trace_id_of(const std::string& session) {
  return to_string(convene::protocol::trace_ids{session}.trace());
}

session_documents documents_of(const std::string& id, const char* title) {
  return {.session_id = id,
          .collab = {{"collab_id", id}, {"title", title}},
          .dialog = {.dialog_id = "d-" + id},
          .context = {{"context_id", "c-1"}},
          .plan = {{{"plan_id", "p-" + id}}},
          .trace = {.trace_id = trace_id_of(id)},
          .confirm = {},
          .workspace = {{{"session_id", id}}},
          .result = {{"status", "completed"}}};
}

/// The `number`-th event of a session.
std::string line_of(const std::string& session, int number,
                    const std::string& type) {
  return R"({"event_id":")" + session.substr(30) + '-' + std::to_string(number)
         + R"(","event_type":")" + type
         + R"(","event_family":"GraphUpdateEvent","session_id":")" + session
         + R"(","payload":{"context_id":"c-1"}})";
}

void write_log(const std::filesystem::path& file, int turns) {
  auto log = event_log_writer::open(file);
  REQUIRE(log);
  const auto append = [&](int number, const std::string& type) {
    for (const auto& session : {second, first})
      REQUIRE((*log)->append(line_of(session, number, type) + '\n'));
  };
  append(0, "MAPSessionStarted");
  for (int n = 1; n <= turns; ++n)
    append(n, "MAPTurnCompleted");
  append(turns + 1, "MAPSessionCompleted");
  REQUIRE((*log)->close());
}

} // namespace

TEST_CASE("the same session leaves the same in every store") {
  const scratch_folder folder;
  const auto log = folder / "events.jsonl";
  write_log(log, 1'500);
  std::vector<std::string> exports;
  for (const auto& kind : store_kinds) {
    const any_store store{kind};
    for (const auto& id : {first, second})
      REQUIRE(store_documents(*store, documents_of(id, "one"), {}));
    REQUIRE(store_events(*store, log));
    exports.push_back(store.exported());
  }
  CHECK(exports.front().size() > 100'000);
  for (const auto& each : exports)
    CHECK(each == exports.front());
}

TEST_CASE("documents stand under their ids, as texts of their files") {
  const any_store store{GENERATE(from_range(store_kinds))};
  const auto all = documents_of(first, "one");
  REQUIRE(
    store_documents(*store, all, {{.role_id = "r-1", .name = "planner"}}));
  CHECK(store.keys()
        == std::vector<std::string>{"collabs/" + first, "contexts/c-1",
                                    "dialogs/d-" + first, "plans/p-" + first,
                                    "roles/r-1", "traces/" + trace_id_of(first),
                                    "workspaces/" + first});
  CHECK(store.get("collabs/" + first) == pretty(all.collab));
  CHECK(store.get("roles/r-1")->find("planner") != std::string::npos);
  CHECK(has_documents(*store, first) == true);
  CHECK(has_documents(*store, second) == false);
  REQUIRE(store_documents(*store, all, {}));
}

TEST_CASE("a document of the same id with other content stays as it is") {
  const any_store store{GENERATE(from_range(store_kinds))};
  auto other = documents_of(first, "one");
  REQUIRE(store_documents(*store, other, {{.role_id = "r-1", .name = "one"}}));
  const auto before = store.exported();
  std::vector<role> roles;
  SECTION("a Collab") {
    other.collab["title"] = "two";
  }
  SECTION("a Trace") {
    other.trace.status = convene::protocol::trace_status::failed;
  }
  SECTION("a Context") {
    other.context["title"] = "two";
  }
  SECTION("a Plan") {
    other.plan->insert_or_assign("title", "two");
  }
  SECTION("a Role") {
    roles.push_back({.role_id = "r-1", .name = "two"});
  }
  SECTION("another run's, which left the same Collab") {
    other.dialog.dialog_id = "d-other";
  }
  const auto refused = store_documents(*store, other, roles);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "document_exists");
  CHECK(store.exported() == before);
}

TEST_CASE("a session of a single agent leaves alone what the agent replaced") {
  const any_store store{GENERATE(from_range(store_kinds))};
  auto all = documents_of(first, "one");
  REQUIRE(store_documents(*store, all, {}, session_owner::agent));
  const auto before = store.exported();
  all.trace.plan_id = "of the session";
  REQUIRE(store_documents(*store, all, {}, session_owner::agent));
  CHECK(store.exported() == before);
  all.collab["title"] = "two";
  CHECK(store_documents(*store, all, {}, session_owner::agent).error().rule
        == "document_exists");
}

TEST_CASE("events of another run of a session are not added to its own") {
  const scratch_folder folder;
  const auto log = folder / "events.jsonl";
  write_log(log, 1);
  const any_store store{GENERATE(from_range(store_kinds))};
  REQUIRE(store_documents(*store, documents_of(first, "one"), {}));
  std::string rule;
  SECTION("with other ids") {
    REQUIRE(store
              .append({"other", trace_id_of(first), "c-1",
                       line_of(first, 0, "MAPSessionStarted")})
              .empty());
    rule = "session_differs";
  }
  SECTION("with the same ids") {
    REQUIRE(store
              .append({"443001-0", trace_id_of(first), "c-1",
                       line_of(first, 7, "MAPSessionStarted")})
              .empty());
    rule = "event_differs";
  }
  const auto before = store.exported();
  CHECK(store_events(*store, log).error().rule == rule);
  CHECK(store.exported() == before);
}

TEST_CASE("the events of stored sessions are stored once, in their order") {
  const scratch_folder folder;
  const auto log = folder / "events.jsonl";
  write_log(log, 2);
  const any_store store{GENERATE(from_range(store_kinds))};
  REQUIRE(store_events(*store, log));
  CHECK(store.event_ids({}).empty()); // nobody's documents are there

  REQUIRE(store_documents(*store, documents_of(first, "one"), {}));
  // A part of them is there, as after a failure.
  REQUIRE(store
            .append({"443001-0", trace_id_of(first), "c-1",
                     line_of(first, 0, "MAPSessionStarted")})
            .empty());
  for (int again = 0; again < 2; ++again)
    REQUIRE(store_events(*store, log));
  const std::vector<std::string> ids{"443001-0", "443001-1", "443001-2",
                                     "443001-3"};
  CHECK(store.event_ids({}) == ids);
  CHECK(store.event_ids({.trace_id = trace_id_of(first)}) == ids);
  CHECK(store.event_ids({.context_id = "c-1"}) == ids);
  CHECK(store.get("events/global/443001-3")
        == line_of(first, 3, "MAPSessionCompleted"));
  CHECK(store.get("events/trace/" + trace_id_of(first) + "/443001-1")
        == line_of(first, 1, "MAPTurnCompleted"));
}

TEST_CASE("a document without its id, or a log that is none, is refused") {
  const scratch_folder folder;
  const any_store store{GENERATE(from_range(store_kinds))};
  auto broken = documents_of(first, "one");
  broken.trace = {};
  broken.collab["collab_id"] = std::string(1'000, 'x');
  CHECK(store_documents(*store, broken, {}).error().rule == "key_bytes_max");
  CHECK(store.keys().empty());
  CHECK_FALSE(store_events(*store, folder / "none.jsonl"));
}
