#include <boost/json/parse.hpp>
#include <catch2/catch.hpp>
#include <convene/runtime/data/scenario/commands.hpp>
#include <runtime/log/event_log/files.hpp>

namespace json = boost::json;
using namespace convene;

namespace {

json::value placed(const tests::scratch_folder& folder, const char* command) {
  auto scenario
    = json::parse(std::string{R"({"behaviours": {"a": {"command": )"} + command
                  + "}}}")
        .as_object();
  host::place_commands(scenario, folder / "");
  return scenario.at("behaviours").at("a").at("command");
}

} // namespace

TEST_CASE("a program by a relative path is one beside the scenario") {
  const tests::scratch_folder folder;
  const auto here = std::filesystem::canonical(folder / "").string();
  CHECK(placed(folder, R"(["bin/tool", "bin/file"])")
        == json::value{here + "/bin/tool", "bin/file"});
}

TEST_CASE("programs without a slash, and absolute paths, stay as they are") {
  const tests::scratch_folder folder;
  CHECK(placed(folder, R"(["python3", "-u"])") == json::value{"python3", "-u"});
  CHECK(placed(folder, R"(["/bin/sh", "-c"])") == json::value{"/bin/sh", "-c"});
}

TEST_CASE("${scenario} at the beginning of an argument is its folder") {
  const tests::scratch_folder folder;
  const auto here = std::filesystem::canonical(folder / "").string();
  CHECK(placed(folder, R"(["python3", "${scenario}/x.py", "a${scenario}"])")
        == json::value{"python3", here + "/x.py", "a${scenario}"});
}

TEST_CASE("servers' commands are placed, too, and what is no command is left") {
  const tests::scratch_folder folder;
  const auto here = std::filesystem::canonical(folder / "").string();
  auto scenario
    = json::parse(R"({"behaviours": {"a": 1, "b": {"command": "x/y"}},
    "mcp_servers": {"files": {"command": ["server", "${scenario}"]}}})")
        .as_object();
  host::place_commands(scenario, folder / "");
  CHECK(scenario.at("behaviours").at("b").at("command") == "x/y");
  CHECK(scenario.at("mcp_servers").at("files").at("command")
        == json::value{"server", here});
}

TEST_CASE("a server's command as a text, with its arguments, is placed") {
  const tests::scratch_folder folder;
  const auto here = std::filesystem::canonical(folder / "").string();
  const auto* member = GENERATE("mcp_servers", "mcpServers");
  auto scenario = json::parse(std::string{R"({")"} + member + R"(": {
    "a": {"command": "./srv.py", "args": ["x/y", "${scenario}/z"]},
    "b": {"command": "npx", "args": ["./x"]}}})")
                    .as_object();
  const auto& servers = scenario.at(member).as_object();
  const auto refused = host::check_no_placed_command(scenario);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().pointer == std::string{"/"} + member + "/a/command");
  host::place_commands(scenario, folder / "");
  CHECK(servers.at("a").at("command") == json::value(here + "/./srv.py"));
  CHECK(servers.at("a").at("args") == json::value{"x/y", here + "/z"});
  CHECK(servers.at("b").at("command") == "npx");
  CHECK(servers.at("b").at("args") == json::array{"./x"});
  CHECK(host::check_no_placed_command(scenario));
}

TEST_CASE("mcpServers is another name of mcp_servers, and not a second one") {
  auto scenario
    = json::parse(R"({"mcpServers": {"a": 1}, "task": "x"})").as_object();
  REQUIRE(host::name_servers(scenario));
  CHECK(scenario.at("mcp_servers").at("a") == 1);
  CHECK_FALSE(scenario.contains("mcpServers"));
  REQUIRE(host::name_servers(scenario));
  scenario["mcpServers"] = json::object{};
  const auto refused = host::name_servers(scenario);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().pointer == "/mcpServers");
}
