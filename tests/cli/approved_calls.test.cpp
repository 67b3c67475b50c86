#include "run_fixture.hpp"

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <thread>

// Calls that a person approves before they are carried out, at the terminal.

using namespace convene::tests;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

/// A program that notes each start in `done`; `more` are settings.
struct act_fixture : run_fixture {
  std::string done = (folder / "done").string();

  explicit act_fixture(const std::string& more = "",
                       const std::string& script = "")
    : run_fixture{R"({
      "collab": {"mode": "round_robin", "participants": [
        {"participant_id": "bob", "role_id": "role-b"}]},
      "session": {"rounds": 1}, "task": "deploy it",
      "behaviours": {"bob": {"type": "process", "approve": true,
        "command": ["/bin/sh", "${scenario}/act.sh", "${scenario}/done"])"
                  + more + "}}}"} {
    write_bytes((folder / "act.sh").string(),
                "echo x >> \"$1\"\n" + script
                  + "\necho '{\"content\": \"deployed\"}'\n");
  }

  [[nodiscard]] std::vector<std::string>
  arguments(std::vector<std::string> more) const {
    std::vector<std::string> all{
      "run",         scenario,        "--out",        out,     "--allow",
      "run=/bin/sh", "--interactive", "--durability", "strict"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  [[nodiscard]] std::size_t times() const {
    const auto bytes = fs::exists(done) ? read_bytes(done) : std::string{};
    return static_cast<std::size_t>(std::ranges::count(bytes, '\n'));
  }

  /// Runs with these lines of input, then checks and replays.
  [[nodiscard]] finished with_lines(const std::string& lines) const {
    auto ended = run_shell("printf '" + lines + "' | \"$0\" \"$@\"",
                           arguments({}));
    check();
    return ended;
  }

  /// Runs, kills it once that holds, and resumes it with these lines of input.
  [[nodiscard]] finished resumed(const std::string& first,
                                 const std::function<bool(program&)>& holds,
                                 const std::string& then) const {
    const auto pipe = (folder / "typed").string();
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    {
      // Both ends are open, so that the input does not end.
      program one{arguments({}),
                  {},
                  {"/bin/bash", "-c",
                   "exec 0<> '" + pipe + "'; printf '" + first
                     + "' >&0; exec \"$0\" \"$@\"",
                   CONVENE_PROGRAM}};
      while (!holds(one) && !one.has_ended())
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
      one.signal(SIGKILL);
      REQUIRE(one.wait().code == 128 + SIGKILL);
    }
    auto ended
      = run_shell("printf '" + then + "' | \"$0\" \"$@\"",
                  {"resume", out, "--allow", "run=/bin/sh", "--interactive"});
    check();
    return ended;
  }

  void check() const {
    const auto checked = run({"check", out});
    INFO(checked.out << checked.err);
    CHECK(checked.code == 0);
    CHECK(run({"replay", out}).code == 0);
  }
};

constexpr auto is_asked = [](program& one) {
  return one.output().find("bob wants to call") != std::string::npos;
};

} // namespace

TEST_CASE("a person sees the call, approves it, and it is carried out") {
  const act_fixture at;
  const auto ended = at.with_lines(R"(ok\n/approve go ahead\n)");
  CHECK(ended.code == 0);
  CHECK(at.times() == 1);
  CHECK_THAT(ended.out,
             Contains("your approval is wanted")
               && Contains("bob wants to call /bin/sh (process)")
               && Contains("act.sh")
               && Contains("/approve or /reject it") // in reply to "ok"
               && Contains("0 asks approver to approve process /bin/sh")
               && Contains(": approved: go ahead"));
  const auto told = run({"explain", at.out});
  CHECK_THAT(told.out, Contains("approver approved bob's call of /bin/sh"));
}

TEST_CASE("a refused call is not carried out, and the log says why") {
  const act_fixture at;
  const auto ended = at.with_lines(R"(/reject too risky\n)");
  CHECK(at.times() == 0);
  CHECK_THAT(ended.out, Contains("a person refused this call")
                          && Contains(": refused: too risky"));
  CHECK_THAT(run({"explain", at.out}).out,
             Contains("approver refused bob's call of /bin/sh"));
}

TEST_CASE("the session's person is asked, by name") {
  const act_fixture at{R"(}, "ana": {"type": "human")"};
  auto text = read_bytes(at.scenario);
  const std::string bob = R"("role_id": "role-b"})";
  text.replace(text.find(bob), bob.size(),
               bob + R"(, {"participant_id": "ana", "role_id": "role-a",
                   "kind": "human"})");
  fs::remove(at.scenario);
  write_bytes(at.scenario, text);
  const auto ended = at.with_lines(R"(/approve\nfine\n)");
  CHECK(ended.code == 0);
  CHECK(at.times() == 1);
  CHECK_THAT(ended.out, Contains("== ana: your approval is wanted"));
}

TEST_CASE("calls that nobody can approve are refused before anything begins") {
  const act_fixture at;
  const auto refused = at.run_with({"--allow", "run=/bin/sh"});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err,
             Contains("/behaviours/bob/approve") && Contains("--interactive"));
  CHECK_FALSE(fs::exists(at.out));
}

TEST_CASE("after a kill an open question is asked again") {
  const act_fixture at;
  const auto ended = at.resumed("", is_asked, R"(/approve\n)");
  CHECK(ended.code == 0);
  CHECK_THAT(ended.out, Contains("bob wants to call"));
  CHECK(at.times() == 1);
}

TEST_CASE("after a kill an approved call is not asked about again") {
  const act_fixture at{R"(, "repeatable": true)",
                       R"sh([ "$(wc -l < "$1")" = 1 ] && sleep 1000)sh"};
  const auto ended = at.resumed(R"(/approve\n)",
                                [&](program&) { return at.times() == 1; },
                                R"(/reject\n)");
  CHECK(ended.code == 0);
  CHECK_THAT(ended.out, !Contains("bob wants to call"));
  CHECK(at.times() == 2);
  CHECK_THAT(read_bytes(at.out + "/dialog.json"), Contains("deployed"));
}

TEST_CASE("a model whose call was refused hears why, and goes on") {
  const run_fixture at{R"({
    "collab": {"mode": "round_robin", "participants": [
      {"participant_id": "ann", "role_id": "role-a"}]},
    "session": {"rounds": 1}, "task": "read the notes",
    "mcp_servers": {"notes": {"command": ["python3", ")"
                       + examples_folder
                       + R"(agents/notes_server.py", "${scenario}"]}},
    "behaviours": {"ann": {"type": "llm", "model": "m", "tools": ["notes/*"],
                           "approve": ["*/read_*"]}}})"};
  write_bytes((at.folder / "tides.md").string(), "the moon moves on");
  write_bytes((at.folder / "models.json").string(), R"({"models": {"m": {
    "order": "first",
    "answers": [
      {"when": "a person refused this call", "text": "Without the note, then."},
      {"when": "the moon moves on", "text": "The note has it."},
      {"tools": [{"name": "notes__list_notes", "arguments": {}},
                 {"name": "notes__read_note",
                  "arguments": {"name": "tides"}}]}]}}})");
  const auto with_line = [&](const std::string& line) {
    fs::remove_all(at.out);
    return run_shell(
      "cd '" + at.folder.path().string()
        + "'; : > at; \"$0\" mock-model --profile models.json --listen "
          "127.0.0.1:0 "
          "> at & model=$!; until grep -q listening at; do sleep 0.02; done; "
          "host=$(sed 's|.*//||' at); printf '"
        + line
        + "' | \"$0\" \"$@\" --allow net=$host --set "
          "behaviours.ann.base_url=http://$host/v1; ended=$?; kill $model; "
          "wait; exit $ended",
      {"run", at.scenario, "--out", at.out, "--allow", "run=python3",
       "--interactive"});
  };
  CHECK(with_line(R"(/reject not that one\n)").code == 0);
  CHECK_THAT(read_bytes(at.out + "/dialog.json"),
             Contains("Without the note, then."));
  CHECK_THAT(read_bytes(at.out + "/events.jsonl"),
             Contains("not that one") && Contains("notes/list_notes"));
  CHECK(run({"check", at.out}).code == 0);
  CHECK(with_line(R"(/approve\n)").code == 0);
  CHECK_THAT(read_bytes(at.out + "/dialog.json"), Contains("The note has it."));
  CHECK(run({"check", at.out}).code == 0);
}
