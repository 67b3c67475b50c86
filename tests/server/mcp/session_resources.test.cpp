#include "mcp_rig.hpp"

#include <sstream>

using namespace convene;
using namespace convene::tests;

TEST_CASE("a session's log and documents are listed, and can be read") {
  mcp_rig rig;
  const auto id = text_in(rig.run(two_agents()), "session_id");
  const auto listed = rig.result("resources/list").at("resources").as_array();
  REQUIRE(listed.size() == 8);
  for (const auto& each : listed) {
    const auto read = rig.result("resources/read", {{"uri", each.at("uri")}});
    const auto& one = read.at("contents").at(0);
    CHECK(one.at("uri") == each.at("uri"));
    CHECK(one.at("mimeType") == each.at("mimeType"));
    CHECK(!one.at("text").as_string().empty());
  }
  CHECK(rig.result("resources/templates/list")
          .at("resourceTemplates")
          .as_array()
          .size()
        == 2);
}

TEST_CASE("a log is read in parts that end with whole events") {
  mcp_rig rig{{.answer_bytes_max = 4'000}};
  const auto id = text_in(rig.run(two_agents(4)), "session_id");
  std::string uri = "convene://sessions/" + id + "/events";
  std::uint64_t events = 0;
  bool ended = false;
  for (int parts = 0; !ended; ++parts) {
    const auto read = rig.result("resources/read", {{"uri", uri}});
    const auto& part = read.at("contents").at(0);
    std::istringstream lines{std::string{part.at("text").as_string()}};
    for (std::string line; std::getline(lines, line);) {
      CHECK(json::parse(line).at("session_id").as_string() == id);
      ++events;
    }
    CHECK(part.at("_meta").at("next") == events);
    ended = part.at("_meta").at("ended").as_bool();
    CHECK((parts > 0 || !ended));
    uri = "convene://sessions/" + id
          + "/events?after=" + std::to_string(events);
  }
}

TEST_CASE("an unknown resource is an error that names it") {
  mcp_rig rig;
  const auto id = text_in(rig.run(two_agents()), "session_id");
  const auto at = "convene://sessions/" + id;
  for (const auto& uri :
       {std::string{"file:///etc/passwd"}, at, at + "/documents/nothing",
        at + "/other", std::string{"convene://sessions/x/events"},
        std::string{"convene://sessions/../documents/scenario"},
        std::string{}}) {
    const auto made = rig.fault("resources/read", {{"uri", uri}});
    CHECK(made.code == -32602);
    CHECK(made.data.at("uri").as_string() == uri);
  }
  CHECK(rig.fault("resources/read", {{"uri", at + "/events?after=-1"}}).code
        == -32602);
  CHECK(rig.fault("resources/list", {{"cursor", "x"}}).code == -32602);
}
