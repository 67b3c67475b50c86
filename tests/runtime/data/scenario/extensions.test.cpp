#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/runtime/data/scenario/extensions.hpp>
#include <convene/runtime/data/scenario/scenario.hpp>
#include <runtime/log/event_log/files.hpp>

using namespace convene;
namespace json = boost::json;

namespace {

/// A scenario with these Extensions and behaviours, resolved.
protocol::result<json::object> used(const std::string& extensions,
                                    const std::string& behaviours,
                                    const std::string& more = "") {
  auto made = json::parse(R"({"extensions": [)" + extensions
                          + R"(], "behaviours": {)" + behaviours + "}" + more
                          + "}")
                .as_object();
  return host::use_extensions(made).map([&] { return made; });
}

std::string rule_of(const protocol::result<json::object>& how) {
  return how ? "" : how.error().rule + ' ' + how.error().pointer;
}

const std::string writer = R"({"name": "writer", "extension_id": "e-1",
  "config": {"type": "llm", "model": "small", "timeout_ms": 5}})";

} // namespace

TEST_CASE("a behaviour is what its Extension has, by id or name") {
  for (const std::string named : {"writer", "e-1"}) {
    const auto made = used(writer,
                           R"("a": {"type": "extension", "extension": ")"
                             + named + R"(", "timeout_ms": 7})");
    REQUIRE(made);
    const json::value expected{{"type", "llm"},
                               {"model", "small"},
                               {"timeout_ms", 7}};
    CHECK(made->at("behaviours").at("a") == expected);
  }
}

TEST_CASE("what an Extension runs and reaches is for its config to say") {
  for (const std::string member :
       {"command", "env", "url", "headers", "base_url", "api_key_env", "model",
        "tools", "server", "tool", "anything"})
    CHECK(rule_of(used(writer, R"("a": {"type": "extension",
                                 "extension": "writer", ")"
                                 + member + R"(": ["x"]})"))
          == "extension_override /behaviours/a/" + member);
  for (const std::string member :
       {"system", "temperature", "max_tokens", "timeout_ms", "limits"})
    CHECK(used(writer, R"("a": {"type": "extension", "extension": "writer", ")"
                         + member + R"(": 7})")
            .value()
            .at("behaviours")
            .at("a")
            .at(member)
          == 7);
}

TEST_CASE("what an Extension cannot be used for is refused with its place") {
  const auto use = [](const std::string& extension) {
    return rule_of(
      used(extension, R"("a": {"type": "extension", "extension": "x"})"));
  };
  CHECK(use(writer) == "extension_unknown /behaviours/a/extension");
  CHECK(use(R"({"name": "x", "config": {"command": ["x"]}})")
        == "extension_config /extensions/0/config");
  CHECK(use(R"({"name": "x", "config": {"type": "extension"}})")
        == "extension_config /extensions/0/config");
  CHECK(use(R"({"name": "x"})") == "extension_config /extensions/0/config");
  for (const std::string status : {"inactive", "deprecated"})
    CHECK(use(R"({"name": "x", "status": ")" + status
              + R"(", "config": {"type": "echo"}})")
          == "extension_active /extensions/0/status");
  for (const std::string status : {"registered", "active"})
    CHECK(use(R"({"name": "x", "status": ")" + status
              + R"(", "config": {"type": "echo"}})")
            .empty());
  CHECK(rule_of(used(R"({"name": ""})",
                     R"("a": {"type": "extension", "extension": ""})"))
        == "extension_unknown /behaviours/a/extension");
}

TEST_CASE("an Extension with a command is an MCP server under its name") {
  const std::string files
    = R"({"name": "files", "config": {"command": ["serve", "here"]}})";
  const auto made = used(files, "");
  REQUIRE(made);
  const json::value expected{{"command", {"serve", "here"}}};
  CHECK(made->at("mcp_servers").at("files") == expected);
  // As it is once it has been resolved and is run again.
  const auto same = R"(, "mcp_servers": {"files": )" + json::serialize(expected)
                    + "}";
  CHECK(used(files, "", same) == *made);
  CHECK(rule_of(used(files, "",
                     R"(, "mcp_servers": {"files": {"command": ["other"]}})"))
        == "extension_server /extensions/0/name");
  const auto off = used(R"({"name": "files", "status": "inactive",
                            "config": {"command": ["serve"]}})",
                        "");
  REQUIRE(off);
  CHECK_FALSE(off->contains("mcp_servers"));
}

TEST_CASE("documents of the modules are read from files, and filled in") {
  const tests::scratch_folder folder;
  const auto write = [&](const char* name, const std::string& text) {
    tests::write_bytes(folder / name, text);
  };
  write("scenario.json", R"({
    "collab": {"mode": "pair", "participants": [
      {"participant_id": "a", "role_id": "r"},
      {"participant_id": "b", "role_id": "r"}]},
    "extensions": ["files.json"],
    "extension_confirms": [{"requested_by_role": "r"}],
    "core": "core.json",
    "network": {"name": "here", "nodes": [{"name": "a"}]},
    "behaviours": {"a": {"type": "extension", "extension": "say"}},
    "task": "Test"})");
  write("files.json", R"({"name": "say", "config": {"type": "process",
                          "command": ["${scenario}/say.sh"]}})");
  write("core.json", R"({"modules": [{"module_id": "collab"}]})");
  protocol::uuid_source ids{7};
  const auto loaded = host::load_scenario(
    folder / "scenario.json", {.ids = ids, .now = 1'700'000'000'000});
  if (!loaded)
    FAIL(to_string(loaded.error()));
  REQUIRE(loaded->extensions.size() == 1);
  const auto& extension = loaded->extensions.front();
  CHECK(extension.context_id == loaded->context.context_id);
  CHECK(extension.status == protocol::extension_status::registered);
  REQUIRE(loaded->extension_confirms.size() == 1);
  CHECK(loaded->extension_confirms.front().target_id == extension.extension_id);
  CHECK(loaded->extension_confirms.front().target_type
        == protocol::confirm_target::extension);
  REQUIRE(loaded->core);
  CHECK(loaded->core->status == protocol::core_status::active);
  REQUIRE(loaded->network);
  CHECK(loaded->network->nodes->front().status
        == protocol::node_status::active);
  const auto& behaviour = loaded->behaviours.at("a");
  CHECK(behaviour.at("type") == "process");
  CHECK(behaviour.at("command").at(0).as_string().starts_with('/'));
  // What was resolved can be read, and run, again.
  const auto again = session::decode_spec(session::encode(*loaded));
  CHECK(again == *loaded);
}

TEST_CASE("a fault in an Extension is told with its file") {
  const tests::scratch_folder folder;
  tests::write_bytes(folder / "scenario.json", R"({
    "collab": {"mode": "pair", "participants": [
      {"participant_id": "a", "role_id": "r"},
      {"participant_id": "b", "role_id": "r"}]},
    "extensions": ["files.json"], "task": "Test"})");
  tests::write_bytes(folder / "files.json",
                     R"({"name": "x", "extension_type": "tool"})");
  protocol::uuid_source ids{7};
  const auto loaded = host::load_scenario(folder / "scenario.json",
                                          {.ids = ids});
  REQUIRE_FALSE(loaded);
  CHECK(loaded.error().file == (folder / "files.json").string());
  CHECK(loaded.error().pointer == "/extension_type");
}
