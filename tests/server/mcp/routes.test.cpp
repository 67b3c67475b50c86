#include "mcp_rig.hpp"

#include <convene/server/mcp/mcp_routes.hpp>

using namespace convene;
using namespace convene::tests;

namespace {

using headers = std::map<std::string, std::string, std::less<>>;

/// The endpoint, called as a server calls it.
class mcp_endpoint {
public:
  explicit mcp_endpoint(mcp_rig& rig)
    : routes_{server::mcp_routes(rig.service)} {}

  response post(std::string body, headers with = {}) {
    REQUIRE(routes_.size() == 1);
    CHECK(routes_[0].pattern == "/mcp");
    auto to = std::make_shared<awaited_answer>();
    routes_[0].call({.id = "r1",
                     .method = "POST",
                     .path = "/mcp",
                     .headers = std::move(with),
                     .body = std::move(body),
                     .by = all_scopes()},
                    server::responder{to});
    return to->get();
  }

  /// The code of an error with this status.
  int code(unsigned status, const std::string& body, headers with = {}) {
    const auto answer = post(body, std::move(with));
    INFO(answer.body);
    CHECK(answer.status == status);
    return json::parse(answer.body).at("error").at("code").to_number<int>();
  }

private:
  server::routes routes_;
};

std::string message(std::string_view method, json::object params = {},
                    bool is_newer = true) {
  if (is_newer)
    params["_meta"] = newer_meta();
  return json::serialize(json::object{{"jsonrpc", "2.0"},
                                      {"id", 1},
                                      {"method", method},
                                      {"params", std::move(params)}});
}

headers newer(std::string method, std::string name = {}) {
  headers made{{"mcp-protocol-version", "2026-07-28"},
               {"mcp-method", std::move(method)}};
  if (!name.empty())
    made["mcp-name"] = std::move(name);
  return made;
}

} // namespace

TEST_CASE("by HTTP, a client of the older era initializes and calls") {
  mcp_rig rig;
  mcp_endpoint at{rig};
  const auto made = at.post(
    message("initialize", {{"protocolVersion", "2025-06-18"}}, false));
  CHECK(made.status == 200);
  CHECK(json::parse(made.body).at("result").at("protocolVersion")
        == "2025-06-18");
  const auto noted
    = at.post(R"({"jsonrpc":"2.0","method":"notifications/initialized"})",
              {{"mcp-protocol-version", "2025-06-18"}});
  CHECK(noted.status == 202);
  CHECK(noted.body.empty());
  const auto run = at.post(
    message("tools/call",
            {{"name", "run_session"},
             {"arguments",
              {{"scenario", json::parse(two_agents())}, {"wait_ms", 120'000}}}},
            false),
    {{"mcp-protocol-version", "2025-06-18"}});
  CHECK(json::parse(run.body).at("result").at("structuredContent").at("status")
        == "completed");
  // Errors of the older era are answers like any.
  CHECK(at.code(200, message("nothing", {}, false)) == -32601);
}

TEST_CASE("by HTTP, headers of the newer era must be those of the body") {
  mcp_rig rig;
  mcp_endpoint at{rig};
  CHECK(at.post(message("server/discover"), newer("server/discover")).status
        == 200);
  CHECK(at.code(400, message("tools/list")) == -32020);
  CHECK(at.code(400, message("tools/list"), newer("tools/call")) == -32020);
  auto other = newer("tools/list");
  other["mcp-protocol-version"] = "2025-11-25";
  CHECK(at.code(400, message("tools/list"), other) == -32020);
  const auto call = message("tools/call",
                            {{"name", "session_status"},
                             {"arguments", {{"session_id", "x"}}}});
  CHECK(at.code(400, call, newer("tools/call")) == -32020);
  CHECK(at.code(400, call, newer("tools/call", "run_session")) == -32020);
  CHECK(at.post(call, newer("tools/call", "session_status")).status == 200);
  CHECK(
    at.post(call, newer("tools/call", "=?base64?c2Vzc2lvbl9zdGF0dXM=?=")).status
    == 200);
}

TEST_CASE("by HTTP, a version or message that is not known is refused") {
  mcp_rig rig;
  mcp_endpoint at{rig};
  CHECK(at.code(400, message("tools/list", {}, false),
                {{"mcp-protocol-version", "1999-01-01"}})
        == -32600);
  CHECK(at.code(400, message("tools/list", {}, false),
                {{"mcp-protocol-version", "2026-07-28"}})
        == -32602);
  CHECK(
    at.code(400,
            message("tools/list", {{"_meta", newer_meta("2030-01-01")}}, false),
            {{"mcp-protocol-version", "2030-01-01"}})
    == -32022);
  CHECK(at.code(404, message("prompts/list"), newer("prompts/list")) == -32601);
  CHECK(at.code(400, "{") == -32700);
  CHECK(at.code(400, "") == -32700);
  CHECK(at.code(400, "[]") == -32600);
}
