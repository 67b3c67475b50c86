#include "program.hpp"

#include <convene/protocol/json/json_text.hpp>

using namespace convene::tests;
using Catch::Contains;
using Catch::StartsWith;
using convene::protocol::parse_json;
namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

/// A working folder, a home with the user's own file, and a scenario.
struct desk {
  scratch_folder at;
  fs::path folder = at / "folder";
  fs::path own = at / "home/convene/convene.jsonc";

  desk() {
    fs::create_directories(folder);
    fs::create_directories(own.parent_path());
    write_bytes(folder / "scenario.json", R"({
      "variables": {"WORD": "from the scenario"},
      "collab": {"mode": "round_robin", "participants": [
        {"participant_id": "ann", "role_id": "r"}]},
      "behaviours": {"*": {"type": "script", "turns": [
        {"content": "${WORD}"}]}},
      "task": "t", "session": {"rounds": 1}})");
  }

  [[nodiscard]] finished run_in(const std::vector<std::string>& words) const {
    return run_shell("cd '" + folder.string() + "' && XDG_CONFIG_HOME='"
                       + (at / "home").string() + "' exec \"$0\" \"$@\"",
                     words);
  }

  void set_own(const std::string& text) const {
    write_bytes(own, text);
  }

  void set_folder(const std::string& text) const {
    write_bytes(folder / "convene.jsonc", text);
  }
};

} // namespace

TEST_CASE("settings are the defaults of options, and the command line counts "
          "more") {
  const desk at;
  at.set_own(R"({
    // of all commands
    "log_level": "off",
    "simulate": {"seeds": "3..5",},
  })");
  CHECK_THAT(at.run_in({"simulate", "scenario.json"}).out,
             StartsWith("3 seeds: 3 completed"));
  CHECK_THAT(at.run_in({"simulate", "scenario.json", "--seeds", "1..2"}).out,
             StartsWith("2 seeds: 2 completed"));
  CHECK_THAT(at.run_in({"simulate", "scenario.json", "--no-config", "--quiet",
                        "--json"})
               .out,
             Contains("\"last\": 100"));
  // That of a command counts before that of all.
  at.set_own(R"({"seeds": "1..9", "simulate": {"seeds": "1..4"}})");
  CHECK_THAT(at.run_in({"simulate", "scenario.json"}).out,
             StartsWith("4 seeds:"));
  // An option that goes only with another one is not set without it.
  at.set_folder(R"({"shrink_runs": 5})");
  CHECK(at.run_in({"simulate", "scenario.json"}).code == 2); // not a folder's
  fs::remove(at.folder / "convene.jsonc");
  at.set_own(R"({"shrink_runs": 5, "allow": ["run=sh"], "seeds": "1..3",
                 "keep": "all"})");
  CHECK(at.run_in({"simulate", "scenario.json"}).code == 0);
  CHECK(at.run_in({"load", "scenario.json", "--duration", "1ms"}).code == 0);
  // An option before the command was given, too.
  at.set_folder(R"({"quiet": true, "log_level": "off"})");
  CHECK(at.run_in({"simulate", "scenario.json"}).out.empty());
  // So was one that says the opposite.
  CHECK_FALSE(at.run_in({"simulate", "scenario.json", "-v"}).out.empty());
  CHECK_FALSE(at.run_in({"-v", "simulate", "scenario.json"}).out.empty());
}

TEST_CASE("settings that do not go with the command line are named with their "
          "place") {
  const desk at;
  const auto [text, words, told]
    = GENERATE(table<std::string, std::vector<std::string>, std::string>(
      {{R"({"run": {"documents": "none"}})",
        {"run", "scenario.json", "--store", "sqlite:x.db"},
        "leave one out; documents is set at "},
       {R"({"run": {"instances": 3}})",
        {"run", "scenario.json", "--profile", "sa"},
        "leave out --instances; instances is set at "}}));
  at.set_own(text);
  auto line = words;
  const auto refused = at.run_in(line);
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains(told) && Contains(at.own.string() + ":1:")
                            && Contains("which --no-config ignores"));
  // What the command line has, has no place.
  line.emplace_back("--no-config");
  CHECK_THAT(at.run_in(line).err, !Contains("is set at"));
}

TEST_CASE("only the user's own file grants permissions") {
  const desk at;
  write_bytes(at.folder / "asks.json", R"({
    "collab": {"mode": "round_robin", "participants": [
      {"participant_id": "ann", "role_id": "r"}]},
    "behaviours": {"ann": {"type": "process", "command": ["true"]}},
    "task": "t"})");
  const auto tried = [&] {
    return at.run_in({"run", "--dry-run", "asks.json"});
  };
  CHECK(tried().code == 2);
  at.set_own(R"({"allow": ["run=true"]})");
  CHECK(tried().code == 0);
  CHECK(at.run_in({"run", "--dry-run", "asks.json", "--no-config"}).code == 2);
  // The command line replaces the list.
  CHECK(at.run_in({"run", "--dry-run", "asks.json", "--allow", "run=sh"}).code
        == 2);
  fs::remove(at.own);
  const auto setting = GENERATE(values<std::string>(
    {R"("allow": ["run=true"])", R"("run": {"allow": "run=true"})",
     R"("sandbox": false)", R"("set": ["task=x"])", R"("variables": {"A": 1})",
     R"("validation": "off")", R"("out": "x")", R"("seeds": "1..1")",
     R"("run": {"durability": "none"})", R"("run": {"instances": 9})",
     R"("inbox": {"server": "x"})"}));
  at.set_folder("{\n  " + setting + "}");
  const auto refused = tried();
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("convene.jsonc:2:")
                            && Contains("may come from a stranger")
                            && Contains(at.own.string()));
}

TEST_CASE("a setting that is wrong is an error with its place") {
  const auto [text, words] = GENERATE(table<std::string, std::string>(
    {{"{\n  \"treads\": 4}",
      "convene.jsonc:2:13: /treads: unknown setting (did you mean "
      "\"threads\"?)"},
     {"{\"run\": {\n \"durabilty\": \"none\"}}",
      "convene.jsonc:2:15: /run/durabilty: unknown setting (did you mean "
      "\"durability\"?)"},
     {"{\"rnu\": {}}", "unknown setting (did you mean \"run\"?)"},
     {"{\"threads\": \"many\"}",
      "convene.jsonc:1:13: /threads: give a whole number from 1 to"},
     {"{\"quiet\": \"yes\"}", "/quiet: write true or false"},
     {"{\"fail_on\": [\"x\"]}", "/fail_on: write one value"},
     {"{\"fail_on\": {}}", "/fail_on: write"},
     {"{\"fail_on\": null}", "/fail_on: write a text, a number, true or"},
     {"{\n\"no_config\": true}",
      "convene.jsonc:2:14: /no_config: unknown setting; convene help"},
     {"{\n\"no-config\": true}",
      "convene.jsonc:2:14: /no-config: unknown setting; convene help"},
     {"{\"help\": true}", "/help: unknown setting"},
     {"{\"version\": true}", "/version: unknown setting"},
     {"{\"run\": {\"no_config\": true}}", "/run/no_config: unknown setting"},
     {"{\"run\": 1}", "/run: write an object with settings"},
     {"{\"threads\": 1, \"threads\": 2}", "convene.jsonc:1:"},
     {"[]", "convene.jsonc:1:1: write an object with settings"},
     {"{\"threads\": ", "convene.jsonc:1:"}}));
  const desk at;
  at.set_folder(text);
  const auto refused = at.run_in({"run", "--dry-run", "scenario.json"});
  CHECK(refused.code == 2);
  CHECK(refused.out.empty());
  CHECK_THAT(refused.err, Contains(words));
  // What describes the program needs no settings.
  CHECK(at.run_in({"--version"}).code == 0);
  CHECK(at.run_in({"help", "run"}).code == 0);
  CHECK(at.run_in({"run", "--dry-run", "scenario.json", "--no-config"}).code
        == 0);
}

TEST_CASE("the user's variables replace those that a scenario declares") {
  const desk at;
  at.set_own(R"({"variables": {"WORD": "from the settings", "OTHER": 1}})");
  const auto said = [&](const std::vector<std::string>& more) {
    fs::remove_all(at.folder / "out");
    std::vector<std::string> words{"run", "scenario.json", "--out", "out"};
    words.insert(words.end(), more.begin(), more.end());
    REQUIRE(at.run_in(words).code == 0);
    return read_bytes(at.folder / "out/events.jsonl");
  };
  CHECK_THAT(said({}), Contains("from the settings"));
  CHECK_THAT(said({"--set", "task=u"}), Contains("from the settings"));
  CHECK_THAT(said({"--set", "variables.WORD=given"}), Contains("given"));
  // A scenario without variables stays as it is.
  write_bytes(at.folder / "scenario.json", R"({
    "collab": {"mode": "round_robin", "participants": [
      {"participant_id": "ann", "role_id": "r"}]},
    "behaviours": {"*": {"type": "script", "turns": [{"content": "a ${WORD}"}]}},
    "task": "t", "session": {"rounds": 1}})");
  CHECK_THAT(said({}), Contains("a ${WORD}"));
}

TEST_CASE("variables of the settings have names that a scenario can have") {
  const desk at;
  const auto [text, told] = GENERATE(table<std::string, std::string>(
    {{R"({"variables": {"A": "x", "B.c": "y"}})",
      ":1:33: /variables/B.c: a variable's name has letters"},
     {R"({"variables": {"": 1}})", "a variable's name has letters"},
     {R"({"variables": {"2B": 1}})", "/variables/2B: a variable's name"},
     {R"({"variables": {"A": []}})", "/variables/A: write a text, a number"},
     {R"({"variables": [1]})", "/variables: write an object"}}));
  at.set_own(text);
  for (const char* command : {"run", "validate"}) {
    const auto refused = at.run_in({command, "scenario.json"});
    CHECK(refused.code == 2);
    CHECK_THAT(refused.err, Contains(told));
  }
}

TEST_CASE("config lists the settings that count with their places") {
  const desk at;
  const auto none = at.run_in({"config"});
  CHECK(none.code == 0);
  CHECK(none.out == at.own.string() + " (none)\nconvene.jsonc (none)\n");
  at.set_own(R"({"allow": ["net=127.0.0.1:80"], "threads": 2})");
  at.set_folder("{\n  \"threads\": 3, \"run\": {\"log_level\": \"off\"}}");
  const auto shown = at.run_in({"config"});
  CHECK(shown.out
        == at.own.string()
             + ":1:11: allow = [\"net=127.0.0.1:80\"]\n"
               "convene.jsonc:2:14: threads = 3\n"
               "convene.jsonc:2:38: run: log_level = \"off\"\n");
  const auto as_json = parse_json(at.run_in({"config", "--json"}).out);
  REQUIRE(as_json);
  CHECK(as_json->at("files").as_array().size() == 2);
  CHECK(as_json->at("settings").at(1)
        == json::value({{"command", ""},
                        {"name", "threads"},
                        {"value", 3},
                        {"file", "convene.jsonc"},
                        {"line", 2},
                        {"column", 14}}));
  // A folder's file that is broken is found by it, too.
  at.set_folder("{");
  CHECK(at.run_in({"config"}).code == 2);
}
