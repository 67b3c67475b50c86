#include <catch2/catch.hpp>
#include <convene/runtime/data/scenario/scenario.hpp>
#include <runtime/log/event_log/files.hpp>

using namespace convene;
using namespace convene::host;

namespace {

struct include_fixture {
  tests::scratch_folder folder;

  void write(const char* name, const std::string& text) const {
    tests::write_bytes(folder / name, text);
  }

  /// A session of two whose other members are these.
  [[nodiscard]] protocol::result<session::spec>
  load(const std::string& more, std::vector<std::string> overrides = {}) const {
    write("scenario.json", R"({"collab": {"mode": "pair", "participants": [
      {"participant_id": "ada", "role_id": "r"},
      {"participant_id": "bob", "role_id": "r"}]}, )"
                             + more + "}");
    protocol::uuid_source ids{7};
    return load_scenario(folder / "scenario.json",
                         {.ids = ids,
                          .now = 1'700'000'000'000,
                          .overrides = std::move(overrides)});
  }
};

} // namespace

TEST_CASE("a file that is included has what the scenario lacks") {
  const include_fixture at;
  at.write("agents.jsonc", R"({ // comments are allowed
    "task": "theirs", "session": {"rounds": 3, "max_turns": 7},
    "behaviours": {"ada": {"type": "echo"}, "bob": {"type": "echo"}}})");
  at.write("last.json", R"({"session": {"max_turns": 9, "quorum": 1}})");
  const auto made
    = at.load(R"("include": ["agents.jsonc", "last.json"], "task": "mine",
                 "session": {"rounds": 2})");
  REQUIRE(made);
  CHECK(made->task == "mine");
  CHECK(made->options.rounds == 2);
  CHECK(made->options.max_turns == 7);
  CHECK(made->behaviours.size() == 2);
}

TEST_CASE("variables and overrides reach what was included") {
  const include_fixture at;
  at.write("agents.json", R"({"variables": {"N": 3, "T": "theirs"},
    "behaviours": {"*": {"type": "echo"}}, "task": "${T} ${N}",
    "session": {"rounds": "${N}"}})");
  const auto made = at.load(R"("include": ["agents.json"])",
                            {"variables.T=mine", "session.max_turns=5"});
  REQUIRE(made);
  CHECK(made->task == "mine 3");
  CHECK(made->options.rounds == 3);
  CHECK(made->options.max_turns == 5);
}

TEST_CASE("an error names the included file, its line and its place there") {
  const include_fixture at;
  at.write("agents.json", R"({"behaviours": {
    "*": {"type": "echo"},
    "ada": {"type": "ecko"}}})");
  const auto made = at.load(R"("task": "t", "include": ["agents.json"])");
  REQUIRE_FALSE(made);
  CHECK(made.error().file == (at.folder / "agents.json").string());
  CHECK_THAT(made.error().pointer, Catch::StartsWith("/behaviours/ada"));
  CHECK(made.error().line == 3);
}

TEST_CASE("what may not be included is refused") {
  const include_fixture at;
  at.write("nested.json", R"({"include": []})");
  at.write("list.json", "[]");
  const auto rule = [&](const std::string& include) {
    const auto made = at.load(R"("task": "t", "include": )" + include);
    return made ? std::string{} : made.error().rule;
  };
  CHECK(rule(R"(["nested.json"])") == "include");
  CHECK(rule(R"("agents.json")") == "include");
  CHECK(rule(R"([1])") == "include");
  CHECK(rule(R"(["list.json"])") == "type");
  CHECK(rule(R"(["../../etc/hostname"])") == "permission_needed");
  std::string many = "[\"nested.json\"";
  for (int i = 0; i < 16; ++i)
    many += ", \"nested.json\"";
  CHECK(rule(many + "]") == "includes_max");
  const auto nested = at.load(R"("task": "t", "include": ["nested.json"])");
  CHECK(nested.error().file == (at.folder / "nested.json").string());
  CHECK(nested.error().pointer == "/include");
  const auto missing = at.load(R"("task": "t", "include": ["none.json"])");
  CHECK(missing.error().code == protocol::errc::unreadable);
}

TEST_CASE("a scenario that is no file includes none") {
  protocol::uuid_source ids{7};
  const auto made
    = load_scenario(protocol::json::object{{"include", {"a.json"}}},
                    {.ids = ids, .now = 1'700'000'000'000});
  REQUIRE_FALSE(made);
  CHECK(made.error().rule == "names_file");
}
