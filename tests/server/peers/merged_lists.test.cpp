#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/server/peers/merged_lists.hpp>

#include <string>
#include <vector>

using namespace convene::server;
namespace json = boost::json;

namespace {

std::string row(const std::string& second, const std::string& id) {
  return R"({"session_id":")" + id + R"(","started_at":"2026-01-01T00:00:)"
         + second + R"(.000Z"})";
}

node_answer page(const std::string& node, const std::string& rows,
                 const std::string& next = "null",
                 const std::string& sums = "{}") {
  return {.node = node,
          .status = 200,
          .body = R"({"sessions":[)" + rows + R"(],"next":)" + next
                  + R"(,"sums":)" + sums + "}"};
}

std::string ids_of(const json::object& merged) {
  std::string all;
  for (const auto& each : merged.at("sessions").as_array())
    all += each.at("session_id").as_string();
  return all;
}

} // namespace

TEST_CASE("sessions of nodes are merged by their start") {
  const std::vector<node_answer> both{
    page("a", row("01", "p") + "," + row("04", "s")),
    page("b", row("02", "q") + "," + row("03", "r"))};
  const auto all = merge_sessions(both, {.limit = 4});
  CHECK(ids_of(all) == "pqrs");
  CHECK(all.at("next").is_null());
  const auto first = merge_sessions(both, {.limit = 3});
  CHECK(ids_of(first) == "pqr");
  CHECK(first.at("next") == "2026-01-01T00:00:03.000Z~r");
}

TEST_CASE("a page ends where a node has not told of what follows") {
  const std::vector<node_answer> both{
    page("a", row("01", "p"), R"("2026-01-01T00:00:01.000Z~p")"),
    page("b", row("02", "q") + "," + row("03", "r"))};
  const auto cut = merge_sessions(both, {.limit = 10});
  CHECK(ids_of(cut) == "p");
  CHECK(cut.at("next") == "2026-01-01T00:00:01.000Z~p");
  const std::vector<node_answer> back{
    page("a", row("05", "t"), R"("2026-01-01T00:00:05.000Z~t")"),
    page("b", row("06", "u") + "," + row("03", "r"))};
  CHECK(ids_of(merge_sessions(back, {.limit = 10, .newest_first = true}))
        == "ut");
}

TEST_CASE("a session that moves between nodes is listed once") {
  CHECK(
    ids_of(merge_sessions({page("a", row("01", "p")),
                           page("b", row("01", "p") + "," + row("02", "q"))},
                          {.limit = 10}))
    == "pq");
}

TEST_CASE("sums of nodes are added, and no node's nonsense is") {
  const auto all = merge_sessions(
    {page("a", "", "null",
          R"({"matching":2,"completed_with_failures":1,)"
          R"("statuses":{"active":2},"modes":{"pair":2},"conditions":{}})"),
     page("b", "", "null",
          R"({"matching":1,"completed_with_failures":0,)"
          R"("statuses":{"active":1,"draft":"x"},"modes":{},)"
          R"("conditions":{"votes":-1}})"),
     {.node = "c", .status = 200, .body = "{\"sessions\":1}"},
     {.node = "d", .status = 403, .body = "{}"},
     {.node = "e", .body = {}, .reason = "down"}},
    {.has_sums = true});
  CHECK(json::serialize(all.at("sums"))
        == R"({"matching":3,"completed_with_failures":1,)"
           R"("statuses":{"active":3},"modes":{"pair":2},"conditions":{}})");
  CHECK(json::serialize(all.at("missing"))
        == R"([{"node":"c","reason":"unreadable"},)"
           R"({"node":"d","reason":"refused","status":403},)"
           R"({"node":"e","reason":"down"}])");
}

TEST_CASE("questions are taken from all nodes in turn, up to the limit") {
  const auto asked = [](const std::string& node, const std::string& list) {
    return node_answer{.node = node,
                       .status = 200,
                       .body = R"({"requests":)" + list + R"(,"more":false})"};
  };
  const std::vector<node_answer> both{asked("a", R"(["1","2","3"])"),
                                      asked("b", R"(["4"])")};
  const auto some = merge_requests(both, 3, 1'000);
  CHECK(json::serialize(some.at("requests")) == R"(["1","4","2"])");
  CHECK(some.at("more") == true);
  const auto all = merge_requests(both, 4, 1'000);
  CHECK(all.at("more") == false);
  const auto few = merge_requests(both, 4, 7);
  CHECK(json::serialize(few.at("requests")) == R"(["1","4"])");
  CHECK(few.at("more") == true);
}
