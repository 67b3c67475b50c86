#include "three_steps.hpp"

#include <chrono>
#include <thread>

using namespace convene::tests;
using Catch::Contains;

TEST_CASE("rollback: after a kill it is finished, and no compensation that "
          "ended is run again") {
  three_steps at;
  const auto begun = at.folder / "begun";
  const bool repeatable = GENERATE(true, false);
  at.undoes("b", at.held_back() + at.note("undo-b"), repeatable);
  REQUIRE(at.ran().code == 0);
  {
    program running{at.rollback_arguments()};
    while (!has_text(begun) && !running.has_ended())
      std::this_thread::sleep_for(std::chrono::milliseconds{5});
    running.signal(SIGKILL);
    REQUIRE(running.wait().code == 128 + SIGKILL);
  }
  CHECK(at.types() == "rollback_planned ");
  CHECK(run({"check", at.out}).code == 1);
  CHECK(run({"check", at.out, "--allow-unfinished"}).code == 0);
  at.release();
  const auto done = at.rolled_back();
  if (repeatable) {
    CHECK(done.code == 0);
    CHECK(read_bytes(begun) == "1\n1\n");
    CHECK(at.done() == "a b c undo-c undo-b undo-a ");
    CHECK(at.types() == three_done);
    return at.check_good();
  }
  // It may have happened, so somebody has to look.
  CHECK(done.code == 1);
  CHECK_THAT(done.out, Contains("unknown   " + step_id(2)));
  const auto undecided = at.rolled_back();
  CHECK(undecided.code == 1);
  CHECK_THAT(undecided.err, Contains("--unknown done"));
  CHECK(read_bytes(begun) == "1\n");
  const bool repeats = GENERATE(true, false);
  CHECK(at.rolled_back({"--unknown", repeats ? "repeat" : "done"}).code == 0);
  CHECK(at.done()
        == (repeats ? "a b c undo-c undo-b undo-a " : "a b c undo-c undo-a "));
  at.check_good();
}

TEST_CASE("rollback: a signal suspends it, and it is continued") {
  three_steps at;
  const auto begun = at.folder / "begun";
  at.undoes("c", at.held_back() + at.note("undo-c"));
  REQUIRE(at.ran().code == 0);
  program running{at.rollback_arguments()};
  while (!has_text(begun) && !running.has_ended())
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  running.signal(SIGTERM);
  const auto stopped = running.wait();
  CHECK(stopped.code == 143);
  CHECK_THAT(stopped.out, Contains("suspended: 0 of 3 compensations done"));
  at.release();
  CHECK(at.rolled_back().code == 0);
  CHECK(at.done() == "a b c undo-c undo-b undo-a ");
  at.check_good();
}

TEST_CASE("rollback: of an interrupted run the completed steps are undone, and "
          "it does not go on") {
  three_steps at;
  const auto begun = (at.folder / "begun").string();
  at.does("c", "echo 1 >>" + begun + "; sleep 600", "");
  write_bytes(at.scenario, json::serialize(at.what));
  program running{{"run", at.scenario, "--profile", "sa", "--out", at.out,
                   "--allow", "run=sh", "--durability", "strict"}};
  while (!has_text(begun) && !running.has_ended())
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  running.signal(SIGKILL);
  REQUIRE(running.wait().code == 128 + SIGKILL);
  const auto cut = run({"validate", "--invariants", at.out});
  CHECK(cut.code == 1);
  CHECK_THAT(cut.out, Contains("never completed"));
  const auto done = at.rolled_back();
  CHECK(done.code == 0);
  CHECK_THAT(done.out, Contains(step_id(3)) && Contains("may have happened"));
  CHECK(at.done() == "a b undo-b undo-a ");
  const auto checked = run({"check", at.out});
  INFO(checked.out);
  CHECK(checked.code == 0);
  const auto validated = run({"validate", "--invariants", at.out});
  INFO(validated.out);
  CHECK(validated.code == 0);
  const auto resumed = run({"resume", at.out, "--allow", "run=sh"});
  CHECK(resumed.code == 1);
  CHECK_THAT(resumed.err, Contains("rolled back"));
}

TEST_CASE("rollback: a step that its program wrote as completed is undone, "
          "too") {
  three_steps at;
  at.does("a", at.note("a"),
          R"({"content": "did a", "writes": [{"resource_type": "plan_step",
              "resource_id": ")"
            + step_id(1) + R"(", "base_version": 0, "op": "merge",
              "value": {"status": "completed"}}]})");
  REQUIRE(at.ran().code == 0);
  CHECK(at.rolled_back().code == 0);
  CHECK(at.done() == "a b c undo-c undo-b undo-a ");
  at.check_good();
}

TEST_CASE("rollback: an attempt has no rollbacks of its own, and is no link") {
  const three_steps at;
  REQUIRE(at.ran().code == 0);
  REQUIRE(at.rolled_back().code == 0);
  const auto attempts = fs::path{at.out} / "rollback";
  SECTION("links to the run") {
    for (const auto* name : {"0002", "0003"})
      fs::create_directory_symlink(at.out, attempts / name);
    const auto checked = run({"check", at.out});
    CHECK(checked.code == 1);
    CHECK_THAT(checked.out, Contains("is a link"));
  }
  SECTION("a link to the run in an attempt") {
    fs::copy_file(at.out + "/rollback.jsonl",
                  attempts / "0001" / "rollback.jsonl");
    fs::create_directory_symlink(at.out, attempts / "0001" / "rollback");
    CHECK(run({"check", at.out}).code == 0);
  }
}

TEST_CASE("rollback: a step that a signal interrupted may have happened") {
  three_steps at;
  const auto begun = (at.folder / "begun").string();
  at.object_in("behaviours")["b"]
    = program_of("echo 1 >>" + begun + "; sleep 600", false);
  write_bytes(at.scenario, json::serialize(at.what));
  program running{{"run", at.scenario, "--profile", "sa", "--out", at.out,
                   "--allow", "run=sh"}};
  while (!has_text(begun) && !running.has_ended())
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  running.signal(SIGINT);
  REQUIRE(running.wait().code == 130);
  const auto report = json_of(at.rolled_back({"--json"}));
  CHECK(report.at("may_have_happened")
        == json::array{json::string{step_id(2)}});
  at.check_good();
}
