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
