// Which runs share ids under a seed, and what a store makes of equal ids.

#include "run_fixture.hpp"

#include <boost/json/serialize.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <vector>

using namespace convene::tests;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

/// All v4 UUIDs in the files of a folder.
std::set<std::string> ids_in(const fs::path& folder) {
  constexpr std::size_t length = 36;
  std::set<std::string> all;
  for (const auto& each : fs::recursive_directory_iterator{folder}) {
    if (!each.is_regular_file())
      continue;
    const auto text = read_bytes(each.path());
    for (auto at = text.find('-'); at != text.npos; at = text.find('-', at + 1))
      if (at >= 8 && text.size() >= at - 8 + length
          && convene::protocol::is_uuid_v4(text.substr(at - 8, length)))
        all.insert(text.substr(at - 8, length));
  }
  return all;
}

std::vector<std::string> shared(const std::set<std::string>& one,
                                const std::set<std::string>& other) {
  std::vector<std::string> made;
  std::ranges::set_intersection(one, other, std::back_inserter(made));
  return made;
}

/// The bytes of all files of a run, by their names.
std::map<std::string, std::string> files_in(const fs::path& folder) {
  std::map<std::string, std::string> all;
  for (const auto& each : fs::recursive_directory_iterator{folder})
    if (each.is_regular_file())
      all[fs::relative(each.path(), folder).string()] = read_bytes(each.path());
  return all;
}

/// One whose plan waits for an approval.
const std::string planned = R"({
  "collab": {"mode": "orchestrated", "participants": [
    {"participant_id": "ann", "role_id": "role-orchestrator"},
    {"participant_id": "bob", "role_id": "role-coder"}]},
  "session": {"orchestrator": "ann"},
  "behaviours": {"ann": {"type": "plan"}},
  "plan": {"title": "All of it", "objective": "Build", "steps": [
    {"description": "Build it", "agent_role": "role-coder"}]},
  "task": "build"})";

struct seeded_runs {
  scratch_folder folder;
  std::string db = "sqlite:" + (folder / "state.db").string();
  int count = 0;

  /// Runs a scenario and returns the folder of the run.
  std::string run_of(const std::string& text,
                     const std::vector<std::string>& more = {},
                     const std::string& seed = "3") {
    const auto at = folder / std::to_string(++count);
    fs::create_directory(at);
    const auto scenario = (at / "scenario.json").string();
    write_bytes(scenario, text);
    std::vector<std::string> all{"run",
                                 scenario,
                                 "--quiet",
                                 "--seed",
                                 seed,
                                 "--out",
                                 (at / "out").string()};
    all.insert(all.end(), more.begin(), more.end());
    const auto done = run(all);
    INFO(done.err);
    REQUIRE(done.code <= 1);
    return (at / "out").string();
  }

  /// Runs an example into the store.
  finished store(const std::string& example,
                 const std::vector<std::string>& more = {}) {
    std::vector<std::string> all{
      "run",
      examples_folder + example + "/scenario.json",
      "--quiet",
      "--out",
      (folder / ("stored-" + std::to_string(++count))).string(),
      "--store",
      db};
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  }

  [[nodiscard]] std::string stored() const {
    return read_bytes(folder / "state.db");
  }
};

} // namespace

TEST_CASE("runs of different scenarios under one seed share no id") {
  seeded_runs at;
  const auto first = ids_in(at.run_of(answers));
  CHECK(first.size() > 10);
  for (const std::string member :
       {"session.rounds=2", "session.max_turns=30", "task=other",
        "collab.title=other", "session.no_progress=9",
        "collab.participants.0.participant_id=bea"}) {
    INFO(member);
    CHECK(shared(first, ids_in(at.run_of(answers, {"--set", member})))
          == std::vector<std::string>{});
  }
  CHECK(shared(first, ids_in(at.run_of(answers, {}, "4")))
        == std::vector<std::string>{});
  CHECK(shared(first, ids_in(at.run_of(answers, {"--validation", "off"})))
        == std::vector<std::string>{});
  CHECK(shared(first, ids_in(at.run_of(planned)))
        == std::vector<std::string>{});
}

TEST_CASE("options that decide a run's course make its ids others") {
  seeded_runs at;
  const auto plain = ids_in(at.run_of(planned));
  const auto decisions = (at.folder / "decisions.json").string();
  write_bytes(decisions,
              R"([{"status": "approved", "decided_by_role": "lead"}])");
  const auto decided = ids_in(at.run_of(planned, {"--decisions", decisions}));
  CHECK(shared(plain, decided) == std::vector<std::string>{});
  write_bytes(decisions,
              R"([{"status": "approved", "decided_by_role": "chief"}])");
  CHECK(shared(decided, ids_in(at.run_of(planned, {"--decisions", decisions})))
        == std::vector<std::string>{});
  CHECK(shared(plain, ids_in(at.run_of(planned, {"--roles", "role-coder=ann"})))
        == std::vector<std::string>{});
}

TEST_CASE("the same seed and scenario give the same bytes in every folder") {
  seeded_runs at;
  const auto first = files_in(at.run_of(planned));
  CHECK(first == files_in(at.run_of(planned, {"--threads", "3"})));
  CHECK(first == files_in(at.run_of("// said otherwise\n" + planned)));
  auto strict = files_in(at.run_of(planned, {"--durability", "strict"}));
  strict["run.json"] = first.at("run.json");
  strict["events.jsonl"] = first.at("events.jsonl"); // closes other groups
  CHECK(first == strict);
}

TEST_CASE("a resolved scenario is the same run") {
  seeded_runs at;
  const auto first = at.run_of(planned);
  const auto again = at.run_of(read_bytes(first + "/scenario.json"));
  CHECK(files_in(first) == files_in(again));
}

TEST_CASE("points of a study have ids of their own") {
  const scratch_folder folder;
  const auto out = (folder / "out").string();
  REQUIRE(run({"study", examples_folder + "code-review/scenario.json",
               "--seeds", "1..2", "--vary", "session.max_turns=40,50", "--keep",
               "all", "--quiet", "--out", out})
            .code
          == 0);
  std::vector<std::string> sessions;
  for (const auto* point : {"1", "2"})
    for (const auto* seed : {"1", "2"}) {
      const auto at = fs::path{out} / "seeds" / point / seed;
      CHECK(run({"check", at.string()}).code == 0);
      const auto result
        = convene::protocol::parse_json(read_bytes(at / "result.json"));
      sessions.push_back(boost::json::serialize(result->at("session_id")));
    }
  CHECK(std::set<std::string>{sessions.begin(), sessions.end()}.size() == 4);
}

TEST_CASE("examples under one seed go into one store") {
  seeded_runs at;
  for (const std::string example : {"code-review", "shared-files"}) {
    const auto done = at.store(example, {"--seed", "3"});
    INFO(done.err);
    CHECK(done.code == 0);
  }
  const auto before = at.stored();
  for (const std::string example : {"shared-files", "code-review"})
    CHECK(at.store(example, {"--seed", "3"}).code == 0);
  CHECK(at.stored() == before);
}

TEST_CASE("a store refuses another run of a session that it has") {
  seeded_runs at;
  REQUIRE(at.store("code-review", {"--seed", "3"}).code == 0);
  const auto before = at.stored();
  for (const std::vector<std::string>& other :
       {std::vector<std::string>{"--seed", "4"},
        {"--seed", "3", "--set", "session.max_turns=2"},
        // It leaves the same Collab.
        {"--seed", "3", "--set", "session.max_turns=999"}}) {
    const auto refused = at.store("code-review", other);
    CHECK(refused.code == 3);
    CHECK_THAT(refused.err,
               Contains("--store: ") && Contains("does not replace it"));
  }
  CHECK(at.stored() == before);
}

TEST_CASE("without a seed, a session that a store has is refused at once") {
  seeded_runs at;
  REQUIRE(at.store("code-review").code == 0);
  const auto before = at.stored();
  const auto refused = at.store("code-review");
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains("a session with this id"));
  CHECK_FALSE(fs::exists(at.folder / "stored-2"));
  CHECK(at.stored() == before);
}

TEST_CASE("resume adds no events of another run to a store") {
  seeded_runs at;
  REQUIRE(at.store("code-review", {"--seed", "3"}).code == 0);
  const auto before = at.stored();
  const auto other = (at.folder / "other").string();
  REQUIRE(run({"run", examples_folder + "code-review/scenario.json", "--quiet",
               "--seed", "4", "--out", other})
            .code
          == 0);
  const auto refused = run({"resume", other, "--store", at.db});
  CHECK(refused.code == 3);
  CHECK_THAT(refused.err, Contains("another run of the session"));
  CHECK(at.stored() == before);
}

TEST_CASE("sessions of one run have a Confirm each, and all are stored") {
  seeded_runs at;
  const auto out = at.run_of(
    planned,
    {"--instances", "3", "--approval", "auto", "--set",
     R"(confirm={"status": "approved", "requested_by_role": "lead", "decisions": []})",
     "--store", at.db});
  std::set<std::string> confirms;
  for (const auto& session : fs::directory_iterator{out + "/sessions"})
    confirms.insert(boost::json::serialize(
      convene::protocol::parse_json(read_bytes(session.path() / "confirm.json"))
        ->at("confirm_id")));
  CHECK(confirms.size() == 3);
  CHECK(run({"check", out}).code == 0);
}
