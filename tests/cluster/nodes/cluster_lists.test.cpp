// Lists of sessions and questions of all nodes.

#include <cluster/nodes/reached_node.hpp>
#include <convene/runtime/data/postgres/postgres_connection.hpp>

#include <algorithm>

using namespace convene::tests;
using namespace convene::host;
using Catch::Contains;

TEST_CASE("each node lists the sessions of all, page by page") {
  const cluster_rig in;
  if (in.url.empty())
    return;
  const reached_node a{in, "a"};
  const reached_node b{in, "b"};
  static_cast<void>(a.listed());
  static_cast<void>(b.listed());
  std::vector<std::string> ids;
  for (const auto* node : {"a", "b", "b", "a", "a", "b", "b"})
    ids.push_back(a.begin(std::string{"?node="} + node));
  ids.push_back(b.draft());
  for (const std::string order : {"oldest", "newest"}) {
    std::vector<std::string> seen;
    std::string after = "0";
    for (const reached_node* node = &a; !after.empty();
         node = node == &a ? &b : &a) { // any node continues
      const auto page = node->object(
        "/v1/sessions?sums=yes&limit=3&order=" + order + "&after=" + after);
      for (const auto& each : page.at("sessions").as_array())
        seen.emplace_back(each.at("session_id").as_string());
      CHECK(page.at("sums").at("matching") == 8);
      CHECK(page.at("sums").at("statuses").at("draft") == 1);
      CHECK(page.at("missing").as_array().empty());
      after = page.at("next").is_null()
                ? std::string{}
                : std::string{page.at("next").as_string()};
    }
    if (order == "newest")
      std::ranges::reverse(seen);
    CHECK(seen == ids);
  }
  const auto drafts = b.object("/v1/sessions?sums=yes&status=draft");
  CHECK(drafts.at("sessions").as_array().size() == 1);
  CHECK(drafts.at("sums").at("matching") == 1);
  CHECK(status_of(a.answer("GET /v1/sessions?after=3")) == 400);
  CHECK(status_of(a.answer("GET /v1/sessions?limit=0")) == 400);
}

TEST_CASE("lists name the nodes that they lack") {
  const cluster_rig in;
  if (in.url.empty())
    return;
  const reached_node a{in, "a"};
  reached_node b{in, "b"};
  static_cast<void>(a.listed());
  static_cast<void>(b.listed());
  static_cast<void>(a.begin("?node=b"));
  const auto of_a = a.begin("?node=a");
  const auto missing = [&](const char* list) {
    return json::serialize(a.object(list).at("missing"));
  };
  CHECK(missing("/v1/sessions") == "[]");
  static_cast<void>(b.stopped_by(SIGKILL));
  CHECK(missing("/v1/sessions") == R"([{"node":"b","reason":"unreachable"}])");
  CHECK(missing("/v1/requests") == R"([{"node":"b","reason":"unreachable"}])");
  CHECK_THAT(a.answer("GET /v1/sessions"), Contains(of_a));
  auto database = postgres_connection::open({.url = in.url});
  REQUIRE(database);
  // It keeps its sessions: no node takes ended ones.
  REQUIRE(database->query("UPDATE convene_cluster.owners SET has_ended = true "
                          "WHERE boot_id IN (SELECT boot_id FROM "
                          "convene_cluster.nodes WHERE name = 'b')"));
  REQUIRE(database->query("UPDATE convene_cluster.nodes SET lease_until = "
                          "clock_timestamp() - interval '2 days' "
                          "WHERE name = 'b'"));
  while (missing("/v1/sessions") != R"([{"node":"b","reason":"down"}])")
    wait_a_little();
}

TEST_CASE("questions of all nodes are waited for and answered on any") {
  const cluster_rig in;
  if (in.url.empty())
    return;
  const reached_node a{in, "a"};
  const reached_node b{in, "b"};
  static_cast<void>(a.listed());
  static_cast<void>(b.listed());
  CHECK(a.object("/v1/requests?wait_ms=1").at("requests").as_array().empty());
  auto waits = a.ask("GET /v1/requests?wait_ms=60000");
  const auto id = a.begin("?node=b");
  CHECK_THAT(waits.answer(), Contains(id));
  const auto asked = a.object("/v1/requests").at("requests").as_array();
  REQUIRE(asked.size() == 1);
  const std::string token{asked[0].at("token").as_string()};
  const auto reply = [&](const std::string& to) {
    return status_of(a.answer("POST /v1/requests/" + to + "/reply", {},
                              R"({"content":"it is fine"})"));
  };
  CHECK(reply(std::string(36, '0')) == 404);
  CHECK(reply(token) == 200);
}
