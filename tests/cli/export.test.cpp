#include "program.hpp"

#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/strict/derived_events.hpp>
#include <convene/protocol/strict/strict_form.hpp>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <sstream>

using namespace convene::tests;
using Catch::Contains;
using convene::protocol::parse_json;
namespace fs = std::filesystem;

namespace {

/// The files below a folder, by their names.
std::map<std::string, std::string> files_in(const fs::path& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : fs::recursive_directory_iterator{folder})
    if (entry.is_regular_file())
      all.emplace(fs::relative(entry.path(), folder).generic_string(),
                  read_bytes(entry.path()));
  return all;
}

std::vector<fs::path> examples() {
  const fs::path root = fs::path{CONVENE_SOURCE_DIR} / "examples";
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator{root})
    if (fs::exists(entry.path() / "scenario.json"))
      all.push_back(entry.path() / "scenario.json");
  for (const auto& entry : fs::directory_iterator{root / "golden"})
    all.push_back(entry.path());
  std::sort(all.begin(), all.end());
  return all;
}

/// The events of a log or an export that have a native form, as JSON.
std::vector<std::string>
native_events(const std::string& text,
              const convene::protocol::alias_table& aliases) {
  std::vector<std::string> all;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    const auto event = parse_json(line);
    REQUIRE(event);
    if (!event->as_object().contains("event_type")
        || convene::protocol::is_family_twin(*event))
      continue;
    const auto native = convene::protocol::to_native(*event, aliases);
    REQUIRE(native);
    all.push_back(boost::json::serialize(*native));
  }
  return all;
}

/// Whether the files of an export give what they were made of.
void check_way_back(const fs::path& native, const fs::path& strict) {
  const auto files = files_in(strict);
  const auto aliases = convene::protocol::alias_table::from_json(
    *parse_json(files.at("aliases.json")));
  REQUIRE(aliases);
  for (const auto& [name, text] : files) {
    INFO(name);
    if (name == "aliases.json")
      continue;
    const auto original = read_bytes(native / name);
    if (name == "events.jsonl") {
      CHECK(native_events(text, *aliases) == native_events(original, {}));
      continue;
    }
    const auto back = convene::protocol::to_native(*parse_json(text), *aliases);
    REQUIRE(back);
    CHECK(convene::protocol::pretty(*back) == original);
  }
}

const std::string dialog = R"({
  "meta": {"protocolVersion": "1.0.0", "source": "runtime"},
  "dialog_id": "dialog-001", "context_id": "ctx-001", "status": "active",
  "messages": []
})";

} // namespace

TEST_CASE("what any example writes exports to valid files, and comes back") {
  const auto all = examples();
  REQUIRE(all.size() >= 7);
  for (const auto& example : all) {
    INFO(example);
    const scratch_folder at;
    const auto out = (at / "out").string();
    // A guard ends one of them.
    REQUIRE(run({"run", example.string(), "--out", out, "--seed", "3"}).code
            <= 1);
    const auto strict = (at / "strict").string();
    const auto done = run({"export", out, "--strict", "--out", strict});
    INFO(done.err);
    REQUIRE(done.code == 0);
    const auto files = files_in(strict);
    CHECK(files.contains("aliases.json"));
    CHECK(files.contains("events.jsonl"));
    CHECK(files.contains("collab.json"));
    CHECK_FALSE(files.contains("scenario.json"));
    const auto valid = run({"validate", "--strict", strict});
    CHECK_THAT(valid.out, Contains(" 0 errors"));
    CHECK(valid.code == 0);
    const auto again = (at / "again").string();
    REQUIRE(run({"export", out, "--strict", "--out", again}).code == 0);
    CHECK(files_in(again) == files);
    check_way_back(out, strict);
  }
}

TEST_CASE("several sessions and a folder of segments export as well") {
  const scratch_folder at;
  const auto example
    = (fs::path{CONVENE_SOURCE_DIR} / "examples/structured-vote/scenario.json")
        .string();
  const auto out = at / "out";
  REQUIRE(run({"run", example, "--out", out.string(), "--seed", "3",
               "--instances", "2"})
            .code
          == 0);
  const auto strict = at / "strict";
  REQUIRE(
    run({"export", out.string(), "--strict", "--out", strict.string()}).code
    == 0);
  CHECK(run({"validate", "--strict", "-q", strict.string()}).code == 0);
  CHECK(files_in(strict).size() > 8);
  CHECK(run({"export", (out / "log").string(), "--strict", "--out",
             (at / "log").string()})
          .code
        == 0);
  // Two diagrams, which need a folder.
  CHECK(run({"export", out.string(), "--format", "mermaid"}).code == 2);
  REQUIRE(run({"export", out.string(), "--format", "mermaid", "--out",
               (at / "drawn").string()})
            .code
          == 0);
  const auto drawn = files_in(at / "drawn");
  REQUIRE(drawn.size() == 2);
  for (const auto& [name, text] : drawn) {
    CHECK(name.ends_with(".mmd"));
    CHECK_THAT(text, Contains("sequenceDiagram\n") && Contains("turn 1"));
  }
}

TEST_CASE("a document is written to standard output, with its notes apart") {
  const scratch_folder at;
  const auto file = (at / "dialog.json").string();
  write_bytes(file, dialog);
  const auto done = run({"export", file, "--strict", "--verbose"});
  REQUIRE(done.code == 0);
  const auto strict = parse_json(done.out);
  REQUIRE(strict);
  CHECK(strict->at("meta").at("protocol_version") == "1.0.0");
  CHECK_THAT(done.err, Contains(file)
                         && Contains("/meta/protocolVersion: taken as "
                                     "protocol_version"));
  const auto as_json
    = parse_json(run({"export", file, "--strict", "--json"}).out);
  REQUIRE(as_json);
  CHECK(as_json->at("text").as_string() == done.out);
  CHECK(as_json->at("aliases").as_object().contains("ctx-001"));
  CHECK(as_json->at("notes_total") == as_json->at("notes").as_array().size());
}

TEST_CASE("an export that fails leaves nothing behind") {
  const scratch_folder at;
  const auto in = at / "in";
  fs::create_directory(in);
  write_bytes(in / "a.json", dialog);
  const auto out = at / "out";
  const auto fails = [&](const std::string& text, int code,
                         const std::string& said) {
    write_bytes(in / "b.json", text);
    const auto done = run_verbosely(
      {"export", in.string(), "--strict", "--out", out.string()});
    CHECK(done.code == code);
    CHECK_THAT(done.err, Contains("b.json") && Contains(said));
    CHECK(done.out.empty());
    CHECK_FALSE(fs::exists(out));
    CHECK(std::distance(fs::directory_iterator{at.path()}, {}) == 1);
  };
  fails("{", 2, "b.json:1:");
  fails(R"({"meta": {}, "dialog_id": "d", "messages": 7})", 2, "required");
  fails(R"({"plan_id": "p", "steps": []})", 2, "minItems");
  fs::remove(in / "b.json");
  // The folder cannot be created: another one has to be named.
  write_bytes(at / "file", "x");
  CHECK(run({"export", in.string(), "--strict", "--out",
             (at / "file/out").string()})
          .code
        == 2);
  write_bytes(in / "aliases.json", dialog);
  CHECK(run({"export", in.string(), "--strict", "--out", out.string()}).code
        == 2);
  CHECK_FALSE(fs::exists(out));
}

TEST_CASE("events that are damaged, cut or there twice are errors") {
  const scratch_folder at;
  const auto log = at / "events.jsonl";
  const std::string event
    = R"({"event_id": "e-1", "event_type": "MAPSessionCompleted",
         "session_id": "s", "timestamp": "2025-12-07T00:00:00Z",
         "payload": {}})";
  auto line = event;
  line.erase(std::remove(line.begin(), line.end(), '\n'), line.end());
  const auto exports = [&](const std::string& text) {
    write_bytes(log, text);
    return run_verbosely({"export", log.string(), "--strict"});
  };
  CHECK(exports(line + '\n').code == 0);
  const auto twice = exports(line + '\n' + line + '\n');
  CHECK(twice.code == 2);
  CHECK_THAT(twice.err, Contains(":2:") && Contains("duplicate_event_id"));
  CHECK(twice.out.empty());
  CHECK_THAT(exports(line + '\n' + line.substr(0, 40)).err, Contains(":2:"));
  CHECK(exports("[]\n").code == 2);
  CHECK(exports("").code == 2);
  CHECK(exports("{\"log_opened\":{\"format\":1,\"segment\":1,"
                "\"previous\":null}}\n{\"log_group\":{\"bytes\":56,"
                "\"crc32c\":\"00000000\",\"previous\":\"00000000\"}}\n")
          .code
        == 2);
}

TEST_CASE("export needs one form, a place, and something to read") {
  const scratch_folder at;
  write_bytes(at / "dialog.json", dialog);
  fs::create_directory(at / "used");
  write_bytes(at / "used/file", "x");
  const auto file = (at / "dialog.json").string();
  for (const auto& arguments : std::vector<std::vector<std::string>>{
         {"export", file},
         {"export", file, "--strict", "--format", "mermaid"},
         {"export", file, "--format", "pdf"},
         {"export", file, "--format", "mermaid"},
         {"export", at.path().string(), "--strict"},
         {"export", (at / "missing").string(), "--strict"},
         {"export", "/dev/zero", "--strict"},
         {"export", file, "--strict", "--out", (at / "used").string()}}) {
    const auto refused = run(arguments);
    CHECK(refused.code == 2);
    CHECK(refused.out.empty());
    CHECK_FALSE(refused.err.empty());
  }
  for (const auto* format : {"mermaid", "openai", "anthropic"}) {
    const auto missing
      = run({"export", (at / "missing").string(), "--format", format});
    CHECK(missing.code == 2);
    CHECK_THAT(missing.err, Contains("missing: cannot be read"));
  }
}

TEST_CASE("an export that has no room for its temporary file prints nothing") {
  const scratch_folder folder;
  const auto scenario = (folder / "scenario.json").string();
  const auto out = (folder / "out").string();
  write_bytes(scenario, R"({
    "collab": {"mode": "round_robin", "participants": [
      {"participant_id": "ann", "role_id": "role-planner"}]},
    "session": {"rounds": 1500, "max_turns": 1500}, "task": "go on"})");
  REQUIRE(run({"run", scenario, "--quiet", "--seed", "1", "--out", out}).code
          == 0);
  const auto form
    = GENERATE(as<std::vector<std::string>>{},
               std::vector<std::string>{"--strict"},
               std::vector<std::string>{"--format", "cloudevents"});
  auto arguments = form;
  arguments.insert(arguments.begin(), {"export", out + "/events.jsonl"});
  const auto with_folder = [&](const std::string& name) {
    const auto variable = "TMPDIR=" + (folder / name).string();
    return program{arguments, {}, {"/usr/bin/env", variable, CONVENE_PROGRAM}}
      .wait();
  };
  const auto refused = with_folder("missing");
  fs::create_directory(folder / "there");
  const auto whole = with_folder("there");
  CHECK(refused.code == 3);
  CHECK(refused.out.empty());
  CHECK_THAT(refused.err, Contains("TMPDIR"));
  CHECK(whole.code == 0);
  CHECK(whole.out.size() > 1'000'000);
  CHECK(fs::is_empty(folder / "there"));
}
