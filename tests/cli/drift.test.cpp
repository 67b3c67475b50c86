#include "run_fixture.hpp"

#include <convene/protocol/json/json_text.hpp>
#include <integrations/git/made_repository.hpp>
#include <support/dice.hpp>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <random>

using namespace convene::tests;
using Catch::Contains;
using convene::protocol::parse_json;
using convene::test::dice;
namespace fs = std::filesystem;
namespace json = boost::json;

namespace {

const std::string writes_files = R"({
  "collab": {"mode": "round_robin", "participants": [
    {"participant_id": "ann", "role_id": "role-planner"}]},
  "behaviours": {"ann": {"type": "script", "turns": [{"content": "done",
    "writes": [
      {"resource_type": "file", "resource_id": "src/a.cpp",
       "base_version": 0, "value": "int a();\n"},
      {"resource_type": "file", "resource_id": "README",
       "base_version": 0, "value": "Read me.\n"},
      {"resource_type": "file", "resource_id": "numbers",
       "base_version": 0, "value": {"n": 1}},
      {"resource_type": "doc", "resource_id": "notes",
       "base_version": 0, "value": "x"}]}]}},
  "task": "write"})";

/// A run that wrote files, and the project's folder as it left it.
struct written_run {
  run_fixture run{writes_files};
  fs::path project = run.folder / "project";
  std::string log = (run.folder / "drift.jsonl").string();

  written_run() {
    REQUIRE(run.run_with().code == 0);
    put("src/a.cpp", "int a();\n");
    put("README", "Read me.\n");
  }

  void put(const std::string& path, const std::string& text) const {
    fs::create_directories((project / path).parent_path());
    fs::remove(project / path);
    write_bytes(project / path, text);
  }
  [[nodiscard]] finished
  drift(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all{"drift", run.out, "--files", project.string()};
    all.insert(all.end(), more.begin(), more.end());
    return convene::tests::run(all);
  }
};

json::object json_of(const finished& done) {
  INFO(done.err);
  INFO(done.out);
  auto read = parse_json(done.out);
  REQUIRE(read);
  return read->as_object();
}

std::map<std::string, std::string> types_of(const json::object& document) {
  std::map<std::string, std::string> made;
  for (const auto& each : document.at("drift").as_array())
    made[each.at("path").as_string().c_str()]
      = each.at("drift_type").as_string().c_str();
  return made;
}

std::vector<std::string> told(const std::string& log) {
  std::vector<std::string> made;
  std::istringstream in{read_bytes(log)};
  for (std::string line; std::getline(in, line);) {
    const auto event = parse_json(line).value();
    made.push_back(std::string{event.at("event_type").as_string()} + ' '
                   + std::string{event.at("payload").at("path").as_string()});
  }
  std::ranges::sort(made);
  return made;
}

std::string update_of(const std::string& path, const std::string& time) {
  return R"({"event_id":"0123abcd-4567-4abc-89de-f0123456789a",)"
         R"("event_type":"file_update","event_family":"external_integration",)"
         R"("timestamp":"2026-01-01T00:00:00Z","source":"an-editor-v1.2",)"
         R"("payload":{"file_path":")"
         + path + R"(","change_type":"modified","timestamp":")" + time
         + "\"}}\n";
}

} // namespace

TEST_CASE("files as the run left them are no drift, touched or not") {
  const written_run at;
  fs::last_write_time(at.project / "README", fs::file_time_type::clock::now());
  const auto done = at.drift();
  INFO(done.err);
  CHECK(done.code == 0);
  CHECK_THAT(done.out, Contains("2 files compared, no drift"));
  CHECK_THAT(at.drift({"-v"}).out,
             Contains("skipped: numbers: its value is not text"));
}

TEST_CASE("files that were edited, removed and made by hand are drift") {
  const written_run at;
  at.put("src/a.cpp", "int a(int);\n");
  fs::remove(at.project / "README");
  at.put("new", "new");
  const auto done = at.drift();
  CHECK(done.code == 1);
  CHECK_THAT(done.out, Contains("2 files compared, 2 differ\n")
                         && Contains("modified  medium  src/a.cpp: 12 bytes, "
                                     "expected 9")
                         && Contains("deleted   high    README: expected 9 "
                                     "bytes"));
  CHECK_THAT(done.out, !Contains("new"));
  const auto document = json_of(at.drift({"--json", "--added"}));
  CHECK(types_of(document)
        == std::map<std::string, std::string>{
          {"src/a.cpp", "modified"}, {"README", "deleted"}, {"new", "added"}});
  const auto& first = document.at("drift").as_array()[0].as_object();
  CHECK(first.at("path") == "README");
  CHECK_THAT(first.at("node").as_string().c_str(),
             Catch::StartsWith("resource:") && Catch::EndsWith("/file/README"));
  CHECK(first.at("expected").at("exists") == true);
  CHECK(first.at("actual").at("exists") == false);
  CHECK(at.drift({"--quiet"}).out.empty());
}

TEST_CASE("files as they are and as they were stay until somebody decides") {
  const written_run at;
  at.put("README", "mine");
  const auto written = read_bytes(at.run.out + "/workspace.json");
  CHECK(at.drift().code == 1);
  CHECK(at.drift().code == 1);
  CHECK(read_bytes(at.project / "README") == "mine");
  CHECK(read_bytes(at.run.out + "/workspace.json") == written);
  CHECK_FALSE(fs::exists(at.project / ".convene-replaced"));
  static_cast<void>(at.drift({"--reconcile", "graph"}));
  CHECK(read_bytes(at.project / "README") == "Read me.\n");
}

TEST_CASE("a drift is told once, and once more when it is over") {
  const written_run at;
  at.put("README", "mine");
  CHECK(at.drift({"--log", at.log}).code == 1);
  CHECK(at.drift({"--log", at.log}).code == 1);
  CHECK(told(at.log) == std::vector<std::string>{"drift_detected README"});
  at.put("README", "Read me.\n");
  const auto done = at.drift({"--log", at.log});
  CHECK(done.code == 0);
  CHECK_THAT(done.out, Contains("1 resolved"));
  CHECK(told(at.log)
        == std::vector<std::string>{"drift_detected README",
                                    "drift_resolved README"});
  const auto valid = run({"validate", at.log});
  INFO(valid.out);
  CHECK(valid.code == 0);
}

TEST_CASE("files are written as the run left them, and what they replace is "
          "kept") {
  const written_run at;
  at.put("src/a.cpp", "mine");
  fs::remove(at.project / "README");
  at.put("other", "other");
  const auto done = json_of(
    at.drift({"--reconcile", "graph", "--json", "--added", "--log", at.log}));
  CHECK(types_of(done)
        == std::map<std::string, std::string>{{"other", "added"}});
  CHECK(read_bytes(at.project / "src/a.cpp") == "int a();\n");
  CHECK(read_bytes(at.project / "README") == "Read me.\n");
  CHECK(read_bytes(at.project / "other") == "other");
  const auto& all = done.at("reconciled").as_array();
  REQUIRE(all.size() == 2);
  CHECK_FALSE(all[0].as_object().contains("kept"));
  CHECK(read_bytes(all[1].at("kept").as_string().c_str()) == "mine");
  CHECK(told(at.log).size() == 5);
  CHECK(at.drift({"--added", "--exclude", "oth*"}).code == 0);
}

TEST_CASE("files are taken as they are by recording them") {
  const written_run at;
  at.put("src/a.cpp", "mine");
  fs::remove(at.project / "README");
  const auto refused = at.drift({"--reconcile", "disk"});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("--record"));
  const auto record = (at.project / "base.json").string();
  CHECK(at.drift({"--reconcile", "disk", "--record", record}).code == 0);
  CHECK(at.drift().code == 1); // the run says what it said
  CHECK(run({"drift", record}).code == 0);
  at.put("README", "again");
  const auto again = json_of(run({"drift", record, "--json"}));
  CHECK(types_of(again)
        == std::map<std::string, std::string>{{"README", "added"}});
  CHECK_THAT(std::string{again.at("drift").at(0).at("node").as_string()},
             Contains("README"));
  CHECK(run({"drift", record, "--reconcile", "graph"}).code == 2);
  CHECK(run({"drift", record, "--reconcile", "disk"}).code == 0);
  CHECK(run({"drift", record}).code == 0);
}

TEST_CASE("a file that cannot be looked at is recorded as it was known") {
  const written_run at;
  const auto record = (at.run.folder / "base.json").string();
  at.put("src/a.cpp", "mine");
  fs::remove(at.project / "README");
  fs::create_symlink("src/a.cpp", at.project / "README");
  CHECK(at.drift({"--reconcile", "disk", "--record", record}).code == 2);
  at.put("README", "other");
  CHECK(types_of(json_of(run({"drift", record, "--json"})))
        == std::map<std::string, std::string>{{"README", "modified"}});
}

TEST_CASE("a folder is compared with what was recorded of it") {
  const written_run at;
  at.put("build/x.o", "x");
  at.put("moved", "somewhere else");
  const auto record = (at.project / "base.json").string();
  const auto made = run({"drift", "--files", at.project.string(), "--record",
                         record, "--exclude", "build"});
  INFO(made.err);
  CHECK(made.code == 0);
  CHECK_THAT(made.out, Contains("3 files recorded"));
  CHECK(run({"drift", record}).code == 0);
  at.put("build/y.o", "y");
  at.put("new", "new");
  fs::create_directory(at.project / "sub");
  fs::rename(at.project / "moved", at.project / "sub/moved");
  const auto found = json_of(run({"drift", record, "--json"}));
  CHECK(types_of(found)
        == std::map<std::string, std::string>{{"moved", "renamed"},
                                              {"new", "added"}});
  CHECK_THAT(run({"drift", record}).out, Contains("moved: now sub/moved"));
  // Both can be moved together.
  fs::rename(at.project, at.run.folder / "elsewhere");
  CHECK(
    types_of(json_of(run(
      {"drift", (at.run.folder / "elsewhere/base.json").string(), "--json"})))
    == types_of(found));
}

TEST_CASE("what is excluded is neither compared nor written") {
  const written_run at;
  at.put("src/a.cpp", "mine");
  fs::remove(at.project / "README");
  REQUIRE(at.drift({"--log", at.log}).code == 1);
  CHECK(types_of(json_of(at.drift({"--json", "--exclude", "src"})))
        == std::map<std::string, std::string>{{"README", "deleted"}});
  CHECK(at.drift({"--exclude", "src", "--exclude", "README"}).code == 0);
  CHECK(
    at.drift({"--exclude", "*.cpp", "--log", at.log, "--reconcile", "graph"})
      .code
    == 1); // what the log has of it stays open
  CHECK(read_bytes(at.project / "README") == "Read me.\n");
  CHECK(read_bytes(at.project / "src/a.cpp") == "mine");
}

TEST_CASE("random edits by hand are what a plain comparison says") {
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  dice random{seed};
  const written_run at;
  const std::vector<std::string> paths{"README", "src/a.cpp", "src/b", "c/d/e"};
  std::map<std::string, std::string> files{{"README", "Read me.\n"},
                                           {"src/a.cpp", "int a();\n"}};
  const auto record = (at.run.folder / "base.json").string();
  REQUIRE(
    run({"drift", "--files", at.project.string(), "--record", record}).code
    == 0);
  const auto recorded = files;
  for (int round = 0; round < 10; ++round) {
    for (auto edits = 1 + random.below(3); edits > 0; --edits) {
      const auto& path = random.one_of(paths);
      if (random.chance(30)) {
        files.erase(path);
        fs::remove(at.project / path);
      } else {
        // Never two of one content: that might be a file that was moved.
        files[path] = random.chance(30) && recorded.contains(path)
                        ? recorded.at(path)
                        : path + std::to_string(round);
        at.put(path, files[path]);
      }
    }
    std::map<std::string, std::string> wanted;
    for (const auto& path : paths) {
      const bool before = recorded.contains(path);
      const bool now = files.contains(path);
      if (before && !now)
        wanted[path] = "deleted";
      else if (now && !before)
        wanted[path] = "added";
      else if (now && recorded.at(path) != files.at(path))
        wanted[path] = "modified";
    }
    const auto done = run({"drift", record, "--json"});
    CHECK(types_of(json_of(done)) == wanted);
    CHECK(done.code == (wanted.empty() ? 0 : 1));
  }
}

TEST_CASE("what cannot be compared is named, and the rest is compared") {
  const written_run at;
  at.put("secret", "s");
  fs::remove(at.project / "README");
  fs::create_symlink("secret", at.project / "README");
  const auto linked = at.drift();
  CHECK(linked.code == 2);
  CHECK_THAT(linked.err, Contains("project/README") && Contains("link"));
  at.put("src/a.cpp", "mine");
  const auto both = at.drift();
  CHECK(both.code == 1);
  CHECK_THAT(both.out, Contains("1 differs"));
  CHECK_THAT(both.err, Contains("project/README"));
  const auto kept = json_of(at.drift({"--reconcile", "graph", "--json"}));
  CHECK(kept.at("errors").as_array().size() == 1);
  CHECK(read_bytes(at.project / "secret") == "s");
  CHECK(fs::is_symlink(at.project / "README"));
}

TEST_CASE("a run's paths that lead out of the project are errors") {
  const scratch_folder at;
  fs::create_directory(at / "project");
  write_bytes(at / "outside", "x");
  write_bytes(at / "workspace.json", R"({"session_id": "s", "resources": [
    {"resource_type": "file", "resource_id": "../outside", "version": 1,
     "value": "y"},
    {"resource_type": "file", "resource_id": "/etc/passwd", "version": 1,
     "value": "y"},
    {"resource_type": "file", "resource_id": "fine", "version": 1,
     "value": "y"},
    {"resource_type": "file", "resource_id": "gone", "version": 2,
     "deleted": true}]})");
  const auto done = run({"drift", (at / "workspace.json").string(), "--files",
                         (at / "project").string(), "--reconcile", "graph"});
  CHECK(done.code == 2);
  CHECK_THAT(done.err,
             Contains("/resources/0/resource_id") && Contains("/etc/passwd"));
  CHECK(read_bytes(at / "outside") == "x");
  CHECK(read_bytes(at / "project/fine") == "y");
  write_bytes(at / "project/gone", "back");
  const auto back = run({"drift", at.path().string(), "--files",
                         (at / "project").string(), "--json"});
  CHECK(back.code == 1);
  CHECK(types_of(json_of(back))
        == std::map<std::string, std::string>{{"gone", "added"}});
}

TEST_CASE("events say which files to look at, in any order and number") {
  const written_run at;
  at.put("README", "mine");
  at.put("src/a.cpp", "mine, too");
  const auto events = (at.run.folder / "events.jsonl").string();
  const auto later = std::string{"2100-01-01T00:00:00Z"};
  write_bytes(events, update_of("README", later) + update_of("other", later)
                        + update_of("README", "2001-01-01T00:00:00Z")
                        + update_of("README", later));
  const auto one
    = json_of(at.drift({"--events", events, "--json", "--log", at.log}));
  CHECK(types_of(one)
        == std::map<std::string, std::string>{{"README", "modified"}});
  CHECK(one.at("events").at("file_updates") == 4);
  // An event from before the run says nothing of what came after it.
  write_bytes(events, update_of("src/a.cpp", "2001-01-01T00:00:00Z"));
  const auto old = json_of(at.drift({"--events", events, "--json"}));
  CHECK(types_of(old).empty());
  CHECK(old.at("events").at("outdated") == 1);
  // One from the future does not keep later looks from counting.
  at.put("README", "Read me.\n");
  write_bytes(events, update_of("README", later));
  CHECK(at.drift({"--events", events, "--log", at.log}).code == 0);
  CHECK(told(at.log).size() == 2);
}

TEST_CASE("an event that is refused is named by its line, and the others "
          "count") {
  const written_run at;
  at.put("README", "mine");
  const auto events = (at.run.folder / "events.jsonl").string();
  auto nameless = update_of("README", "2100-01-01T00:00:00Z");
  nameless.erase(nameless.find("\"source\""), 26);
  write_bytes(events, nameless + "nothing\n"
                        + update_of("../x", "2100-01-01T00:00:00Z"));
  const auto none = at.drift({"--events", events});
  CHECK(none.code == 2);
  CHECK_THAT(none.err, Contains("events.jsonl:1") && Contains("source")
                         && Contains("events.jsonl:2")
                         && Contains("leads out of the folder"));
  CHECK_THAT(none.out, Contains("3 refused"));
  append_bytes(events, update_of("README", "2100-01-01T00:00:00Z"));
  CHECK(at.drift({"--events", events}).code == 1);
  CHECK(at.drift({"--events", "-"}).code == 0);
  CHECK(at.drift({"--events", (at.run.folder / "none").string()}).code == 2);
}

TEST_CASE("a watch tells changes as they happen, until it is interrupted") {
  const written_run at;
  for (const auto& how :
       {std::vector<std::string>{"--watch"},
        std::vector<std::string>{"--watch", "--poll-ms", "5"}}) {
    std::vector<std::string> all{"drift", at.run.out, "--files",
                                 at.project.string()};
    all.insert(all.end(), how.begin(), how.end());
    program watch{all};
    const auto says = [&](std::string_view text) {
      while (watch.output().find(text) == std::string::npos) {
        REQUIRE_FALSE(watch.has_ended());
        ::usleep(1'000);
      }
    };
    says("no drift");
    at.put("README", "mine");
    says("README: 4 bytes, expected 9");
    fs::remove_all(at.project / "src");
    says("src/a.cpp: expected 9 bytes");
    at.put("src/a.cpp", "int a();\n");
    says("resolved          src/a.cpp");
    at.put("README", "Read me.\n");
    says("resolved          README");
    watch.signal(SIGTERM);
    CHECK(watch.wait().code == 143);
  }
}

TEST_CASE("a repository is compared with a commit, or with the one recorded") {
  const made_repository at;
  at.put("a", "1");
  at.put("b", "2");
  const auto first = at.commit_all();
  const auto files = at.root().string();
  CHECK(run({"drift", "--files", files, "--git"}).code == 0);
  const scratch_folder beside;
  const auto record = (beside / "base.json").string();
  REQUIRE(run({"drift", "--files", files, "--git", "--record", record}).code
          == 0);
  CHECK(run({"drift", record, "--git"}).code == 0);
  at.put("a", "changed");
  const auto second = at.commit_all();
  at.put("c", "new");
  const auto text = run({"drift", record, "--git"});
  CHECK(text.code == 1);
  CHECK_THAT(text.out, Contains("modified  medium  a")
                         && Contains(" at " + second.substr(0, 12) + ", was at "
                                     + first.substr(0, 12) + ", 2 changes")
                         && Contains("  committed  modified  a\n")
                         && Contains("  unstaged   added     c\n"));
  const auto alone = json_of(
    run({"drift", "--files", files, "--git", "--since", first, "--json"}));
  const auto& repository = alone.at("repository").as_object();
  CHECK(repository.at("moved") == true);
  CHECK(repository.at("head").as_string() == second.c_str());
  CHECK(repository.at("changes").as_array().size() == 2);
  CHECK(run({"drift", record, "--git", "--reconcile", "disk"}).code == 1);
  at.commit_all();
  CHECK(run({"drift", record, "--git", "--reconcile", "disk"}).code == 0);
  CHECK(run({"drift", record, "--git"}).code == 0);
  const auto unknown
    = run({"drift", "--files", files, "--git", "--since", "nosuch"});
  CHECK(unknown.code == 2);
  CHECK_THAT(unknown.err, Contains("nosuch"));
  CHECK(run({"drift", "--files", beside.path().string(), "--git"}).code == 2);
  CHECK(run({"drift", record, "--since", first}).code == 2);
  CHECK(run({"drift", "--files", files, "--git", "--exclude", "a"}).code == 2);
  CHECK(run({"drift", "--files", files, "--git", "--since", first, "--record",
             record})
          .code
        == 2);
}

TEST_CASE("a run alone is compared with the folder that one is in") {
  const written_run at;
  at.put("README", "mine");
  const auto before = fs::current_path();
  fs::current_path(at.project);
  const auto done = run({"drift", at.run.out});
  fs::current_path(before);
  CHECK(done.code == 1);
  CHECK_THAT(done.out, Contains("modified  medium  README"));
}

TEST_CASE("a Git working tree alone is compared with its HEAD") {
  const made_repository at;
  at.put("a", "1");
  const auto first = at.commit_all();
  const auto files = at.root().string();
  CHECK(run({"drift", files}).code == 0);
  at.put("a", "changed");
  const auto done = run({"drift", files});
  CHECK(done.code == 1);
  CHECK_THAT(done.out, Contains("  unstaged   modified  a\n"));
  at.commit_all();
  CHECK(run({"drift", files}).code == 0);
  CHECK(run({"drift", files, "--git", "--since", first}).code == 1);
}

TEST_CASE("options that do not go together are refused") {
  const written_run at;
  const auto record = (at.run.folder / "r").string();
  CHECK(run({"drift"}).code == 2);
  CHECK(run({"drift", "--files", at.project.string()}).code == 2);
  CHECK(run({"drift", at.run.out, "--reconcile", "graph"}).code == 2);
  CHECK(at.drift({"--record", record}).code == 2);
  CHECK(at.drift({"--poll-ms", "5"}).code == 2);
  CHECK(at.drift({"--watch", "--events", "-"}).code == 2);
  CHECK(at.drift({"--watch", "--reconcile", "graph"}).code == 2);
  CHECK(at.drift({"--reconcile", "both"}).code == 2);
  CHECK(run({"drift", "--files", at.project.string(), "--record", record,
             "--watch"})
          .code
        == 2);
  CHECK_FALSE(fs::exists(record));
  CHECK(run({"drift", at.project.string(), "--files", at.project.string()}).code
        == 2);
  CHECK(run({"drift", at.run.out, "--files", record}).code == 2);
  CHECK(run({"drift", at.run.scenario, "--files", at.project.string()}).code
        == 2);
}

TEST_CASE("a disk that takes nothing is a fault, and nothing is lost") {
  const written_run at;
  at.put("README", "mine");
  CHECK(at.drift({"--log", "/dev/full"}).code != 0);
  CHECK(run({"drift", "--files", at.project.string(), "--record",
             (at.run.folder / "none/base.json").string()})
          .code
        == 3);
  write_bytes(at.project / ".convene-replaced", "in the way");
  const auto done = at.drift({"--reconcile", "graph"});
  CHECK(done.code == 3);
  CHECK(read_bytes(at.project / "README") == "mine");
}
