#include "mcp_rig.hpp"

using namespace convene;
using namespace convene::tests;

TEST_CASE(
  "initialize settles on the client's version if the server speaks it") {
  mcp_rig rig;
  for (const auto* version :
       {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}) {
    const auto made = rig.result("initialize", {{"protocolVersion", version}});
    CHECK(text_in(made, "protocolVersion") == version);
    CHECK(made.at("serverInfo").at("name") == "convene");
    CHECK(made.at("capabilities").as_object().contains("tools"));
    CHECK(!made.contains("resultType"));
  }
  CHECK(text_in(rig.result("initialize", {{"protocolVersion", "1999-01-01"}}),
                "protocolVersion")
        == "2025-11-25");
  CHECK(rig.fault("initialize").code == -32602);
  CHECK(rig.result("ping").empty());
}

TEST_CASE("discover answers requests that name their version, and only these") {
  mcp_rig rig;
  const auto made = rig.result("server/discover", {{"_meta", newer_meta()}});
  CHECK(made.at("supportedVersions") == json::array{"2026-07-28"});
  CHECK(text_in(made, "resultType") == "complete");
  CHECK(text_in(made, "cacheScope") == "private");
  CHECK(made.at("_meta").at("io.modelcontextprotocol/serverInfo").at("name")
        == "convene");
  CHECK(rig.fault("server/discover").code == -32601);
  for (const auto* method : {"initialize", "ping"})
    CHECK(rig
            .fault(method,
                   {{"_meta", newer_meta()}, {"protocolVersion", "2025-11-25"}})
            .code
          == -32601);
}

TEST_CASE("a claim that the server cannot meet is refused with what it can") {
  mcp_rig rig;
  const auto other = rig.fault("tools/list",
                               {{"_meta", newer_meta("2030-01-01")}});
  CHECK(other.code == -32022);
  CHECK(other.data.at("supported") == json::array{"2026-07-28"});
  CHECK(other.data.at("requested") == "2030-01-01");
  auto meta = newer_meta();
  meta.erase("io.modelcontextprotocol/clientCapabilities");
  CHECK(rig.fault("tools/list", {{"_meta", meta}}).code == -32602);
  CHECK(rig
          .fault("tools/list",
                 {{"_meta", {{"io.modelcontextprotocol/protocolVersion", 3}}}})
          .code
        == -32602);
}

TEST_CASE("both eras have the same tools, each with schemas") {
  mcp_rig rig;
  const auto older = rig.result("tools/list");
  const auto newer = rig.result("tools/list", {{"_meta", newer_meta()}});
  CHECK(older.at("tools") == newer.at("tools"));
  CHECK(newer.contains("ttlMs"));
  REQUIRE(older.at("tools").as_array().size() == 6);
  for (const auto& tool : older.at("tools").as_array()) {
    CHECK(tool.at("inputSchema").at("type") == "object");
    CHECK(tool.at("outputSchema").at("type") == "object");
    CHECK(!tool.at("description").as_string().empty());
  }
  CHECK(rig.fault("prompts/list").code == -32601);
}
