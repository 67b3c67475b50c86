// Outputs of actions that are too large for the log, and every command that
// reads, copies or verifies a log.

#include "run_fixture.hpp"

#include <convene/protocol/json/json_text.hpp>

using namespace convene::tests;
using Catch::Contains;
using convene::protocol::parse_json;
namespace fs = std::filesystem;

namespace {

/// A program whose reply is large, asked twice.
const std::string large_reply = R"({
  "collab": {"mode": "round_robin", "participants": [
    {"participant_id": "ann", "role_id": "role-planner"}]},
  "behaviours": {"ann": {"type": "process",
                         "command": ["sh", "${scenario}/large.sh"]}},
  "session": {"rounds": 2}, "task": "go on"})";

constexpr const char* large_program
  = "cat > /dev/null\n"
    "printf '{\"content\": \"done\", \"result\": {\"text\": \"'\n"
    "head -c 200000 /dev/zero | tr '\\0' x\n"
    "printf '\"}}'\n";

struct large_run : run_fixture {
  large_run() : run_fixture{large_reply} {
    write_bytes(folder / "large.sh", large_program);
    REQUIRE(run_with({"--allow", "run=sh"}).code == 0);
  }

  [[nodiscard]] std::vector<fs::path> blobs(const fs::path& beside) const {
    std::vector<fs::path> all;
    std::error_code none;
    for (const auto& each : fs::directory_iterator{beside / "blobs", none})
      all.push_back(each.path());
    return all;
  }

  /// A folder that has not been made yet.
  [[nodiscard]] std::string fresh(const char* name) const {
    return (folder / name).string();
  }
};

} // namespace

TEST_CASE("a large output is a file beside the log, and check verifies it") {
  const large_run made;
  const auto blobs = made.blobs(made.out);
  REQUIRE(blobs.size() == 1); // the same twice
  CHECK(fs::file_size(blobs[0]) > 200'000);
  const auto good = run({"check", made.out, "--json"});
  CHECK(good.code == 0);
  const auto verdict = parse_json(good.out).value().at("logs").at(0);
  CHECK(verdict.at("blobs") == 1);
  CHECK(verdict.at("blobs_unnamed") == 0);
  CHECK(run({"replay", made.out, "--quiet"}).code == 0);

  write_bytes(made.out + "/blobs/" + std::string(64, 'a'), "1");
  const auto more = run({"check", made.out});
  CHECK(more.code == 0);
  CHECK_THAT(more.out, Contains("1 blob that no event names"));

  auto bytes = read_bytes(blobs[0]);
  bytes[100'000] = 'y';
  write_bytes(blobs[0], bytes);
  for (const auto* command : {"check", "replay"}) {
    const auto forged = run({command, made.out});
    CHECK(forged.code == 1);
    CHECK_THAT(forged.out, Contains("events.jsonl:")
                             && Contains("blob_corrupt " + blobs[0].string()));
  }
  fs::remove(blobs[0]);
  for (const auto* command : {"check", "replay"}) {
    const auto gone = run({command, made.out});
    CHECK(gone.code == 1);
    CHECK_THAT(gone.out, Contains("blob_missing"));
  }
}

TEST_CASE("forks, exports, imports and salvaged logs have their blobs") {
  const large_run made;
  const auto has_them = [&](const std::string& folder) {
    CAPTURE(folder);
    CHECK(made.blobs(folder).size() == 1);
    const auto checked = run({"check", folder});
    CAPTURE(checked.out, checked.err);
    CHECK(checked.code == 0);
  };
  const auto fork = made.fresh("fork");
  CHECK(run({"fork", made.out, "--at", "2", "--quiet", "--out", fork, "--allow",
             "run=sh"})
          .code
        == 0);
  has_them(fork);

  const auto copy = made.fresh("copy");
  const auto imported = run({"import", made.out, "--out", copy});
  CHECK(imported.code == 0);
  CHECK_THAT(imported.out, !Contains("blobs/"));
  has_them(copy);

  const auto strict = made.fresh("strict");
  CHECK(run({"export", made.out, "--strict", "--out", strict}).code == 0);
  CHECK(made.blobs(strict).size() == 1);

  const auto saved = made.fresh("saved");
  fs::create_directory(saved);
  const auto salvaged
    = run({"events", made.out, "--salvage", saved + "/events.jsonl"});
  CHECK(salvaged.code == 0);
  CHECK_THAT(salvaged.out, Contains("1 blob kept, 0 lost"));
  has_them(saved);

  fs::remove(made.blobs(made.out)[0]);
  const auto lost
    = run_verbosely({"events", made.out, "--salvage", made.fresh("less")});
  CHECK(lost.code == 1);
  CHECK_THAT(lost.out, Contains("blob_missing") && Contains("1 lost"));
  const auto refused
    = run_verbosely({"fork", made.out, "--at", "2", "--quiet", "--out",
                     made.fresh("other"), "--allow", "run=sh"});
  CHECK(refused.code != 0);
  CHECK_THAT(refused.err, Contains("blob_missing"));
}
