// Evidence packs: what a run left, with checksums, and whether it still is so.

#include "run_fixture.hpp"

#include <boost/json/serialize.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

using namespace convene::tests;
using Catch::Contains;
namespace fs = std::filesystem;
namespace json = boost::json;
using convene::protocol::hex_of;
using convene::protocol::parse_json;
using convene::protocol::sha256;

namespace {

const std::string flow = CONVENE_SOURCE_DIR
  "/tests/golden/flows/sa-flow-02-step-evaluation/input";

/// A pack of a single agent's run of a golden flow.
struct packed {
  scratch_folder folder;
  fs::path out = folder / "run";
  fs::path pack = folder / "pack";

  packed() {
    REQUIRE(run({"run", flow, "--profile", "sa", "--quiet", "--out", out}).code
            == 0);
    REQUIRE(run({"pack", out, "--out", pack, "--quiet"}).code == 0);
  }

  /// The rules of what is wrong with the pack.
  [[nodiscard]] std::set<std::string> faults() const {
    const auto done = run({"pack", pack, "--verify", "--json"});
    const auto told = parse_json(done.out).value();
    std::set<std::string> rules;
    for (const auto& each : told.at("faults").as_array())
      rules.insert(each.at("rule").as_string().c_str());
    CHECK(done.code == (rules.empty() ? 0 : 1));
    return rules;
  }

  void spoil(const char* name, const std::string& bytes) const {
    write_bytes(pack / name, bytes);
  }

  /// Has the checksums say that everything is as it should be.
  void sum_again() const {
    std::set<std::string> names;
    for (const auto& each : fs::recursive_directory_iterator{pack})
      if (each.is_regular_file())
        names.insert(each.path().lexically_relative(pack).string());
    names.erase("integrity/sha256sums.txt");
    names.erase("integrity/pack.sha256");
    std::string text;
    for (const auto& name : names)
      text += hex_of(sha256(read_bytes(pack / name))) + "  " + name + "\n";
    spoil("integrity/sha256sums.txt", text);
    spoil("integrity/pack.sha256", root_of(text));
  }

  /// SHA-256 of checksums without the last line's end.
  static std::string root_of(const std::string& sums) {
    return hex_of(sha256(sums.substr(0, sums.size() - 1)));
  }
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in{text};
  for (std::string line; std::getline(in, line);)
    lines.push_back(line);
  return lines;
}

/// The lines of the log that a timeline was made of.
std::string log_of(const fs::path& pack) {
  std::map<std::int64_t, std::string> lines;
  for (const auto& line : lines_of(read_bytes(pack / "timeline/events.ndjson")))
    lines[parse_json(line).value().at("sequence").as_int64()]
      = line.substr(0, line.rfind(",\"sequence\":")) + "}\n";
  std::string text;
  for (const auto& [sequence, line] : lines)
    text += line;
  return text;
}

/// What a pack has as evidence: "REQUIREMENT event_type".
std::multiset<std::string> evidence_of(const fs::path& pack) {
  std::map<std::string, std::string> types;
  for (const auto& line :
       lines_of(read_bytes(pack / "timeline/events.ndjson"))) {
    const auto event = parse_json(line).value();
    types["event_id:" + std::string{event.at("event_id").as_string()}]
      = event.at("event_type").as_string();
  }
  const auto read
    = parse_json(read_bytes(pack / "evidence_pointers.json")).value();
  std::multiset<std::string> found;
  for (const auto& each : read.at("pointers").as_array())
    found.insert(std::string{each.at("requirement_id").as_string()} + " "
                 + types.at(std::string{each.at("locator").as_string()}));
  return found;
}

} // namespace

TEST_CASE(
  "a pack has a run's documents to the byte, its events and checksums") {
  const packed at;
  std::string all;
  std::size_t artifacts = 0;
  for (const auto* name :
       {"confirm.json", "context.json", "plan.json", "trace.json"}) {
    if (!fs::exists(at.out / name))
      continue;
    ++artifacts;
    const auto bytes = read_bytes(at.pack / "artifacts" / name);
    CHECK(bytes == read_bytes(at.out / name));
    all += bytes;
  }
  CHECK(artifacts >= 3);
  const auto manifest
    = parse_json(read_bytes(at.pack / "manifest.json")).value();
  CHECK(manifest.at("verdict_hash").as_string() == hex_of(sha256(all)));
  CHECK(manifest.at("artifacts").as_array().size() == artifacts);
  const auto events = read_bytes(at.pack / "timeline/events.ndjson");
  CHECK(manifest.at("events").to_number<std::ptrdiff_t>()
        == std::ranges::count(events, '\n'));
  CHECK(events.find("SACompleted") != std::string::npos);
  CHECK(events.find("log_group") == std::string::npos);
  const auto done = run({"pack", at.pack, "--verify", "--json"});
  CHECK(done.code == 0);
  CHECK(parse_json(done.out).value().at("pack_root_hash").as_string()
        == packed::root_of(read_bytes(at.pack / "integrity/sha256sums.txt")));
}

TEST_CASE("a pack has what MPLP's Validation Lab admits it by") {
  const packed at;
  const auto sums = read_bytes(at.pack / "integrity/sha256sums.txt");
  CHECK(read_bytes(at.pack / "integrity/pack.sha256")
        == packed::root_of(sums) + "\n");
  const auto manifest
    = parse_json(read_bytes(at.pack / "manifest.json")).value().as_object();
  for (const auto* member :
       {"pack_version", "pack_id", "created_at", "protocol_version",
        "mplp_protocol_version", "scenario_id"})
    CHECK_FALSE(manifest.at(member).as_string().empty());
  CHECK_FALSE(manifest.contains("golden_flows_not_applicable"));
  std::pair<std::string, std::string> before;
  for (const auto& line :
       lines_of(read_bytes(at.pack / "timeline/events.ndjson"))) {
    const auto event = parse_json(line).value();
    std::pair<std::string, std::string> place{event.at("timestamp").as_string(),
                                              event.at("event_id").as_string()};
    CHECK(before < place);
    before = place;
  }
  CHECK(before.first == manifest.at("created_at").as_string());
  CHECK(evidence_of(at.pack)
        == std::multiset<std::string>{"RQ-D2-01 SACompleted",
                                      "RQ-D3-01 decision_added",
                                      "RQ-D4-01 SACompleted"});
}

TEST_CASE("a session of a run of many is packed by its folder") {
  const run_fixture many{answers};
  REQUIRE(many.run_with({"--instances", "2"}).code == 0);
  for (const auto& each :
       fs::directory_iterator{fs::path{many.out} / "sessions"}) {
    const auto id = each.path().filename().string();
    const auto pack = (many.folder / id.c_str()).string();
    // With a slash, as a shell completes it.
    const auto done = run({"pack", each.path().string() + "/", "--out", pack});
    INFO(done.err);
    REQUIRE(done.code == 0);
    const auto alone = run({"events", many.out, "--session", id, "--jsonl"});
    CHECK(log_of(pack) == alone.out);
    CHECK_THAT(alone.out, Contains("MAPSessionCompleted"));
  }
}

TEST_CASE(
  "the same run gives the same pack, and another folder is not touched") {
  const packed at;
  const auto sums = read_bytes(at.pack / "integrity/sha256sums.txt");
  REQUIRE(run({"pack", at.out, "--out", at.pack}).code == 0);
  REQUIRE(run({"pack", at.out, "--out", at.folder / "other"}).code == 0);
  CHECK(read_bytes(at.folder / "other/integrity/sha256sums.txt") == sums);
  at.spoil("note.txt", "mine");
  const auto refused = run({"pack", at.out, "--out", at.pack});
  CHECK(refused.code == 2);
  CHECK(read_bytes(at.pack / "note.txt") == "mine");
}

TEST_CASE("whatever is done to a pack is found") {
  const packed at;
  CHECK(at.faults().empty());
  using rules = std::set<std::string>;
  const auto sums = read_bytes(at.pack / "integrity/sha256sums.txt");
  const auto plan = read_bytes(at.pack / "artifacts/plan.json");
  SECTION("a byte of a document") {
    at.spoil("artifacts/plan.json", plan + " ");
    CHECK(at.faults() == rules{"pack_changed", "pack_manifest"});
  }
  SECTION("a document that is gone") {
    fs::remove(at.pack / "artifacts/plan.json");
    CHECK(at.faults() == rules{"pack_manifest", "pack_missing"});
  }
  SECTION("a file that was added, and a link") {
    at.spoil("artifacts/role.json", "{}");
    CHECK(at.faults() == rules{"pack_added"});
    fs::remove(at.pack / "artifacts/role.json");
    fs::create_symlink("/dev/zero", at.pack / "artifacts/role.json");
    CHECK(at.faults() == rules{"pack_added"});
  }
  SECTION("a document that is a link to the same bytes") {
    write_bytes(at.folder / "plan.json", plan);
    fs::remove(at.pack / "artifacts/plan.json");
    fs::create_symlink(at.folder / "plan.json",
                       at.pack / "artifacts/plan.json");
    CHECK(at.faults() == rules{"pack_manifest", "pack_missing"});
  }
  SECTION("an event that was left out, with new checksums") {
    const auto events = read_bytes(at.pack / "timeline/events.ndjson");
    at.spoil("timeline/events.ndjson", events.substr(events.find('\n') + 1));
    at.sum_again();
    CHECK(at.faults() == rules{"pack_manifest", "pack_timeline"});
  }
  SECTION("events in another order, with new checksums") {
    auto lines = lines_of(read_bytes(at.pack / "timeline/events.ndjson"));
    std::swap(lines[1], lines[2]);
    std::string text;
    for (const auto& line : lines)
      text += line + "\n";
    at.spoil("timeline/events.ndjson", text);
    at.sum_again();
    CHECK(at.faults() == rules{"pack_manifest", "pack_timeline"});
  }
  SECTION("members that the pack added, with new checksums") {
    const auto events = read_bytes(at.pack / "timeline/events.ndjson");
    for (const auto& [from, to] :
         {std::pair{R"("sequence":1)", R"("sequence":2)"},
          std::pair{R"("to_state":"completed")", R"("to_state":"failed")"},
          std::pair{R"(,"sequence":0)", R"(,"more":1,"sequence":00)"},
          std::pair{R"(,"sequence":0)", ""}}) {
      INFO(from);
      auto other = events;
      REQUIRE(other.find(from) != other.npos);
      other.replace(other.find(from), std::string{from}.size(), to);
      at.spoil("timeline/events.ndjson", other);
      at.sum_again();
      CHECK(at.faults().contains("pack_timeline"));
    }
  }
  SECTION("evidence that is another event, with new checksums") {
    auto text = read_bytes(at.pack / "evidence_pointers.json");
    text.replace(text.find("RQ-D2-01"), 8, "RQ-D1-01");
    at.spoil("evidence_pointers.json", text);
    at.sum_again();
    CHECK(at.faults() == rules{"pack_manifest"});
    fs::remove(at.pack / "evidence_pointers.json");
    at.sum_again();
    CHECK(at.faults() == rules{"pack_manifest", "pack_missing"});
  }
  SECTION("a file that does not belong there, with new checksums") {
    at.spoil("notes.txt", "mine");
    at.sum_again();
    CHECK(at.faults() == rules{"pack_added"});
  }
  SECTION("checksums that the root hash does not stand for") {
    at.spoil("integrity/pack.sha256", std::string(64, '0'));
    CHECK(at.faults() == rules{"pack_sums"});
    fs::remove(at.pack / "integrity/pack.sha256");
    CHECK(at.faults() == rules{"pack_missing"});
  }
  SECTION("another document, with new checksums") {
    auto other = parse_json(plan).value().as_object();
    other["title"] = "Another";
    at.spoil("artifacts/plan.json", json::serialize(other));
    at.sum_again();
    CHECK(at.faults() == rules{"pack_manifest"});
  }
  SECTION("a document that is not valid, everything else made to fit") {
    auto other = parse_json(plan).value().as_object();
    other["status"] = "perhaps";
    at.spoil("artifacts/plan.json", json::serialize(other));
    auto manifest
      = parse_json(read_bytes(at.pack / "manifest.json")).value().as_object();
    std::string all;
    for (const auto& name : manifest["artifacts"].as_array())
      all += read_bytes(at.pack / name.as_string().c_str());
    const auto verdict = hex_of(sha256(all));
    manifest["verdict_hash"] = verdict;
    manifest["pack_id"] = to_string(convene::protocol::hashed_uuid(
      "pack:" + verdict
      + hex_of(sha256(read_bytes(at.pack / "timeline/events.ndjson")))));
    at.spoil("manifest.json", json::serialize(manifest));
    at.sum_again();
    CHECK(at.faults() == rules{"enum"});
  }
  SECTION("checksums that lead elsewhere, or are none") {
    const std::string sum(64, '0');
    for (const auto& line :
         {sum + "  ../run/plan.json\n", sum + "  /etc/hostname\n",
          sum + "  artifacts/../plan.json\n", sum + " plan.json\n",
          std::string{"x\n"}, sums + sums, sum + "  cut off"}) {
      INFO(line);
      at.spoil("integrity/sha256sums.txt", line);
      CHECK(at.faults() == rules{"pack_sums"});
    }
  }
  SECTION("a manifest that is none") {
    for (const auto* text : {"[]", "{", "{}"}) {
      at.spoil("manifest.json", text);
      at.sum_again();
      CHECK(at.faults() == rules{"pack_manifest"});
    }
  }
}

TEST_CASE("a pack of version 1 is still read") {
  const packed at;
  const auto log = log_of(at.pack);
  auto manifest
    = parse_json(read_bytes(at.pack / "manifest.json")).value().as_object();
  json::object old;
  for (const auto* member :
       {"protocol_version", "artifacts", "timeline", "events", "verdict_hash"})
    old[member] = manifest.at(member);
  old["evidence_pack"] = 1;
  at.spoil("manifest.json", json::serialize(old));
  at.spoil("timeline/events.ndjson", log);
  fs::remove(at.pack / "evidence_pointers.json");
  fs::remove(at.pack / "bundle.manifest.json");
  at.sum_again();
  fs::remove(at.pack / "integrity/pack.sha256");
  CHECK(at.faults().empty());
  at.spoil("timeline/events.ndjson", log.substr(log.find('\n') + 1));
  CHECK(at.faults() == std::set<std::string>{"pack_changed", "pack_manifest"});
}

TEST_CASE("a session of several agents is packed with its Collab and Dialog") {
  const run_fixture at{answers};
  REQUIRE(at.run_with().code == 0);
  const auto pack = (at.folder / "pack").string();
  const auto done = run({"pack", at.out, "--out", pack});
  CHECK(done.code == 0);
  CHECK_THAT(done.out, Contains("pack root hash"));
  CHECK(read_bytes(pack + "/artifacts/collab.json")
        == read_bytes(at.out + "/collab.json"));
  CHECK(fs::exists(pack + "/artifacts/dialog.json"));
  CHECK(run({"pack", pack, "--verify"}).code == 0);
}

TEST_CASE("what is no run, or no pack, is refused with nothing written") {
  const packed at;
  const auto none = (at.folder / "none").string();
  const auto target = (at.folder / "target").string();
  const auto no_run = run({"pack", at.folder.path(), "--out", target});
  CHECK(no_run.code == 2);
  CHECK_THAT(no_run.err, Contains("context.json"));
  CHECK(run({"pack", none, "--verify"}).code == 2);
  CHECK(run({"pack", at.out}).code == 2);
  CHECK(run({"pack", at.out, "--out", target, "--verify"}).code == 2);
  // A document that is not valid is told, and not packed.
  write_bytes(at.out / "plan.json", R"({"plan_id": "x", "steps": []})");
  const auto refused = run({"pack", at.out, "--out", target});
  CHECK(refused.code == 1);
  CHECK_THAT(refused.out, Contains("artifacts/plan.json"));
  CHECK_FALSE(fs::exists(target));
}
