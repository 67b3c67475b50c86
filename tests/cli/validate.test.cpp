#include "program.hpp"

#include <convene/protocol/json/json_text.hpp>
#include <sys/stat.h>

using namespace convene::tests;
using Catch::Contains;
using convene::protocol::parse_json;
namespace fs = std::filesystem;

namespace {

const std::string role = R"({
  "meta": {"protocol_version": "1.0.0", "schema_version": "2.0.0"},
  "role_id": "5f3c3a7e-9a37-4b8e-8a0f-6a8f0b1c2d3e",
  "name": "coder"
})";

const std::string no_role = R"({
  "meta": {"protocol_version": "1.0.0", "schema_version": "2.0.0"},
  "role_id": "5f3c3a7e-9a37-4b8e-8a0f-6a8f0b1c2d3e",
  "name": 7
})";

const std::string two = R"({
  // two of them
  "collab": {"mode": "round_robin", "participants": [
    {"participant_id": "ann", "role_id": "role-planner"},
    {"participant_id": "bob", "role_id": "role-reviewer"}]},
  "plan": {"steps": [{"description": "draft it", "agent_role": "planner"},
                     {"description": "review it", "agent_role": "reviewer"}]},
  "behaviours": {"*": {"type": "echo"}},
  "task": "Write the page",
})";

} // namespace

TEST_CASE("all that a run writes is valid, and so is what it ran") {
  const scratch_folder at;
  const auto scenario = (at / "scenario.json").string();
  const auto out = (at / "out").string();
  write_bytes(scenario, two);
  REQUIRE(run({"run", scenario, "--out", out}).code == 0);
  const auto good = run({"validate", scenario, out});
  CHECK_THAT(good.out, Contains(" 0 errors"));
  CHECK(good.code == 0);
  const auto log
    = parse_json(run({"validate", "--json", out + "/events.jsonl"}).out);
  REQUIRE(log);
  CHECK(log->at("files").at(0).at("schema") == "convene-native-event");
}

TEST_CASE("every file that a run writes is validated") {
  const scratch_folder at;
  const auto scenario = (at / "scenario.json").string();
  const auto out = (at / "out").string();
  write_bytes(scenario, R"({"collab": {"mode": "round_robin", "participants": [
      {"participant_id": "ann", "role_id": "r"}]},
    "workspace": [{"resource_type": "file", "resource_id": "a", "value": 1}],
    "behaviours": {"ann": {"type": "script", "turns": [{"writes": [
      {"resource_type": "file", "resource_id": "b", "base_version": 0,
       "value": [1]}]}]}}, "task": "write"})");
  const bool several = GENERATE(false, true);
  std::vector<std::string> how{"run", scenario, "--quiet", "--out", out};
  if (several)
    how.insert(how.end(), {"--instances", "2", "--durability", "none"});
  REQUIRE(run(how).code == 0);
  const auto session = several ? fs::directory_iterator {
    fs::path{out} / "sessions"
    } -> path().string() : out;
  const auto good = run({"validate", out});
  CHECK(good.code == 0);
  CHECK_THAT(good.out, !Contains("passed over"));
  for (const auto& [file, member] :
       {std::pair{session + "/result.json", "turns_total"},
        std::pair{session + "/workspace.json", "version"},
        std::pair{out + "/run.json", "durability"}}) {
    const auto before = read_bytes(file);
    auto after = before;
    const auto at_member = after.find('"' + std::string{member} + '"');
    REQUIRE(at_member != after.npos);
    after[at_member + 1] = '_';
    write_bytes(file, after);
    const auto bad = run({"validate", out});
    CHECK(bad.code == 1);
    CHECK_THAT(bad.out, Contains(file) && Contains(member));
    // Nor is it passed over if nothing shows what it is meant to be.
    write_bytes(file, R"({"other": 1})");
    const auto other = run({"validate", out});
    CHECK(other.code == 1);
    CHECK_THAT(other.out, Contains(file));
    write_bytes(file, before);
  }
}

TEST_CASE("what sessions of any mode write is valid") {
  const std::string mode = GENERATE(as<std::string>{}, "broadcast",
                                    "orchestrated", "pair", "round_robin",
                                    "swarm");
  const scratch_folder at;
  const auto scenario = (at / "scenario.json").string();
  const auto out = (at / "out").string();
  write_bytes(scenario, R"({"collab": {"mode": ")" + mode + R"(",
    "participants": [{"participant_id": "ann", "role_id": "role-orchestrator"},
                     {"participant_id": "bob", "role_id": "role-coder"}]},
    "plan": {"steps": [{"description": "draft it"}, {"description": "mend it"}]},
    "tasks": [{"title": "publish it"}],
    "behaviours": {"*": {"type": "simulated", "failure": 0.3, "silence": 0.2}},
    "session": {"rounds": 3, "max_turns": 20},
    "task": "Write the page"})");
  const auto ran = run({"run", scenario, "--out", out, "--seed", "4"});
  INFO(ran.err);
  REQUIRE((ran.code == 0 || ran.code == 1));
  const auto good = run({"validate", "--quiet", scenario, out});
  CHECK(good.out.empty());
  CHECK(good.err.empty());
  CHECK(good.code == 0);
}

TEST_CASE("an error names file, line, column and pointer") {
  const scratch_folder at;
  const auto file = (at / "role.json").string();
  write_bytes(file, no_role);
  const auto found = run({"validate", file});
  CHECK(found.code == 1);
  CHECK_THAT(found.out, Contains(file + ":4:11: /name: expected string")
                          && Contains("0 of 1 files valid"));
  CHECK(run({"validate", "--quiet", file}).out
        == found.out.substr(0, found.out.find('\n') + 1));

  const auto as_json = run({"validate", "--json", file});
  CHECK(as_json.code == 1);
  const auto document = parse_json(as_json.out);
  REQUIRE(document);
  const auto& one = document->at("files").at(0);
  CHECK(one.at("file").as_string() == file);
  CHECK(one.at("schema") == "mplp-role");
  CHECK(one.at("valid") == false);
  const auto& error = one.at("errors").at(0);
  CHECK(error.at("instance") == "/name");
  CHECK(error.at("schema_path") == "/properties/name/type");
  CHECK(error.at("keyword") == "type");
  CHECK(error.at("line") == 4);
  CHECK(error.at("column") == 11);
  CHECK(error.at("message").is_string());
}

TEST_CASE("a pattern that run refuses is not valid, wherever it is") {
  const scratch_folder at;
  const auto file = (at / "scenario.json").string();
  const auto [session, behaviour, place]
    = GENERATE(table<std::string, std::string, std::string>(
      {{R"({"end": {"text": "(x?){1000}y"}})", R"({"type": "echo"})",
        "/session/end/text"},
       {R"({"end": {"any": [{"turns": 3}, {"not": {"text": "("}}]}})",
        R"({"type": "echo"})", "/session/end/any/1/not/text"},
       {R"({"end": {"resource": {"resource_type": "file", "resource_id": "a",
           "matches": "(x?){1000}y"}}})",
        R"({"type": "echo"})", "/session/end/resource/matches"},
       {"{}",
        R"({"type": "reactive", "rules": [
           {"when": {"message": {"matches": "(x?){1000}y"}},
            "then": {"content": "a"}}]})",
        "/behaviours/ann/rules/0/when/message/matches"}}));
  write_bytes(file, R"({"collab": {"mode": "round_robin", "participants": [
      {"participant_id": "ann", "role_id": "a"},
      {"participant_id": "bob", "role_id": "b"}]},
    "task": "x", "session": )"
                      + session + R"(,
    "behaviours": {"ann": )"
                      + behaviour + "}}");
  const auto started = run({"run", file, "--out", (at / "out").string()});
  CHECK(started.code != 0);
  CHECK_THAT(started.err, Contains(place));
  const auto judged = run({"validate", file});
  CHECK(judged.code == 1);
  CHECK_THAT(judged.out, Contains(place));
}

TEST_CASE("a folder is searched, links in it are not followed") {
  const scratch_folder at;
  fs::create_directories(at / "docs/deep");
  fs::create_directories(at / "elsewhere");
  write_bytes(at / "docs/deep/role.json", role);
  write_bytes(at / "docs/other.json", "{\"name\": \"a package\"}");
  write_bytes(at / "docs/notes.txt", "no JSON");
  write_bytes(at / "elsewhere/bad.json", no_role);
  fs::create_directory_symlink(at / "elsewhere", at / "docs/linked");
  fs::create_directory_symlink(at / "docs", at / "docs/loop");
  fs::create_symlink(at / "elsewhere/bad.json", at / "docs/bad.json");
  const auto good = run({"validate", (at / "docs").string()});
  CHECK(good.code == 0);
  CHECK_THAT(good.out, Contains("1 of 1 files valid")
                         && Contains("1 document of no known kind"));
  CHECK(run({"validate", at.path().string()}).code == 1);
  // By itself, or with a schema to hold it against, it is looked at.
  CHECK(run({"validate", (at / "docs/other.json").string()}).code == 1);
  CHECK(run({"validate", (at / "docs").string(), "--schema", "role"}).code
        == 1);
}

TEST_CASE("JSON that is none is an error of its file") {
  const scratch_folder at;
  const auto file = (at / "bad.json").string();
  write_bytes(file, "{\"role_id\": \"\x1b\xff\",\n");
  const auto found = run({"validate", file});
  CHECK(found.code == 1);
  CHECK_THAT(found.out, Contains(file + ":1:") && !Contains("\x1b"));
  const auto document = parse_json(run({"validate", file, "--json"}).out);
  REQUIRE(document);
  CHECK(document->at("files").at(0).at("schema").is_null());
  CHECK(document->at("files").at(0).at("errors").at(0).at("keyword") == "json");
}

TEST_CASE("what cannot be validated at all is an error of its own") {
  const scratch_folder at;
  fs::create_directory(at / "empty");
  write_bytes(at / "role.json", role);
  REQUIRE(::mkfifo((at / "pipe.jsonl").c_str(), 0600) == 0);
  const auto file = (at / "role.json").string();
  for (const auto& arguments : std::vector<std::vector<std::string>>{
         {"validate"},
         {"validate", (at / "missing").string()},
         {"validate", (at / "pipe.jsonl").string()},
         {"validate", (at / "empty").string()},
         {"validate", "/dev/zero"},
         {"validate", file, "--schema", "rolle"},
         {"validate", file, "--schema", "sa"}}) {
    const auto refused = run(arguments);
    CHECK(refused.code == 2);
    CHECK(refused.out.empty());
    CHECK_FALSE(refused.err.empty());
  }
}

TEST_CASE("the first descriptions' form is valid with notes, unless strict") {
  const scratch_folder at;
  const auto file = (at / "dialog.json").string();
  write_bytes(file, R"({
  "meta": {"protocolVersion": "1.0.0", "source": "runtime"},
  "dialog_id": "dialog-001", "context_id": "ctx-001",
  "thread_id": "thread-001", "status": "active", "messages": []
})");
  const auto good = run({"validate", file});
  CHECK(good.code == 0);
  CHECK_THAT(good.err, Contains(file
                                + ":2:31: note: /meta/protocolVersion: taken "
                                  "as protocol_version")
                         && Contains(":3:16: note: /dialog_id: "));
  const auto as_json = parse_json(run({"validate", file, "--json"}).out);
  REQUIRE(as_json);
  const auto& notes = as_json->at("files").at(0).at("notes").as_array();
  CHECK(notes.size() == 6);
  CHECK(notes.at(0).at("instance") == "/meta/protocolVersion");
  const auto strict = run({"validate", file, "--strict"});
  CHECK(strict.code == 1);
  CHECK_THAT(strict.out, Contains("1 document, 7 errors"));
}

TEST_CASE("an event of the first descriptions is valid, but not in a log") {
  const scratch_folder at;
  const std::string event
    = R"({"event_type": "MAPSessionCompleted", "event_family": )"
      R"("GraphUpdateEvent", "session_id": "collab-550e8400", "timestamp": )"
      R"("2025-12-07T00:00:00Z", "payload": {"status": "completed", "turns_total": 2}})";
  const auto file = (at / "event.json").string();
  write_bytes(file, event);
  CHECK(run({"validate", file}).code == 0);
  CHECK_THAT(run({"validate", file, "--strict"}).out, Contains("3 errors"));
  const auto log = (at / "events.jsonl").string();
  write_bytes(log, "{\"log_opened\":{}}\n" + event + "\n");
  CHECK(run({"validate", log}).code == 1);
}

TEST_CASE("a session runs from documents of the first descriptions") {
  const scratch_folder at;
  const auto in = at / "in";
  fs::create_directory(in);
  write_bytes(in / "context.json", R"({"meta": {"protocolVersion": "1.0.0"},
    "context_id": "ctx-123", "title": "t", "status": "active",
    "root": {"domain": "d", "environment": "e"}})");
  write_bytes(in / "collab.json", R"({"meta": {"protocolVersion": "1.0.0"},
    "collab_id": "collab-550e8400", "context_id": "ctx-123", "title": "t",
    "purpose": "p", "mode": "round_robin", "status": "draft",
    "created_at": "2025-12-07T00:00:00Z",
    "participants": [{"participant_id": "a", "kind": "agent",
                      "role_id": "role-coder"}]})");
  const auto out = (at / "out").string();
  const auto done = run({"run", in.string(), "--out", out, "--json"});
  REQUIRE(done.code == 0);
  const auto result = parse_json(done.out);
  REQUIRE(result);
  CHECK(result->at("notes").as_array().size() == 7);
  CHECK(run({"validate", "--quiet", out}).code == 0);

  // What the user wrote finds what the run made of it.
  const auto settings = parse_json(read_bytes(out + "/run.json"));
  REQUIRE(settings);
  const auto& aliases = settings->at("aliases").as_object();
  CHECK(aliases.size() == 2);
  const auto id = aliases.at("collab-550e8400").as_string();
  CHECK_THAT(std::string{read_bytes(out + "/collab.json")},
             Contains(std::string{id}));
  CHECK(run({"events", out, "--session", "collab-550e8400"}).code == 0);

  CHECK_THAT(run({"run", in.string(), "--out", out + "2"}).err,
             Contains("collab.json:2:18: /collab_id: "));
  const auto refused
    = run({"run", in.string(), "--out", out + "3", "--strict"});
  CHECK(refused.code == 2);
}

TEST_CASE(
  "a scenario is validated with its variables, and named as it stands") {
  const scratch_folder at;
  const auto check
    = [&](const std::string& task) {
        write_bytes(at / "scenario.json",
                    R"({"variables": {"MODE": "pair", "ROUNDS": 3},
  "collab": {"mode": "${MODE}", "participants": [
    {"participant_id": "ada", "role_id": "r"},
    {"participant_id": "bob", "role_id": "r"}]},
  "behaviours": {"*": {"type": "echo"}}, "session": {"rounds": "${ROUNDS}"},
  "task": ")" + task + "\"}");
        return run({"validate", (at / "scenario.json").string()});
      };
  CHECK(check("in ${MODE} mode").code == 0);
  const auto unknown = check("in ${MOOD} mode");
  CHECK(unknown.code == 1);
  CHECK_THAT(unknown.out, Contains("scenario.json:6:11: ")
                            && Contains("unknown variable \"MOOD\" (did you "
                                        "mean \"MODE\"?)"));
}

TEST_CASE("a scenario is valid only if run would start it") {
  const scratch_folder at;
  const auto scenario = (at / "scenario.json").string();
  const auto [text, place] = GENERATE(table<std::string, std::string>(
    {{R"({"collab": {"mode": "round_robin", "participants": [
  {"participant_id": "ann", "role_id": "r"},
  {"participant_id": "ann", "role_id": "r"}]},
  "behaviours": {"*": {"type": "echo"}}, "task": "t"})",
      ":3:22: /collab/participants/1/participant_id: two participants"},
     {R"({"collab": {"mode": "round_robin", "participants": [
  {"participant_id": "ann", "role_id": "r"}]},
  "behaviours": {"amn": {"type": "echo"}}, "task": "t"})",
      ":3:25: /behaviours/amn: no participant has this id (did you mean"},
     {R"({"collab": {"mode": "round_robin", "participants": [
  {"participant_id": "ann", "role_id": "r"}]}, "task": "t",
  "behaviours": {"*": {"type": "echo"}},
  "session": {"policy": "robin"}})",
      ":4:25: /session/policy: unknown policy (did you mean "
      "\"round_robin\"?)"}}));
  write_bytes(scenario, text);
  const auto refused = run({"validate", scenario});
  CHECK(refused.code == 1);
  CHECK_THAT(refused.out, Contains(scenario + place));
  const auto not_run = run({"run", "--dry-run", scenario});
  CHECK(not_run.code == 2);
  CHECK_THAT(not_run.err, Contains(scenario + place));
  CHECK_THAT(not_run.err, !Contains("rule"));
}

TEST_CASE("of several forms of a member only what is wrong in it is reported") {
  const scratch_folder at;
  const auto scenario = (at / "scenario.json").string();
  write_bytes(scenario, R"({"collab": {"mode": "round_robin", "participants": [
    {"id": "ann", "role_id": "r"}]}, "task": "t",
    "behaviours": {"*": {"type": "echo"}}})");
  const auto refused = run({"validate", scenario});
  CHECK(refused.code == 1);
  CHECK_THAT(refused.out, Contains("/id: unknown member: rename it to "
                                   "\"participant_id\"")
                            && Contains("expected member \"participant_id\"")
                            && Contains(" 2 errors"));
}

TEST_CASE("permissions that a scenario needs do not make it invalid") {
  const scratch_folder at;
  const auto scenario = (at / "scenario.json").string();
  write_bytes(scenario, R"({
    "collab": {"mode": "round_robin", "participants": [
      {"participant_id": "ann", "role_id": "r"}]},
    "behaviours": {"ann": {"type": "process", "command": ["true"]}},
    "task": "t"})");
  CHECK(run({"run", "--dry-run", scenario}).code == 2);
  CHECK(run({"validate", scenario}).code == 0);
}

TEST_CASE("behaviours of Extensions, and calls that a person approves, are "
          "valid") {
  const scratch_folder at;
  const auto file = (at / "scenario.json").string();
  const auto [rest, code]
    = GENERATE(table<std::string, int>({{R"("extensions": [
      {"name": "w", "extension_type": "capability",
       "config": {"type": "echo"}}],
    "behaviours": {"ann": {"type": "extension", "extension": "w"}})",
                                         0},
                                        {R"("behaviours": {
      "ann": {"type": "extension", "extension": "none"}})",
                                         1},
                                        {R"("mcp_servers": {
      "files": {"command": ["true"]}},
    "behaviours": {"ann": {"type": "llm", "model": "m",
      "base_url": "http://127.0.0.1:1", "tools": ["files/*"],
      "approve": ["files/*"]}})",
                                         0}}));
  write_bytes(file, R"({
    "collab": {"mode": "round_robin", "participants": [
      {"participant_id": "ann", "role_id": "r"}]},
    "task": "t", )" + rest
                      + "}");
  CHECK(run({"validate", file}).code == code);
}
