#include <catch2/catch.hpp>
#include <convene/runtime/data/scenario/scenario.hpp>
#include <runtime/log/event_log/files.hpp>

using namespace convene;
using namespace convene::host;

namespace {

constexpr const char* in_json = R"({
  "$schema": "convene-scenario.schema.json",
  "collab": {"mode": "pair", "participants": [
    {"participant_id": "ada", "role_id": "r"},
    {"participant_id": "bob", "role_id": "r"}]},
  "task": "no",
  "behaviours": {"*": {"type": "echo"}},
  "session": {"rounds": 3}
})";

constexpr const char* in_yaml = R"(# yaml-language-server: $schema=x
$schema: convene-scenario.schema.json
collab:
  mode: pair
  participants:
    - {participant_id: ada, role_id: &role r}
    - participant_id: bob
      role_id: *role
task: no
behaviours:
  "*": {type: echo}
session:
  rounds: 3
)";

struct yaml_fixture {
  tests::scratch_folder folder;

  void write(const char* name, const std::string& text) const {
    tests::write_bytes(folder / name, text);
  }

  [[nodiscard]] protocol::result<session::spec>
  load(const std::string& name) const {
    protocol::uuid_source ids{7};
    return load_scenario(folder / name,
                         {.ids = ids, .now = 1'700'000'000'000, .seed = 5});
  }
};

} // namespace

TEST_CASE("a scenario in YAML is the one in JSON, to the ids of a seed") {
  const yaml_fixture at;
  at.write("a.json", in_json);
  at.write("b.yaml", in_yaml);
  at.write("c.yml", in_json); // JSON is YAML
  const auto json = at.load("a.json");
  REQUIRE(json);
  CHECK(json->task == "no");
  for (const auto* name : {"b.yaml", "c.yml"}) {
    const auto yaml = at.load(name);
    REQUIRE(yaml);
    CHECK(yaml->collab.collab_id == json->collab.collab_id);
    CHECK(yaml->task == "no");
    CHECK(yaml->options.rounds == 3);
  }
}

TEST_CASE("a folder's scenario may be YAML, and there may be one") {
  const yaml_fixture at;
  CHECK_THAT(at.load("").error().message, Catch::Contains("scenario.yaml"));
  at.write("scenario.yml", in_yaml);
  REQUIRE(at.load(""));
  for (const auto* name :
       {"scenario.json", "scenario.jsonc", "scenario.yaml"}) {
    at.write(name, in_json);
    const auto refused = at.load("");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().rule == "scenario_ambiguous");
    CHECK_THAT(refused.error().message,
               Catch::Contains(name) && Catch::Contains("scenario.yml"));
    std::filesystem::remove(at.folder / name);
  }
}

TEST_CASE("an error in a scenario has its line in the YAML") {
  const yaml_fixture at;
  const auto fault = [&](const std::string& text) {
    at.write("scenario.yaml", text);
    const auto made = at.load("scenario.yaml");
    REQUIRE_FALSE(made);
    CHECK(made.error().file == (at.folder / "scenario.yaml").string());
    return made.error();
  };
  std::string text = in_yaml;
  text.replace(text.find("rounds: 3"), 9, "rounds: many");
  const auto wrong = fault(text);
  CHECK(wrong.pointer == "/session/rounds");
  CHECK(wrong.line == 13);
  CHECK(wrong.column == 11);
  const auto twice = fault(in_yaml + std::string{"task: again\n"});
  CHECK(twice.rule == "duplicate_key");
  CHECK(twice.line == 14);
  CHECK(twice.column == 1);
  const auto list = fault("- a\n- b\n");
  CHECK_THAT(list.message, Catch::Contains("mapping"));
}

TEST_CASE("files that a scenario names may be YAML, too") {
  const yaml_fixture at;
  at.write("agents.yml",
           "behaviours:\n  ada: {type: echo}\n  bob: {type: echo}\n"
           "session:\n  max_turns: 7\n");
  at.write("collab.yaml", "mode: pair\nparticipants:\n"
                          "  - {participant_id: ada, role_id: r}\n"
                          "  - {participant_id: bob, role_id: r}\n");
  at.write("scenario.json",
           R"({"include": ["agents.yml"], "collab": "collab.yaml",
               "task": "t"})");
  const auto made = at.load("");
  REQUIRE(made);
  CHECK(made->options.max_turns == 7);
  at.write("agents.yml", "behaviours:\n  '*': {type: echo}\n"
                         "  ada:\n    type: ecko\n");
  const auto wrong = at.load("");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().file == (at.folder / "agents.yml").string());
  CHECK(wrong.error().line == 4);
}
