#include "program.hpp"

#include <convene/protocol/json/json_text.hpp>

#include <filesystem>
#include <sstream>
#include <string>

using namespace convene::tests;
using Catch::Contains;

TEST_CASE("a new scenario of each mode is valid and completes as it is") {
  const std::string mode = GENERATE("broadcast", "round_robin", "orchestrated",
                                    "swarm", "pair");
  const scratch_folder files;
  const auto folder = (files / "first review").string();
  const auto scenario = folder + "/scenario.json";
  const auto made = run({"new", folder, "--mode", mode, "--json"});
  REQUIRE(made.code == 0);
  CHECK(made.err.empty());
  const auto said = convene::protocol::parse_json(made.out).value();
  CHECK(std::string{said.at("scenario").as_string()} == scenario);
  CHECK(std::string{said.at("mode").as_string()} == mode);
  CHECK(run({"validate", scenario}).code == 0);
  const auto done = run({"run", scenario, "--seed", "1", "--json", "--out",
                         (files / "out").string()});
  INFO(done.out << done.err);
  REQUIRE(done.code == 0);
  const auto result = convene::protocol::parse_json(done.out).value();
  CHECK(std::string{result.at("mode").as_string()} == mode);
  CHECK(result.at("status") == "completed");
  if (mode == "orchestrated") // by the decisions that the scenario has
    CHECK(result.at("stop_reason").at("observed")
          == "it is written and reviewed");
  const auto collab = read_bytes(files / "out" / "collab.json");
  CHECK_THAT(collab, Contains("\"first review\""));
  CHECK(run({"check", (files / "out").string()}).code == 0);
}

TEST_CASE("every command in the README of a template works") {
  const std::string name = GENERATE("debate", "review", "swarm", "approval",
                                    "simulation", "load");
  const scratch_folder files;
  const auto folder = (files / "my \"first\"").string();
  const auto made = run({"new", folder, "--template", name, "--json"});
  INFO(made.out << made.err);
  REQUIRE(made.code == 0);
  const auto said = convene::protocol::parse_json(made.out).value();
  CHECK(std::string{said.at("template").as_string()} == name);
  CHECK(run({"validate", folder}).code == 0);
  // The lines of the README that are commands, in its folder.
  std::istringstream readme{read_bytes(folder + "/README.md")};
  std::size_t commands = 0;
  for (std::string line; std::getline(readme, line);) {
    if (!line.starts_with("    convene "))
      continue;
    ++commands;
    const auto end = run_shell(
      R"(cd "$1" && convene() { "$0" "$@"; } && eval "$2")", {folder, line});
    INFO(line << '\n' << end.out << end.err);
    // A load is late on a busy machine, and then its exit code is 1.
    CHECK(end.code <= (line.starts_with("    convene load ") ? 1 : 0));
  }
  CHECK(commands >= 2);
  const auto done = run({"run", folder, "--seed", "1", "--json", "--out",
                         (files / "out").string()});
  const auto result = convene::protocol::parse_json(done.out).value();
  CHECK(result.at("status") == "completed");
  CHECK_THAT(read_bytes(files / "out" / "collab.json"),
             Contains(R"("my \"first\"")"));
  CHECK(run({"check", (files / "out").string()}).code == 0);
}

TEST_CASE("a new folder binds the scenario to its schema in an editor") {
  const scratch_folder files;
  const auto folder = files / "new";
  REQUIRE(run({"new", folder.string()}).code == 0);
  const auto read = [&](const char* name) {
    return convene::protocol::parse_relaxed_json(read_bytes(folder / name))
      .value();
  };
  const auto scenario = read("scenario.json");
  const std::string schema{scenario.at("$schema").as_string()};
  CHECK(schema == "./.vscode/convene-scenario.schema.json");
  const auto settings = read(".vscode/settings.json");
  CHECK(settings.at("json.schemas").at(0).at("url") == schema.c_str());
  CHECK(settings.at("files.associations").at("scenario.json") == "jsonc");
  const auto bound = read(schema.c_str());
  CHECK(bound.at("$id") == "urn:convene:schema:scenario");
  CHECK(bound.at("allowTrailingCommas") == true);
  CHECK(bound.at("allowComments") == true);
  const auto both = run(
    {"new", (files / "x").string(), "--template", "load", "--mode", "pair"});
  CHECK(both.code == 2);
}

TEST_CASE("a new scenario says what to run, and its name can be any") {
  const scratch_folder files;
  const auto folder = (files / "say \"hi\"\\\n").string();
  const auto made = run({"new", folder + "/"});
  CHECK(made.code == 0);
  CHECK_THAT(made.out, Contains("convene run "));
  CHECK(run({"validate", folder + "/scenario.json"}).code == 0);
  const auto spaced = run({"new", (files / "my review").string()});
  CHECK_THAT(spaced.out,
             Contains("convene run '") && Contains("my review/scenario.json'"));
  const auto quiet = run({"new", (files / "\xff").string(), "--quiet"});
  CHECK(quiet.code == 0);
  CHECK(quiet.out.empty());
  CHECK(run({"validate", (files / "\xff" / "scenario.json").string()}).code
        == 0);
}

TEST_CASE("a new scenario replaces nothing") {
  const scratch_folder files;
  const auto folder = (files / "mine").string();
  REQUIRE(run({"new", folder, "--mode", "pair"}).code == 0);
  const auto before = read_bytes(folder + "/scenario.json");
  const auto refused = run({"new", folder});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("is not an empty folder: name a new one"));
  CHECK(read_bytes(folder + "/scenario.json") == before);
  const auto file = run({"new", folder + "/scenario.json"});
  CHECK(file.code == 2);
  CHECK_THAT(file.err, Contains("scenario.json: is not a folder"));
  CHECK(read_bytes(folder + "/scenario.json") == before);
  const auto mode = run({"new", (files / "x").string(), "--mode", "ring"});
  CHECK(mode.code == 2);
  CHECK_THAT(mode.err, Contains("write broadcast, round_robin, orchestrated, "
                                "swarm or pair"));
  CHECK(!std::filesystem::exists(files / "x"));
}
