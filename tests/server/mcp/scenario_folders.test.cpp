#include "mcp_rig.hpp"

#include <filesystem>

using namespace convene;
using namespace convene::tests;

namespace {

namespace fs = std::filesystem;

/// Folders with scenarios in and beside the one that clients may use.
struct scenario_files {
  scenario_files() {
    fs::create_directories(folder / "open/below");
    fs::create_directories(folder / "closed");
    write_bytes(folder / "open/two.json", two_agents());
    write_bytes(folder / "open/below/scenario.json", two_agents());
    write_bytes(folder / "closed/secret.json", two_agents());
    fs::create_symlink(folder / "closed/secret.json",
                       folder / "open/link.json");
  }

  scratch_folder folder;
};

} // namespace

TEST_CASE("a scenario is started by its path below a named folder") {
  const scenario_files files;
  mcp_rig rig{{}, {}, {files.folder / "open"}};
  for (const auto& path : {std::string{"two.json"}, std::string{"below"},
                           std::string{"below/../two.json"},
                           (files.folder / "open/two.json").string()}) {
    const auto made = rig.call("run_session",
                               {{"path", path}, {"wait_ms", 120'000}});
    CHECK(text_in(made, "status") == "completed");
  }
}

TEST_CASE("a path or a link that leads out of the folders is refused") {
  const scenario_files files;
  mcp_rig rig{{}, {}, {files.folder / "open"}};
  for (const auto& path :
       {std::string{"../closed/secret.json"}, std::string{"link.json"},
        std::string{"nothing.json"}, std::string{"/etc/passwd"},
        (files.folder / "closed/secret.json").string()})
    CHECK(text_in(rig.refused("run_session", {{"path", path}}), "code")
          == "scenario_path");
}

TEST_CASE("a folder whose scenario is a link to one outside is refused") {
  const scenario_files files;
  std::filesystem::remove(files.folder / "open/below/scenario.json");
  fs::create_symlink(files.folder / "closed/secret.json",
                     files.folder / "open/below/scenario.json");
  mcp_rig rig{{}, {}, {files.folder / "open"}};
  CHECK(text_in(rig.refused("run_session", {{"path", "below"}}), "code")
        == "scenario_path");
}

TEST_CASE("a scenario in a folder includes files of the folder") {
  const scenario_files files;
  auto scenario = json::parse(two_agents()).as_object();
  write_bytes(files.folder / "open/below/agents.json",
              json::serialize(
                json::object{{"behaviours", scenario.at("behaviours")}}));
  scenario.erase("behaviours");
  scenario["include"] = {"agents.json"};
  write_bytes(files.folder / "open/below/scenario.json",
              json::serialize(scenario));
  mcp_rig rig{{}, {}, {files.folder / "open"}};
  CHECK(
    text_in(rig.call("run_session", {{"path", "below"}, {"wait_ms", 120'000}}),
            "status")
    == "completed");
}

TEST_CASE("without a folder no path is read, and the error says what to do") {
  const scenario_files files;
  mcp_rig rig;
  const auto made = rig.refused(
    "run_session", {{"path", (files.folder / "open/two.json").string()}});
  CHECK(text_in(made, "message").find("--scenarios DIR") != std::string::npos);
}

TEST_CASE("a scenario in a folder names no file outside of it") {
  const scenario_files files;
  auto scenario = json::parse(two_agents()).as_object();
  scenario["context"] = "../../closed/secret.json";
  write_bytes(files.folder / "open/below/out.json", json::serialize(scenario));
  mcp_rig rig{{}, {}, {files.folder / "open"}};
  CHECK(
    text_in(rig.refused("run_session", {{"path", "below/out.json"}}), "code")
    == "permission_needed");
}
