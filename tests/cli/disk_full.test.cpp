// A disk without room, as a limit on the size of files.

#include "program.hpp"

#include <sys/resource.h>

using namespace convene::tests;
using Catch::Contains;

namespace {

/// Files of what this process starts end at `bytes`.
class small_disk {
public:
  explicit small_disk(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  ~small_disk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
  }
  small_disk(const small_disk&) = delete;
  small_disk& operator=(const small_disk&) = delete;

private:
  rlimit before_{};
};

const std::string long_talk = R"({
  "collab": {"mode": "round_robin", "participants": [
    {"participant_id": "ann", "role_id": "role-planner"}]},
  "session": {"rounds": 200}, "task": "talk at length"})";

} // namespace

TEST_CASE("a full disk ends a run with its own words, resume finishes it") {
  const auto* const kept = GENERATE("none", "group", "strict");
  const scratch_folder folder;
  const auto scenario = (folder / "scenario.json").string();
  const auto out = (folder / "out").string();
  write_bytes(scenario, long_talk);
  {
    const small_disk limit{40'000};
    const auto full
      = run({"run", scenario, "--quiet", "--durability", kept, "--out", out});
    CHECK(full.code == 3);
    CHECK_THAT(full.err, Contains("events.jsonl")
                           && Contains("writing the log failed")
                           && Contains("File too large"));
    CHECK_FALSE(std::filesystem::exists(out + "/result.json"));
  }
  const auto resumed = run({"resume", out});
  CHECK(resumed.code == 0);
  CHECK(run({"check", out}).code == 0);
  CHECK(run({"replay", out}).code == 0);
}

TEST_CASE("no result is written of a session whose end the log does not have, "
          "whatever the durability") {
  const auto* const kept = GENERATE("none", "group");
  const scratch_folder folder;
  const auto scenario = (folder / "scenario.json").string();
  const auto out = (folder / "out").string();
  write_bytes(scenario, long_talk);
  {
    // All of the log is one group, which is larger than any document.
    const small_disk limit{8'000};
    CHECK(run({"run", scenario, "--quiet", "--seed", "4", "--set",
               "session.rounds=12", "--durability", kept, "--out", out})
            .code
          == 3);
    CHECK_FALSE(std::filesystem::exists(out + "/result.json"));
  }
  CHECK(run({"resume", out}).code == 0);
  CHECK(run({"check", out}).code == 0);
}
