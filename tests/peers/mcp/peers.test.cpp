// Our MCP client against servers of others; see ./run.

#include <arpa/inet.h>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/runtime/outside/mcp/http_server.hpp>
#include <convene/runtime/outside/mcp/program_server.hpp>
#include <convene/runtime/outside/mcp/tools.hpp>
#include <convene/runtime/outside/participants/mcp.hpp>
#include <runtime/outside/participants/answered.hpp>
#include <runtime/outside/processes/marked.hpp>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace convene;
using protocol::action_status;

namespace {

std::string peers_folder() {
  const char* set = std::getenv("CONVENE_MCP_PEERS");
  if (set == nullptr)
    FAIL("CONVENE_MCP_PEERS is not set: use tests/peers/mcp/run");
  return set;
}

/// One server of others, and what its tools answer.
struct peer_server {
  test::marked mine;
  std::shared_ptr<host::processes> all = std::make_shared<host::processes>();
  std::shared_ptr<host::mcp_tools> tools;

  explicit peer_server(std::string script, std::vector<std::string> more = {}) {
    more.insert(more.begin(),
                {"env", "node", peers_folder() + '/' + std::move(script)});
    const auto server = std::make_shared<host::mcp_program>(
      "peer", mine.run("/usr/bin/env", std::move(more)), 600'000, all);
    auto made = host::mcp_tools::make({{"peer", server}}, {"peer/*"}, "");
    REQUIRE(made);
    tools = *made;
  }

  std::map<std::string, host::tool> list() {
    std::promise<protocol::result<std::vector<host::tool>>> told;
    tools->list([&](auto how) { told.set_value(std::move(how)); });
    const auto how = told.get_future().get();
    REQUIRE(how);
    std::map<std::string, host::tool> found;
    for (const auto& each : *how)
      found.emplace(each.name, each);
    return found;
  }

  protocol::action_result call(std::string_view name,
                               const protocol::json::object& arguments,
                               std::int64_t timeout_ms = 0) {
    std::promise<protocol::action_result> told;
    actors::attempt which;
    which.timeout_ms = timeout_ms;
    tools->call(name, arguments, which, [&](protocol::action_result how) {
      told.set_value(std::move(how));
    });
    return told.get_future().get();
  }

  /// All goes, and nothing is left.
  void end() {
    tools.reset();
    all->end();
    CHECK(mine.living() == 0);
  }
};

/// A port of 127.0.0.1 that is free now.
std::uint16_t free_port() {
  const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof at;
  auto* const place = reinterpret_cast<sockaddr*>(&at);
  REQUIRE(bind(made, place, size) == 0);
  REQUIRE(getsockname(made, place, &size) == 0);
  close(made);
  return ntohs(at.sin_port);
}

/// A server of others that is reached by HTTP.
struct remote_server {
  test::marked mine;
  std::shared_ptr<host::processes> all = std::make_shared<host::processes>();
  std::shared_ptr<host::http_client> client
    = std::make_shared<host::http_client>(host::http_options{
      .may_connect = [](const host::http_peer&) { return true; }});
  std::shared_ptr<host::parting_calls> partings
    = std::make_shared<host::parting_calls>();
  std::shared_ptr<host::line_program> program;
  std::shared_ptr<host::mcp_endpoint> to;

  /// `arguments` are node's, with PORT for the port.
  explicit remote_server(std::vector<std::string> arguments) {
    const auto port = std::to_string(free_port());
    for (auto& each : arguments)
      if (each == "PORT")
        each = port;
    arguments.insert(arguments.begin(), {"env", "node"});
    auto what = mine.run("/usr/bin/env", std::move(arguments));
    what.environment.push_back("PORT=" + port);
    what.working_folder = peers_folder();
    program = all->start(std::move(what), {.line = [](const auto&) {},
                                           .error_line = {},
                                           .ended = [](const auto&) {}});
    to = std::make_shared<host::mcp_endpoint>(
      "peer", "http://127.0.0.1:" + port + "/mcp",
      std::vector<host::http_header>{}, 60'000, client, partings);
  }

  protocol::action_result call(const std::string& name,
                               const protocol::json::object& arguments) {
    // It takes a while to listen.
    for (;;) {
      std::promise<protocol::action_result> told;
      to->call(name, arguments, 0, [&](protocol::action_result how) {
        told.set_value(std::move(how));
      });
      auto how = told.get_future().get();
      if (how.error.code != "connect_failed")
        return how;
      std::this_thread::sleep_for(std::chrono::milliseconds{50});
    }
  }

  void end() {
    to.reset();
    partings->wait(std::chrono::seconds{10});
    client->end();
    program.reset();
    all->end();
    CHECK(mine.living() == 0);
  }
};

std::string first_text(const protocol::action_result& how) {
  INFO(how.error.message);
  REQUIRE(how.status == action_status::completed);
  const auto& text = how.output.at("content").at(0).at("text").as_string();
  return {text.data(), text.size()};
}

constexpr auto everything
  = "node_modules/@modelcontextprotocol/server-everything/dist/index.js";
constexpr auto filesystem
  = "node_modules/@modelcontextprotocol/server-filesystem/dist/index.js";

} // namespace

TEST_CASE("the everything server: tools, structure, errors, and its end") {
  peer_server peer{everything};
  const auto tools = peer.list();
  REQUIRE(tools.contains("peer/echo"));
  CHECK(tools.at("peer/echo").read_only);
  CHECK(tools.at("peer/echo").input_schema.at("type") == "object");
  CHECK(first_text(peer.call("peer/echo", {{"message", "hello"}}))
        == "Echo: hello");
  CHECK(first_text(peer.call("peer/get-sum", {{"a", 2}, {"b", 3}})).find('5')
        != std::string::npos);
  const auto structured = peer.call("peer/get-structured-content",
                                    {{"location", "New York"}});
  CHECK(structured.output.at("structuredContent").is_object());
  const auto wrong = peer.call("peer/get-sum", {{"a", "x"}});
  const bool refused = wrong.status == action_status::failed
                       || wrong.output.at("isError").as_bool();
  CHECK(refused);
  peer.end();
}

TEST_CASE("the everything server: a call that takes long ends in time") {
  peer_server peer{everything};
  const auto slow = peer.call("peer/trigger-long-running-operation",
                              {{"duration", 1000}, {"steps", 2}}, 3000);
  CHECK(slow.status == action_status::timed_out);
  CHECK(first_text(peer.call("peer/echo", {{"message", "still here"}}))
        == "Echo: still here");
  peer.end();
}

TEST_CASE("the filesystem server reads, writes and keeps to its folder") {
  char folder[] = "/tmp/convene-peer-XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  const std::string file = std::string{folder} + "/a.txt";
  {
    peer_server peer{filesystem, {folder}};
    CHECK(peer.list().contains("peer/read_text_file"));
    CHECK(
      peer.call("peer/write_file", {{"path", file}, {"content", "abc"}}).status
      == action_status::completed);
    CHECK(first_text(peer.call("peer/read_text_file", {{"path", file}}))
          == "abc");
    const auto outside = peer.call("peer/read_text_file",
                                   {{"path", "/etc/passwd"}});
    CHECK(outside.output.at("isError").as_bool());

    // A participant that is this tool.
    const auto how
      = host::read_mcp_settings({{"type", "mcp"},
                                 {"server", "peer"},
                                 {"tool", "read_text_file"},
                                 {"arguments", {{"path", "${task}"}}}},
                                "");
    REQUIRE(how);
    host::mcp_behaviour who{*how, peer.tools};
    CHECK(test::answer_of(who, test::a_turn_of(file)).content == "abc");
    const auto failed = test::answer_of(who, test::a_turn_of("/etc/passwd"));
    CHECK(failed.status == protocol::reply_status::failed);
    CHECK(failed.error.code == "tool_error");
    peer.end();
  }
  std::filesystem::remove_all(folder);
}

TEST_CASE("a server of the newer era, which refuses the older one") {
  peer_server peer{"modern.mjs"};
  const auto tools = peer.list();
  REQUIRE(tools.contains("peer/add"));
  CHECK(tools.at("peer/add").read_only);
  const auto sum = peer.call("peer/add", {{"a", 2}, {"b", 3}});
  CHECK(first_text(sum) == "5");
  CHECK(sum.output.at("structuredContent").at("sum") == 5);
  CHECK(peer.call("peer/hang", {}, 500).status == action_status::timed_out);
  const auto failed = peer.call("peer/fail", {});
  CHECK(failed.output.at("isError").as_bool());
  CHECK(first_text(failed).find("on purpose") != std::string::npos);
  CHECK(first_text(peer.call("peer/add", {{"a", 1}, {"b", 1}})) == "2");
  peer.end();
}

TEST_CASE("the everything server by HTTP, in a session of the older era") {
  remote_server peer{{everything, "streamableHttp"}};
  CHECK(first_text(peer.call("echo", {{"message", "hello"}})) == "Echo: hello");
  const auto structured = peer.call("get-structured-content",
                                    {{"location", "New York"}});
  CHECK(structured.output.at("structuredContent").is_object());
  peer.end();
}

TEST_CASE("a server behind mcp-proxy by HTTP, in the newer era") {
  remote_server peer{
    {"node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs", "--host", "127.0.0.1",
     "--port", "PORT", "--shell",
     "node node_modules/@modelcontextprotocol/server-memory/dist/index.js"}};
  CHECK(first_text(peer.call("read_graph", {})).find("entities")
        != std::string::npos);
  CHECK(peer.call("no_such_tool", {}).output.at("isError").as_bool());
  peer.end();
}
