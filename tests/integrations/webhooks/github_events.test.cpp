#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/integrations/intake/incoming.hpp>
#include <convene/integrations/webhooks/github_events.hpp>

#include <string>

using namespace convene;
namespace json = boost::json;

namespace {

/// As GitHub documents it, less what is not read.
json::object push(const std::string& before, const std::string& after,
                  std::int64_t pushed_at) {
  return {{"ref", "refs/heads/main"},
          {"before", before},
          {"after", after},
          {"created", false},
          {"deleted", false},
          {"forced", true},
          {"repository",
           {{"full_name", "octo/hello"},
            {"clone_url", "https://github.com/octo/hello.git"},
            {"pushed_at", pushed_at}}},
          {"head_commit",
           {{"id", after},
            {"message", "Mend it"},
            {"timestamp", "2020-01-01T00:00:00Z"},
            {"author", {{"name", "Octo"}, {"email", "octo@example.com"}}}}},
          {"commits",
           {{{"added", {"a", "b"}}, {"modified", {"c"}}},
            {{"modified", {"a"}}, {"removed", json::array{}}}}}};
}

json::object run(const char* status, json::value conclusion, int attempt = 1) {
  return {{"action", "completed"},
          {"repository", {{"full_name", "octo/hello"}}},
          {"workflow_run",
           {{"id", 5'000'000'000},
            {"name", "build"},
            {"head_branch", "main"},
            {"head_sha", "abc"},
            {"run_attempt", attempt},
            {"status", status},
            {"conclusion", std::move(conclusion)},
            {"html_url", "https://github.com/octo/hello/actions/runs/5"},
            {"run_started_at", "2026-01-01T00:00:00Z"},
            {"updated_at", "2026-01-01T00:05:00Z"}}}};
}

/// As the log takes it; the key tells whether it says something new.
host::incoming taken(std::string_view event, const json::object& body) {
  auto made = server::from_github(event, body);
  REQUIRE(made);
  json::object whole{{"event_id", "9b63b18f-c4b0-4bd5-ad2f-1227420bb11e"},
                     {"event_family", "external_integration"},
                     {"timestamp", "2026-01-01T00:00:00Z"},
                     {"source", "github"}};
  whole.insert(made->begin(), made->end());
  auto read = host::read_incoming(whole);
  INFO((read ? "" : to_string(read.error())));
  REQUIRE(read);
  return *std::move(read);
}

const json::object& payload_of(const host::incoming& what) {
  return what.event.at("payload").as_object();
}

} // namespace

TEST_CASE("A push is an event of Git, at the time of the push") {
  const auto made = taken("push", push("a1", "b2", 1'767'225'600));
  CHECK(payload_of(made)
        == json::object{{"repo_url", "https://github.com/octo/hello.git"},
                        {"commit_id", "b2"},
                        {"ref_name", "main"},
                        {"event_kind", "push"},
                        {"timestamp", "2026-01-01T00:00:00.000Z"},
                        {"author_name", "Octo"},
                        {"commit_message", "Mend it"},
                        {"files_changed", 3}});
}

TEST_CASE("A push back to where a branch was is no duplicate, a delivery that "
          "is repeated is") {
  const auto first = taken("push", push("a1", "b2", 1'767'225'600));
  const auto back = taken("push", push("c3", "b2", 1'767'225'700));
  CHECK(first.key != back.key);
  CHECK(first.key == taken("push", push("a1", "b2", 1'767'225'600)).key);
}

TEST_CASE("Branches come and go, and tags come") {
  auto body = push("a1", "b2", 1);
  body["created"] = true;
  CHECK(payload_of(taken("push", body)).at("event_kind") == "branch_create");
  body["created"] = false;
  body["deleted"] = true;
  body["head_commit"] = nullptr;
  const auto gone = taken("push", body);
  CHECK(payload_of(gone).at("event_kind") == "branch_delete");
  CHECK(payload_of(gone).at("commit_id") == "a1");
  body["ref"] = "refs/tags/v1";
  CHECK_FALSE(server::from_github("push", body));
  body["deleted"] = false;
  const auto tag = taken("push", body);
  CHECK(payload_of(tag).at("event_kind") == "tag");
  CHECK(payload_of(tag).at("ref_name") == "v1");
}

TEST_CASE("Runs of workflows are told apart by their attempts") {
  const auto status = [](const json::object& body) {
    return payload_of(taken("workflow_run", body)).at("status");
  };
  CHECK(status(run("queued", nullptr)) == "pending");
  CHECK(status(run("in_progress", nullptr)) == "running");
  CHECK(status(run("completed", "success")) == "succeeded");
  CHECK(status(run("completed", "skipped")) == "succeeded");
  CHECK(status(run("completed", "cancelled")) == "cancelled");
  CHECK(status(run("completed", "timed_out")) == "failed");
  const auto first = taken("workflow_run", run("completed", "failure"));
  CHECK(payload_of(first).at("run_id") == "5000000000.1");
  CHECK(payload_of(first).at("ci_provider") == "github/octo/hello");
  CHECK(payload_of(first).at("completed_at") == "2026-01-01T00:05:00Z");
  CHECK(first.key != taken("workflow_run", run("completed", "failure", 2)).key);
}

TEST_CASE("Check runs are told when they begin and end") {
  json::object body{{"action", "completed"},
                    {"repository", {{"full_name", "octo/hello"}}},
                    {"check_run",
                     {{"id", 7},
                      {"name", "lint"},
                      {"head_sha", "abc"},
                      {"status", "completed"},
                      {"conclusion", "failure"},
                      {"started_at", "2026-01-01T00:00:00Z"},
                      {"completed_at", "2026-01-01T00:01:00Z"},
                      {"check_suite", {{"head_branch", nullptr}}}}}};
  CHECK(payload_of(taken("check_run", body)).at("status") == "failed");
  body["action"] = "rerequested";
  CHECK_FALSE(server::from_github("check_run", body));
}

TEST_CASE("Other events are ignored, and broken ones are not taken") {
  CHECK_FALSE(server::from_github("ping", {{"zen", "x"}}));
  for (const auto* event : {"push", "workflow_run"}) {
    const auto made = server::from_github(event,
                                          {{"ref", 7}, {"repository", "x"}});
    REQUIRE(made);
    CHECK_FALSE(host::read_incoming(*made));
  }
}
