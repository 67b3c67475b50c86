#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/scenario/reusable_scenario.hpp>
#include <runtime/log/event_log/files.hpp>
#include <sys/stat.h>

using namespace convene;
using namespace convene::host;
using convene::protocol::errc;
using convene::protocol::json::value;

namespace {

/// A folder to put scenarios in, and the loader with what never changes.
struct fixture {
  tests::scratch_folder folder;
  std::vector<source_note> notes;

  void write(const char* name, const std::string& text) const {
    tests::write_bytes(folder / name, text);
  }

  [[nodiscard]] protocol::result<session::spec>
  load(const char* name, std::vector<std::string> overrides = {},
       std::map<std::string, std::string> assign = {}) {
    protocol::uuid_source ids{7};
    return load_scenario(folder / name, {.ids = ids,
                                         .now = 1'700'000'000'000,
                                         .overrides = std::move(overrides),
                                         .assign = std::move(assign),
                                         .notes = &notes});
  }

  [[nodiscard]] protocol::result<session::spec>
  load_text(const std::string& text, std::vector<std::string> overrides = {},
            std::map<std::string, std::string> assign = {}) {
    write("scenario.json", text);
    return load("scenario.json", std::move(overrides), std::move(assign));
  }
};

const std::string small = R"({
  // two agents
  "collab": {
    "mode": "pair",
    "participants": [
      {"participant_id": "coder", "role_id": "role-coder"},
      {"participant_id": "reviewer", "role_id": "role-reviewer"},
    ],
  },
  "plan": {"steps": [{"description": "fix it", "agent_role": "coder"}]},
  "roles": [{"name": "coder"}],
  "behaviours": {"*": {"type": "echo"}},
  "task": "Fix the login bug\nand test it",
})";

const char* context_id = "650e8400-e29b-41d4-a716-446655443000";

std::string context_document(const std::string& id = context_id) {
  return R"({"$comment": "drop me",
    "meta": {"protocol_version": "1.0.0", "schema_version": "1.0.0"},
    "context_id": ")"
         + id + R"(", "root": {"domain": "map-demo", "environment": "test"},
    "title": "Turn taking", "status": "active"})";
}

std::string collab_document(const std::string& mode = "round_robin") {
  return R"({"meta": {"protocol_version": "1.0.0", "schema_version": "1.0.0"},
    "collab_id": "650e8400-e29b-41d4-a716-446655443002",
    "context_id": ")"
         + std::string{context_id} + R"(", "title": "Talk", "purpose": "Agree",
    "mode": ")"
         + mode + R"(",
    "status": "active", "participants": [
      {"participant_id": "agent-a-planner", "kind": "agent",
       "role_id": "650e8400-e29b-41d4-a716-446655443020"},
      {"participant_id": "agent-b-reviewer", "kind": "agent",
       "role_id": "650e8400-e29b-41d4-a716-446655443021"}],
    "created_at": "2025-12-07T00:00:00.000Z"})";
}

std::string plan_document() {
  return R"({"meta": {"protocol_version": "1.0.0", "schema_version": "1.0.0"},
    "plan_id": "650e8400-e29b-41d4-a716-446655443001",
    "context_id": ")"
         + std::string{context_id} + R"(", "title": "P", "objective": "O",
    "status": "draft", "steps": [
      {"step_id": "650e8400-e29b-41d4-a716-446655443010",
       "description": "draft it", "status": "pending",
       "agent_role": "planner"}]})";
}

} // namespace

TEST_CASE("a scenario that is read once loads with any seed as its file does") {
  fixture f;
  f.write("context.json", context_document());
  auto text = small;
  text.insert(text.find('{') + 1, R"("context": "context.json",)");
  f.write("scenario.json", text);
  const auto options = [](protocol::uuid_source& ids, std::uint64_t seed) {
    return load_options{.ids = ids,
                        .now = 1'700'000'000'000,
                        .overrides = {"collab.title=Talk", "task=Read it"},
                        .seed = seed};
  };
  protocol::uuid_source ids{7};
  const auto read = reusable_scenario::from(f.folder / "scenario.json",
                                            options(ids, 0));
  REQUIRE(read);
  std::vector<session::spec> expected;
  for (const std::uint64_t seed : {1, 2}) {
    auto own = protocol::uuid_source{seed};
    expected.push_back(
      load_scenario(f.folder / "scenario.json", options(own, seed)).value());
  }
  std::filesystem::remove(f.folder / "scenario.json");
  std::filesystem::remove(f.folder / "context.json");
  for (const std::uint64_t seed : {2, 1}) {
    auto own = protocol::uuid_source{seed};
    const auto loaded = read->load(options(own, seed));
    REQUIRE(loaded);
    CHECK(session::encode(*loaded) == session::encode(expected[seed - 1]));
    CHECK(loaded->seed == seed);
  }
}

TEST_CASE("what a scenario leaves out is filled in") {
  fixture at;
  const auto spec = at.load_text(small);
  REQUIRE(spec);
  CHECK(protocol::is_uuid_v4(spec->collab.collab_id));
  CHECK(spec->collab.title == "Fix the login bug");
  CHECK(spec->collab.purpose == "Fix the login bug\nand test it");
  CHECK(spec->collab.created_at == "2023-11-14T22:13:20.000Z");
  CHECK(spec->collab.status == protocol::collab_status::draft);
  CHECK(spec->collab.participants[0].kind == protocol::participant_kind::agent);
  CHECK(spec->collab.meta.protocol_version == "1.0.0");
  CHECK(spec->context.status == protocol::context_status::active);
  CHECK(spec->context.root
        == value{{"domain", "convene"}, {"environment", "local"}});
  CHECK(spec->context.context_id == spec->collab.context_id);
  REQUIRE(spec->plan);
  CHECK(spec->plan->context_id == spec->collab.context_id);
  CHECK(spec->plan->objective == spec->collab.purpose);
  CHECK(protocol::is_uuid_v4(spec->plan->steps.at(0).step_id));
  CHECK(protocol::is_uuid_v4(spec->roles.at(0).role_id));
  CHECK(spec->options == session::options{});
}

TEST_CASE("the same ids and the same time give the same spec") {
  fixture at;
  CHECK(at.load_text(small).value() == at.load_text(small).value());
}

TEST_CASE("a document of another version is refused, with its file") {
  fixture at;
  auto context = context_document();
  context.replace(context.find("1.0.0"), 5, "1.1.0");
  at.write("context.json", context);
  const auto text = R"({"context": "context.json", "collab": )"
                    + collab_document() + "}";
  const auto refused = at.load_text(text);
  REQUIRE_FALSE(refused);
  const auto& why = refused.error();
  CHECK(why.code == protocol::errc::unsupported);
  CHECK(why.rule == "protocol_version_unsupported");
  CHECK(why.file.ends_with("context.json"));
  CHECK(why.pointer == "/meta/protocol_version");
  CHECK(why.line == 2);
  at.write("context.json", context_document());
  CHECK(at.load_text(text));
}

TEST_CASE("a resolved scenario loads as itself") {
  fixture at;
  const auto spec = at.load_text(small);
  REQUIRE(spec);
  const auto text = boost::json::serialize(session::encode(*spec));
  CHECK(at.load_text(text).value() == *spec);
}

TEST_CASE("without a task the session is about its purpose") {
  fixture at;
  const auto spec = at.load_text(
    R"({"collab": {"mode": "round_robin", "purpose": "Talk", "participants":
        [{"participant_id": "a", "role_id": "r"}]}})");
  REQUIRE(spec);
  CHECK(spec->task == "Talk");
  CHECK(spec->collab.title == "Talk");
}

TEST_CASE("a title is the first line of the task that says something") {
  fixture at;
  const auto spec = at.load_text(small, {"task=\r\n\nFix it\nand test it"});
  REQUIRE(spec);
  CHECK(spec->collab.title == "Fix it");
  CHECK(spec->context.title == "Fix it");
}

TEST_CASE("documents are read from the files that a scenario names") {
  fixture at;
  at.write("collab.json", collab_document());
  at.write("context.json", context_document());
  at.write("role.json", R"({"name": "planner"})");
  const auto spec = at.load_text(
    R"({"collab": "collab.json", "context": "context.json",
        "roles": ["role.json", {"name": "reviewer"}]})");
  REQUIRE(spec);
  CHECK(spec->context.title == "Turn taking");
  CHECK(spec->roles.at(0).name == "planner");
  CHECK(spec->roles.at(1).name == "reviewer");
}

TEST_CASE("a folder of documents is a scenario whose participants echo") {
  fixture at;
  at.write("context.json", context_document());
  at.write("collab.json", collab_document());
  at.write("plan.json", plan_document());
  at.write("role-b.json", R"({"name": "second"})");
  at.write("role-a.json", R"({"name": "first"})");
  at.write("trace.json", "not even JSON");
  const auto spec = at.load("", {}, {{"planner", "agent-a-planner"}});
  REQUIRE(spec);
  CHECK(spec->collab.collab_id == "650e8400-e29b-41d4-a716-446655443002");
  CHECK(spec->plan->steps.size() == 1);
  CHECK(spec->roles.at(0).name == "first");
  CHECK(spec->roles.at(1).name == "second");
  CHECK(spec->task == "Agree");
  CHECK(spec->behaviours == value{{"*", {{"type", "echo"}}}});
  CHECK(spec->options.assign.at("planner") == "agent-a-planner");
  REQUIRE(at.notes.size() == 1);
  CHECK_THAT(at.notes[0].file, Catch::EndsWith("trace.json"));
  CHECK(at.notes[0].message == "not used");
}

TEST_CASE("documents that name different contexts are refused") {
  fixture at;
  at.write("context.json",
           context_document("650e8400-e29b-41d4-a716-44665544ffff"));
  at.write("collab.json", collab_document());
  const auto refused = at.load("").error();
  CHECK(refused.code == errc::invalid_document);
  CHECK(refused.rule == "same_context");
  CHECK_THAT(refused.file, Catch::EndsWith("collab.json"));
  CHECK(refused.pointer == "/context_id");
  CHECK(refused.line == 3);
}

TEST_CASE("a given context id is used where none was given") {
  fixture at;
  const auto spec
    = at.load_text(small, {"plan.context_id=" + std::string{context_id}});
  REQUIRE(spec);
  CHECK(spec->context.context_id == context_id);
  CHECK(spec->collab.context_id == context_id);
}

TEST_CASE("an error names the file, the pointer in it and the line") {
  fixture at;
  at.write("collab.json", collab_document("chaos"));
  const auto named = at.load_text(R"({"collab": "collab.json"})").error();
  CHECK(named.code == errc::invalid_document);
  CHECK_THAT(named.file, Catch::EndsWith("collab.json"));
  CHECK(named.pointer == "/mode");
  CHECK(named.line == 4);

  const auto embedded
    = at.load_text("{\"collab\": {\n  \"purpose\": 1\n}}").error();
  CHECK_THAT(embedded.file, Catch::EndsWith("scenario.json"));
  CHECK(embedded.line > 0);

  at.write("collab.json", "{\n  \"mode\": oops}");
  const auto broken = at.load_text(R"({"collab": "collab.json"})").error();
  CHECK(broken.code == errc::invalid_json);
  CHECK_THAT(broken.file, Catch::EndsWith("collab.json"));
  CHECK(broken.line == 2);
}

TEST_CASE("what the decoder lets pass and the schema does not is refused") {
  fixture at;
  const std::string text = R"({
    "collab": {"mode": "pair", "participants": [
      {"participant_id": "a", "role_id": "r"},
      {"participant_id": "b", "role_id": "r"}]},
    "behaviours": {
      "*": {"type": "nonsense"}},
    "task": "work"})";
  const auto refused = at.load_text(text);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().pointer == "/behaviours/*/type");
  CHECK(refused.error().rule == "enum");
  CHECK(refused.error().value == "\"nonsense\"");
  CHECK(refused.error().line == 6);
  CHECK_THAT(refused.error().message, Catch::Contains("\"llm\""));
  protocol::uuid_source ids{7};
  CHECK(load_scenario(at.folder / "scenario.json",
                      {.ids = ids, .validate = false}));
}

TEST_CASE("a participant without a role_id is told why it needs one") {
  fixture at;
  const bool is_null = GENERATE(false, true);
  const auto refused = at.load_text(
    R"({
    "collab": {"mode": "pair", "participants": [
      {"participant_id": "a", "role_id": "r"}, {"participant_id": "b")"
    + std::string{is_null ? R"(, "role_id": null)" : ""} + R"(}]},
    "task": "work"})");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().pointer == "/collab/participants/1");
  CHECK_THAT(refused.error().message, Catch::Contains("MAP profile")
                                        && Catch::Contains("\"role-agent\""));
}

TEST_CASE("the value of a member that is not allowed is not shown") {
  fixture at;
  const std::string text = R"({
    "collab": {"mode": "pair", "participants": [
      {"participant_id": "a", "role_id": "r"},
      {"participant_id": "b", "role_id": "r"}]},
    "behaviours": {"*": {"type": "llm", "model": "m", "api_key": "sk-123"}},
    "task": "work"})";
  const auto refused = at.load_text(text);
  REQUIRE_FALSE(refused);
  CHECK_THAT(to_string(refused.error()),
             Catch::Contains("/behaviours/*/api_key: unknown member")
               && Catch::Contains("write \"api_key_env\"")
               && !Catch::Contains("sk-123"));
}

TEST_CASE("an override that is none, or may be a secret, is told as such") {
  fixture at;
  const std::string text = R"({
    "collab": {"mode": "pair", "participants": [
      {"participant_id": "a", "role_id": "r"},
      {"participant_id": "b", "role_id": "r"}]},
    "behaviours": {"*": {"type": "llm", "model": "m"}},
    "task": "work"})";
  const auto bare = at.load_text(text, {"session.rounds"});
  REQUIRE_FALSE(bare);
  CHECK(to_string(bare.error())
        == "--set session.rounds: give it as key=value");
  const auto secret = at.load_text(text, {"behaviours.*.api_key=sk-123"});
  REQUIRE_FALSE(secret);
  CHECK_THAT(to_string(secret.error()),
             Catch::StartsWith("/behaviours/*/api_key: --set "
                               "behaviours.*.api_key: unknown member")
               && !Catch::Contains("sk-123"));
}

TEST_CASE("a scenario without task and purpose says which of them to give") {
  fixture at;
  const auto refused = at.load_text(R"({"collab": {"mode": "pair"}})").error();
  CHECK(refused.rule == "required");
  CHECK_THAT(refused.message, Catch::Contains("task"));
}

TEST_CASE("a task of another type is told as such, and not as missing") {
  fixture at;
  const auto refused
    = at.load_text("{\"collab\": {\"mode\": \"pair\"},\n \"task\": 5}").error();
  CHECK(refused.pointer == "/task");
  CHECK(refused.rule == "type");
  CHECK(refused.value == "5");
  CHECK(refused.line == 2);
}

TEST_CASE("without a Collab the error names what is missing or what it is") {
  fixture at;
  const auto missing = at.load_text(R"({"task": "x"})").error();
  CHECK(missing.pointer == "/collab");
  CHECK(missing.rule == "required");
  const auto wrong = at.load_text(R"({"collab": 5, "task": "x"})").error();
  CHECK(wrong.pointer == "/collab");
  CHECK(wrong.rule == "type");
  const auto alone = at.load_text(collab_document()).error();
  CHECK(alone.rule == "scenario");
  CHECK_THAT(alone.message, Catch::Contains("kind collab, not a scenario"));
  const auto plan = at.load_text(plan_document()).error();
  CHECK_THAT(plan.message, Catch::Contains("kind plan, not a scenario"));
}

TEST_CASE("a mistyped setting of a model is told where it is") {
  fixture at;
  const auto loaded = at.load_text(
    R"({"collab": {"mode": "pair", "participants": [
          {"participant_id": "a", "role_id": "r"},
          {"participant_id": "b", "role_id": "r"}]},
        "behaviours": {"a": {"type": "llm", "model": "m", "modle": 1}},
        "task": "work"})");
  REQUIRE_FALSE(loaded);
  CHECK(loaded.error().code == errc::invalid_document);
  CHECK_THAT(loaded.error().pointer, Catch::StartsWith("/behaviours/a/modle"));
  CHECK(loaded.error().line == 4);
}

TEST_CASE("a type that nobody has is told with those there are") {
  fixture at;
  const auto loaded = at.load_text(
    R"({"collab": {"mode": "pair", "participants": [
          {"participant_id": "a", "role_id": "r"},
          {"participant_id": "b", "role_id": "r"}]},
        "behaviours": {"a": {"type": "lmm"}}, "task": "work"})");
  REQUIRE_FALSE(loaded);
  CHECK(loaded.error().rule == "enum");
  CHECK(loaded.error().pointer == "/behaviours/a/type");
}

TEST_CASE("a confirm is about the plan unless it says otherwise") {
  fixture at;
  const auto spec = at.load_text(R"({
    "collab": {"mode": "pair", "participants": [
      {"participant_id": "a", "role_id": "r"},
      {"participant_id": "b", "role_id": "r"}]},
    "plan": {"plan_id": "650e8400-e29b-41d4-a716-446655443001",
             "steps": [{"description": "do it"}]},
    "confirm": {"requested_by_role": "r",
                "target_id": "650e8400-e29b-41d4-a716-446655443001"},
    "task": "work"})");
  REQUIRE(spec);
  CHECK(spec->confirm->target_type == protocol::confirm_target::plan);
}

TEST_CASE("any member can be set by its path, in an embedded document too") {
  fixture at;
  at.write("collab.json", collab_document());
  const auto spec = at.load_text(
    R"({"collab": "collab.json", "behaviours": {"*": {"type": "echo"}}})",
    {"collab.mode=broadcast", "collab.participants.1.kind=human",
     "session.max_turns=5", "session.assign={\"x\": \"agent-a-planner\"}",
     "task=hello", "session.quorum=0.5"});
  REQUIRE(spec);
  CHECK(spec->collab.mode == protocol::mode::broadcast);
  CHECK(spec->collab.participants[1].kind == protocol::participant_kind::human);
  CHECK(spec->options.max_turns == 5);
  CHECK(spec->options.assign.at("x") == "agent-a-planner");
  CHECK(spec->task == "hello");
  CHECK(spec->options.quorum == 0.5);
}

TEST_CASE("a backslash lets a path lead to names with dots") {
  fixture at;
  const auto spec = at.load_text(
    R"({"collab": {"mode": "pair", "participants": [
         {"participant_id": "a.b", "role_id": "r"},
         {"participant_id": "x=\\y", "role_id": "r"}]}, "task": "work",
        "behaviours": {"a.b": {"type": "echo"}}})",
    {R"(behaviours.a\.b={"type": "simulated"})",
     R"(behaviours.x\=\\y.type=plan)", R"(session.assign.role\.a=a.b)"});
  REQUIRE(spec);
  CHECK(
    spec->behaviours
    == value{{"a.b", {{"type", "simulated"}}}, {"x=\\y", {{"type", "plan"}}}});
  CHECK(spec->options.assign.at("role.a") == "a.b");
}

TEST_CASE("a path that leads nowhere is the command line's error") {
  fixture at;
  const std::string text = GENERATE("session.max_turn=5", "sesion.max_turns=5",
                                    "collab.participants.2.kind=x",
                                    "collab.participants.x=1", "task.length=5",
                                    "no_equals_sign", "=5", "session..rounds=1",
                                    "session.max_turns=many");
  const auto refused = at.load_text(small, {text}).error();
  CHECK(refused.code == errc::usage);
  CHECK_THAT(refused.message,
             Catch::Contains("--set " + text.substr(0, text.find('='))));
}

TEST_CASE("an error that an override did not cause is not blamed on it") {
  fixture at;
  const auto refused
    = at.load_text(R"({"collab": {"mode": "chaos", "purpose": "p"}})",
                   {"collab.title=x"})
        .error();
  CHECK(refused.code == errc::invalid_document);
}

TEST_CASE("a role can only be assigned to somebody who takes part") {
  fixture at;
  CHECK(at.load_text(small, {}, {{"planner", "nobody"}}).error().code
        == errc::usage);
}

TEST_CASE("only regular files are read, and nothing above the folder") {
  fixture at;
  REQUIRE(::mkfifo((at.folder / "pipe").c_str(), 0600) == 0);
  std::filesystem::create_directory(at.folder / "sub");
  at.write("empty", "");
  at.write("array", "[]");
  const auto [name, code]
    = GENERATE(table<std::string, errc>({{"pipe", errc::unreadable},
                                         {"sub", errc::unreadable},
                                         {"missing", errc::unreadable},
                                         {"/dev/zero", errc::invalid_document},
                                         {"../x.json", errc::invalid_document},
                                         {"", errc::invalid_document},
                                         {"array", errc::invalid_document},
                                         {"empty", errc::invalid_json}}));
  const auto refused = at.load_text(R"({"collab": ")" + name + R"("})");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == code);
  CHECK_FALSE(refused.error().file.empty());
}

TEST_CASE("a scenario names files outside of its folder only if allowed") {
  fixture at;
  tests::scratch_folder elsewhere;
  tests::write_bytes(elsewhere / "collab.json", collab_document());
  std::filesystem::create_symlink(elsewhere / "collab.json",
                                  at.folder / "link.json");
  const std::string target = (elsewhere / "collab.json").string();
  const auto name = std::string{GENERATE(true, false) ? "link.json" : target};
  at.write("scenario.json", R"({"collab": ")" + name + R"("})");
  const auto refused = at.load("scenario.json");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "permission_needed");
  CHECK_THAT(refused.error().message,
             Catch::Contains("--allow read="
                             + (elsewhere / "").parent_path().string()));
  permissions allow;
  REQUIRE(allow.allow("read=" + (elsewhere / "").string()));
  protocol::uuid_source ids{7};
  CHECK(
    load_scenario(at.folder / "scenario.json", {.ids = ids, .allow = &allow}));
}

TEST_CASE("a file whose links lead in a circle is told as such") {
  fixture at;
  std::filesystem::create_symlink("circle.json", at.folder / "circle.json");
  const auto refused = at.load_text(R"({"collab": "circle.json"})").error();
  CHECK(refused.code == errc::unreadable);
  CHECK(refused.pointer == "/collab");
  CHECK_THAT(refused.message, Catch::StartsWith("cannot be read: "));
}

TEST_CASE("a scenario given as a value is the one that a file has") {
  fixture at;
  const auto from_file = at.load_text(small);
  REQUIRE(from_file);
  auto scenario = protocol::parse_relaxed_json(small).value().as_object();
  scenario["$schema"] = "convene-scenario.schema.json";
  protocol::uuid_source ids{7};
  const auto given = load_scenario(scenario,
                                   {.ids = ids, .now = 1'700'000'000'000});
  REQUIRE(given);
  CHECK(*given == *from_file);
}

TEST_CASE("a scenario given as a value names no file and has no folder") {
  const auto refused = [](const std::string& name, const value& what) {
    auto scenario = protocol::parse_relaxed_json(small).value().as_object();
    scenario[name] = what;
    protocol::uuid_source ids{7};
    const auto made = load_scenario(scenario, {.ids = ids});
    return made || made.error().rule != "names_file" ? std::string{}
                                                     : made.error().pointer;
  };
  for (const std::string name :
       {"context", "collab", "plan", "confirm", "core", "network"})
    CHECK(refused(name, "/etc/hostname") == '/' + name);
  for (const std::string name : {"roles", "extensions", "extension_confirms"})
    CHECK(refused(name, protocol::json::array{"x.json"}) == '/' + name + "/0");
  const auto command = [](const char* program, const char* argument) {
    return protocol::json::object{
      {"a/b",
       {{"type", "process"},
        {"command", protocol::json::array{program, argument}}}}};
  };
  CHECK(refused("behaviours", command("bin/run", "x"))
        == "/behaviours/a~1b/command/0");
  CHECK(refused("mcp_servers", command("sh", "${scenario}/x"))
        == "/mcp_servers/a~1b/command/1");
  CHECK(refused("extensions",
                protocol::json::array{protocol::json::object{
                  {"config", {{"command", protocol::json::array{"./run"}}}}}})
        == "/extensions/0/config/command/0");
  CHECK(refused("behaviours", command("/bin/run", "./x")) == "");
}

TEST_CASE("a folder without the documents that it must have is refused") {
  fixture at;
  CHECK_THAT(at.load("").error().message, Catch::Contains("collab.json"));
  at.write("collab.json", collab_document());
  CHECK_THAT(at.load("").error().message, Catch::Contains("context.json"));
}

TEST_CASE("another session of a scenario shares its context, not its ids") {
  fixture at;
  auto spec = at.load_text(small).value();
  spec.seed = 40;
  const auto next = another(spec, 2);
  CHECK(another(spec, 0) == spec);
  CHECK(another(spec, 2) == next);
  CHECK(next.collab.collab_id == session_id_of(spec, 2));
  CHECK(protocol::is_uuid_v4(next.collab.collab_id));
  CHECK(another(spec, 3).collab.collab_id != next.collab.collab_id);
  CHECK(next.collab.collab_id != spec.collab.collab_id);
  CHECK(next.plan->plan_id != spec.plan->plan_id);
  CHECK(next.plan->steps == spec.plan->steps);
  CHECK(next.context == spec.context);
  CHECK(next.seed == 42);
}
