#include "three_steps.hpp"

using namespace convene::tests;
using Catch::Contains;

TEST_CASE("rollback: what nothing undoes is told") {
  three_steps at;
  at.object_in("compensations").erase("b");
  at.object_in("compensations").erase("c");
  at.object_in("compensations")["*"] = program_of(at.note("undo-any"));
  at.object_in("compensations").erase("*");
  REQUIRE(at.ran().code == 0);
  const auto report = json_of(at.rolled_back({"--json"}));
  CHECK(report.at("without_compensation")
        == json::array{json::string{step_id(3)}, json::string{step_id(2)}});
  CHECK(at.done() == "a b c undo-a ");
  at.check_good();
}

TEST_CASE("rollback: a file that cannot be restored keeps it open, and is told "
          "each time") {
  const three_steps at;
  REQUIRE(at.ran().code == 0);
  const auto files = at.folder / "files";
  fs::create_directory(files);
  fs::create_symlink(at.folder / "elsewhere", files / "a.txt");
  const auto done = at.rolled_back({"--files", files.string()});
  CHECK(done.code == 1);
  CHECK_THAT(done.err, Contains("a.txt"));
  CHECK_THAT(at.types(), !Contains("rollback_executed"));
  // Without the files it is executed; they can be restored later, or not.
  CHECK(at.rolled_back().code == 0);
  CHECK(at.rolled_back({"--files", files.string()}).code != 0);
  fs::remove(files / "a.txt");
  CHECK(at.rolled_back({"--files", files.string()}).code == 0);
  CHECK(at.done() == "a b c undo-c undo-b undo-a ");
}

TEST_CASE("rollback: what compensations may not reach is refused before "
          "anything is recorded") {
  const three_steps at;
  REQUIRE(at.ran().code == 0);
  const auto done = run({"rollback", at.out});
  CHECK(done.code == 2);
  CHECK_THAT(done.err, Contains("--allow run="));
  CHECK_FALSE(fs::exists(at.out + "/rollback.jsonl"));
  CHECK_FALSE(fs::exists(at.out + "/rollback"));
  // The run itself, too, asks for what its compensations need.
  CHECK(at.run_with({"--profile", "sa"}).code == 2);
}

TEST_CASE("rollback: what is no run, or no stage of it, is refused") {
  const three_steps at;
  REQUIRE(at.ran().code == 0);
  CHECK(at.rolled_back({"--to", "550e8400-e29b-41d4-a716-446655440009"}).code
        == 2);
  CHECK(run({"rollback", at.folder.path().string()}).code == 2);
  CHECK(run({"rollback", at.out + "/session"}).code == 2);
  const run_fixture session{answers};
  REQUIRE(session.run_with().code == 0);
  CHECK_THAT(run({"rollback", session.out}).err,
             Contains("single agent's run"));
  auto with = parse_json(answers)->as_object();
  with["compensations"] = json::object{{"*", json::object{{"type", "echo"}}}};
  const run_fixture several{json::serialize(with)};
  CHECK_THAT(several.run_with().err, Contains("/compensations"));
}

TEST_CASE("rollback: by its policy a run that cannot be rolled back has its "
          "result all the same") {
  three_steps at;
  at.object_in("session")["policy"] = "single_agent_rollback";
  // In the place where the compensations are to run.
  at.does("c", "touch " + at.out + "/rollback; exit 3", "");
  SECTION("as JSON") {
    const auto done = at.ran({"--json"});
    CHECK(done.code == 1);
    const auto result = json_of(done);
    CHECK(result.at("steps").at("status") == "failed");
    CHECK(result.at("rollback").at("status") == "failed");
    CHECK(result.at("rollback").at("error").as_object().contains("message"));
    const auto again = run({"resume", at.out, "--allow", "run=sh", "--json"});
    CHECK(again.code == 1);
    CHECK(json_of(again).at("rollback").at("status") == "failed");
  }
  SECTION("as text") {
    const auto done = at.ran();
    CHECK(done.code == 1);
    CHECK_THAT(done.err, Contains("cannot be rolled back"));
    const auto again = run({"resume", at.out, "--allow", "run=sh"});
    CHECK(again.code == 1);
    CHECK_THAT(again.out, !Contains("Nothing to resume"));
  }
}

TEST_CASE("rollback: a compensation is told what of its step does not fit") {
  three_steps at;
  const auto seen = (at.folder / "seen").string();
  const auto bytes = GENERATE(600'000, 1'048'500);
  write_bytes(at.folder / "large",
              R"({"content": "x", "result": {"made": ")"
                + std::string(static_cast<std::size_t>(bytes), 'y') + R"("}})");
  at.object_in("behaviours")["c"] = json::object{
    {"type", "process"},
    {"command",
     {"sh", "-c", "cat >/dev/null; cat " + (at.folder / "large").string()}}};
  at.object_in("compensations")["c"]
    = json::object{{"type", "process"},
                   {"command", {"sh", "-c", "cat >" + seen + "; echo '{}'"}}};
  REQUIRE(at.ran().code == 0);
  REQUIRE(at.rolled_back({"--to", step_id(2)}).code == 0);
  const auto request = parse_json(read_bytes(seen));
  REQUIRE(request);
  for (const auto& each : request->at("workspace").at("resources").as_array())
    if (each.at("resource_id") == json::string{step_id(3)}) {
      const auto& value = each.at("value").as_object();
      CHECK(value.contains("result") == (bytes == 600'000));
      CHECK(value.contains("left_out") == (bytes != 600'000));
    }
}

TEST_CASE("rollback: each file that cannot be restored is told, and those that "
          "were") {
  const three_steps at;
  REQUIRE(at.ran().code == 0);
  const auto files = at.folder / "files";
  fs::create_directory(files);
  for (const auto* name : {"a.txt", "c.txt"})
    fs::create_symlink(at.folder / "elsewhere", files / name);
  write_bytes(files / "b.txt", "by b");
  const auto done = at.rolled_back({"--files", files.string(), "--json"});
  CHECK(done.code == 1);
  const auto report = json_of(done);
  CHECK(report.at("status") == "failed");
  CHECK(report.at("files").as_array().size() == 1);
  CHECK(report.at("files_errors").as_array().size() == 2);
  CHECK_FALSE(fs::exists(files / "b.txt"));
}

TEST_CASE("rollback: an error about a compensation names its place in the "
          "scenario") {
  three_steps at;
  at.object_in("compensations")["a"] = json::object{{"type", "nonsense"}};
  const auto done = at.ran();
  CHECK(done.code == 2);
  CHECK_THAT(done.err, Contains("/compensations/a/type"));
}
