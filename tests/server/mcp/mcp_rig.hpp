#pragma once

#include "../session_api/rig.hpp"

#include <convene/protocol/json/members.hpp>
#include <convene/server/mcp/line_client.hpp>
#include <convene/server/mcp/mcp_service.hpp>
#include <convene/server/mcp/session_tools.hpp>

#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

/// An MCP server over sessions in a folder, without a transport.
namespace convene::tests {

/// Has every scope.
inline server::caller all_scopes() {
  auto made = anybody();
  made.key_id = "";
  return made;
}

class mcp_rig {
public:
  explicit mcp_rig(server::mcp_limits limits = {},
                   server::share_limits shares = {},
                   const std::vector<std::filesystem::path>& scenarios = {},
                   std::vector<server::mcp_tool> more = {})
    : api_{folder_ / "data", {.threads = 2}, shares} {
    auto folders = server::scenario_folders::open(scenarios, {});
    REQUIRE(folders);
    with_ = std::make_shared<const server::session_access>(api_.host(),
                                                           *std::move(folders),
                                                           limits);
    auto tools = server::session_tools(with_);
    for (auto& each : more)
      tools.push_back(std::move(each));
    auto made = server::mcp_service::open({.version = "0",
                                           .sessions = with_,
                                           .tools = std::move(tools),
                                           .limits = limits});
    REQUIRE(made);
    service = *made;
  }

  ~mcp_rig() {
    service.reset();
  }
  mcp_rig(const mcp_rig&) = delete;
  mcp_rig& operator=(const mcp_rig&) = delete;

  /// The outcome of a request.
  server::mcp_service::outcome ask(std::string method, json::object params = {},
                                   server::caller by = all_scopes()) {
    std::promise<server::mcp_service::outcome> made;
    service->answer({.id = 1,
                     .method = std::move(method),
                     // As a client's text has them.
                     .params
                     = json::parse(json::serialize(params)).as_object()},
                    by, {}, [&made](server::mcp_service::outcome what) {
                      made.set_value(std::move(what));
                    });
    return made.get_future().get();
  }

  json::object result(std::string method, json::object params = {}) {
    auto made = ask(std::move(method), std::move(params));
    if (!made)
      FAIL(made.error().message);
    return *made;
  }

  server::rpc_fault fault(std::string method, json::object params = {}) {
    const auto made = ask(std::move(method), std::move(params));
    if (made)
      FAIL(json::serialize(*made));
    return made.error();
  }

  /// The structured answer of a tool.
  json::object call(std::string_view tool, json::object arguments) {
    auto made = result("tools/call",
                       {{"name", tool}, {"arguments", std::move(arguments)}});
    INFO(json::serialize(made));
    REQUIRE(!made.at("isError").as_bool());
    // The text is the same, for clients that know no structure.
    CHECK(json::parse(made.at("content").at(0).at("text").as_string())
          == made.at("structuredContent"));
    return made.at("structuredContent").as_object();
  }

  /// The error of a tool: {code, message, details}.
  json::object refused(std::string_view tool, json::object arguments,
                       server::caller by = all_scopes()) {
    const auto made = ask("tools/call",
                          {{"name", tool}, {"arguments", std::move(arguments)}},
                          std::move(by));
    REQUIRE(made);
    INFO(json::serialize(*made));
    REQUIRE(made->at("isError").as_bool());
    CHECK(!made->contains("structuredContent"));
    return json::parse(made->at("content").at(0).at("text").as_string())
      .at("error")
      .as_object();
  }

  /// Starts a session, and returns its state once it has ended or asks.
  json::object run(const std::string& scenario) {
    return call("run_session",
                {{"scenario", json::parse(scenario)}, {"wait_ms", 120'000}});
  }

  const scratch_folder& folder() const {
    return folder_;
  }

private:
  scratch_folder folder_;
  api api_;
  std::shared_ptr<const server::session_access> with_;

public:
  std::shared_ptr<server::mcp_service> service;
};

inline std::string text_in(const json::object& from, std::string_view name) {
  return std::string{protocol::text_of(from, name)};
}

/// `_meta` of a request of the newer era.
inline json::object newer_meta(std::string_view version = "2026-07-28") {
  return {{"io.modelcontextprotocol/protocolVersion", version},
          {"io.modelcontextprotocol/clientCapabilities", json::object{}}};
}

} // namespace convene::tests
