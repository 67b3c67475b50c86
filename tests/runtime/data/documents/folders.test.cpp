#include <catch2/catch.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/documents/check_invariants.hpp>
#include <convene/runtime/data/documents/import_folder.hpp>
#include <convene/runtime/data/documents/validate_files.hpp>
#include <convene/runtime/log/files/files.hpp>
#include <runtime/log/event_log/files.hpp>

#include <algorithm>

using namespace convene::host;
using namespace convene::tests;
using namespace convene::protocol;
namespace fs = std::filesystem;

namespace {

using texts = std::vector<std::string>;

std::string id(char last) {
  return std::string{"5f3c3a7e-9a37-4b8e-8a0f-00000000000"} + last;
}

std::string context_text(char last) {
  return R"({"meta": {"protocol_version": "1.0.0", "schema_version": "1.0.0"},
 "context_id": ")"
         + id(last) + R"(", "root": {"domain": "d", "environment": "e"},
 "title": "t", "status": "active"})";
}

std::string plan_text(char context) {
  return R"({"meta": {"protocol_version": "1.0.0", "schema_version": "1.0.0"},
 "plan_id": ")"
         + id('f') + R"(",
 "context_id": ")"
         + id(context) + R"(", "title": "t", "objective": "o",
 "status": "draft",
 "steps": [{"step_id": ")"
         + id('e') + R"(", "description": "d",
            "status": "pending", "agent_role": "r"}]})";
}

std::string turn(const char* type, int number) {
  return R"({"event_type":"MAPTurn)" + std::string{type}
         + R"(","session_id":"s","payload":{"role_id":"r","turn_number":)"
         + std::to_string(number) + "}}\n";
}

/// `file:line: rule` of each broken rule, and `file? rule` of those that could
/// not be checked.
texts judge(const scratch_folder& at, std::vector<fs::path> paths,
            std::vector<std::string_view> names) {
  const auto rules = embedded_invariants().value().select(names).value();
  texts found;
  const auto done = validate_files(
    {.paths = std::move(paths), .rules = &rules},
    [&](const file_verdict& file) {
      const auto name
        = fs::path{file.file}.lexically_relative(at.path()).string();
      for (const auto& one : file.errors)
        if (!one.rule.id.empty())
          found.push_back(name + ':' + std::to_string(one.line) + ": "
                          + one.rule.id);
      for (const auto& one : file.rules_unchecked)
        found.push_back(name + "? " + one);
    });
  REQUIRE(done);
  return found;
}

} // namespace

TEST_CASE("the documents of a folder belong together, those of others do not") {
  const scratch_folder at;
  fs::create_directories(at / "a");
  fs::create_directories(at / "b");
  write_bytes(at / "a/context.json", context_text('1'));
  write_bytes(at / "a/plan.json", plan_text('1'));
  write_bytes(at / "b/context.json", context_text('2'));
  write_bytes(at / "b/plan.json", plan_text('1'));
  CHECK(judge(at, {at.path()}, {"plan_context_id_match"})
        == texts{"b/plan.json:3: plan_context_id_match"});
  CHECK(judge(at, {at / "a/plan.json"}, {"plan_context_id_match"})
        == texts{"a/plan.json? plan_context_id_match"});
  CHECK(judge(at, {at / "a/plan.json", at / "a/context.json", at / "a"},
              {"plan_context_id_match"})
          .empty());
}

TEST_CASE("documents as large as a session writes them are validated") {
  const scratch_folder at;
  write_bytes(at / "context.json",
              context_text('1') + std::string(document_bytes_max, ' '));
  write_bytes(at / "plan.json", plan_text('2'));
  CHECK(judge(at, {at.path()}, {"plan_context_id_match"})
        == texts{"plan.json:3: plan_context_id_match"});
}

TEST_CASE("documents on lines belong to those of their folder") {
  const scratch_folder at;
  auto lines = context_text('1') + '\n';
  std::replace(lines.begin(), lines.end() - 1, '\n', ' ');
  write_bytes(at / "contexts.jsonl", lines);
  write_bytes(at / "plan.json", plan_text('1'));
  CHECK(judge(at, {at.path()}, {"plan_context_id_match"}).empty());
}

TEST_CASE("the JSON Lines files of a folder are one log") {
  const scratch_folder at;
  write_bytes(at / "1.jsonl", turn("Dispatched", 1) + turn("Dispatched", 2)
                                + turn("Completed", 1));
  CHECK(judge(at, {at.path()}, {"map"})
        == texts{"1.jsonl:2: map_turn_completion_matches_dispatch"});
  write_bytes(at / "2.jsonl", turn("Dispatched", 3));
  CHECK(judge(at, {at.path()}, {"map"})
        == texts{"2.jsonl:1: map_turn_completion_matches_dispatch",
                 "2.jsonl:1: map_turn_completion_matches_dispatch"});
  write_bytes(at / "2.jsonl", turn("Completed", 2) + turn("Completed", 2));
  CHECK(judge(at, {at.path()}, {"map"})
        == texts{"2.jsonl:2: map_turn_completion_matches_dispatch"});
  write_bytes(at / "2.jsonl", turn("Completed", 2));
  CHECK(judge(at, {at.path(), at / "2.jsonl"}, {"map"}).empty());
}

TEST_CASE("events that a Trace carries are checked as a log is") {
  const scratch_folder at;
  auto event = turn("Dispatched", 1);
  event.pop_back();
  write_bytes(at / "trace.json", R"({"trace_id": "x", "events": [
    {"event_type": "map.turn.dispatched"},
    {"event_type": "map.turn.dispatched", "data": )"
                                   + event + "}]}");
  CHECK(judge(at, {at.path()}, {"map_turn_completion_matches_dispatch"})
        == texts{"trace.json:3: map_turn_completion_matches_dispatch"});
}

TEST_CASE("strict takes the protocol's schemas to the letter") {
  file_verdict found;
  const auto count = [&](std::string_view text, bool strict) {
    found = {};
    REQUIRE(check_document(text, {.strict = strict}, found));
    return found.errors_total;
  };
  auto commented = context_text('1');
  commented.insert(1, "\"$comment\": \"why\",");
  CHECK(count(commented, false) == 0);
  CHECK(count(commented, true) == 1);
  count(R"({"event_type": "MAPRolesAssigned", "session_id": "s"})", true);
  CHECK(found.schema == "mplp-map-event");
  count(R"({"event_type": "plan_created", "session_id": "s",
            "event_family": "graph_update"})",
        true);
  CHECK(found.schema == "mplp-graph-update-event");
  count(R"({"convene": "1"})", true);
  REQUIRE(found.errors.size() == 1);
  CHECK(found.errors[0].keyword == "schema");
  count("{\"convene\": \"1\",}", true);
  REQUIRE(found.errors.size() == 1);
  CHECK(found.errors[0].keyword == "json");
}

TEST_CASE("an import writes all or nothing, and never over anything else") {
  const scratch_folder at;
  const auto from = at / "from";
  const auto to = at / "to/deep/";
  fs::create_directories(from / "sub");
  write_bytes(from / "context.json",
              "\xef\xbb\xbf" + context_text('1') + "\r\n");
  write_bytes(from / "sub/log.jsonl", turn("Dispatched", 1));
  write_bytes(from / "sub/other.json", "{}");
  write_bytes(from / "notes.txt", "x");
  fs::create_symlink(from / "context.json", from / "link.json");
  // The log is no valid one, so nothing is written.
  const auto refused = import_folder(from, to, {});
  REQUIRE(refused);
  CHECK(refused->how == import_report::outcome::refused);
  CHECK_FALSE(fs::exists(to));
  fs::remove(from / "sub/log.jsonl");
  const auto done = import_folder(from, to, {});
  REQUIRE(done);
  CHECK(done->how == import_report::outcome::imported);
  CHECK(read_bytes(to / "context.json") == read_bytes(from / "context.json"));
  CHECK(done->passed_over
        == decltype(done->passed_over){{"link.json", "a link"},
                                       {"notes.txt", "no JSON file"},
                                       {"sub/other.json", "of no known kind"}});
  CHECK_FALSE(fs::exists(to / "sub"));
  CHECK(std::distance(fs::directory_iterator{at / "to"}, {}) == 1);

  const auto again = import_folder(from, to, {});
  REQUIRE(again);
  CHECK(again->how == import_report::outcome::unchanged);
  const auto rule = [&](const fs::path& target) {
    const auto failed = import_folder(from, target, {});
    return failed ? std::string{"none"} : failed.error().rule;
  };
  write_bytes(to / "context.json", context_text('2'));
  CHECK(rule(to) == "target_not_empty");
  CHECK(read_bytes(to / "context.json") == context_text('2'));
  write_bytes(to / "context.json", read_bytes(from / "context.json"));
  write_bytes(to / "more.txt", "x");
  CHECK(rule(to) == "target_not_empty");
  CHECK(rule(to / "more.txt") == "target_not_empty");
  CHECK(rule(from) == "target_inside_source");
  CHECK(rule(from / "sub/out") == "target_inside_source");
  CHECK(rule(at / "to/../from/x") == "target_inside_source");
  fs::create_directory(at / "empty");
  CHECK(rule(at / "empty") == "none");
  CHECK(fs::exists(at / "empty/context.json"));
  CHECK_FALSE(import_folder(at / "missing", at / "x", {}));
  CHECK_FALSE(fs::exists(at / "x"));
}

TEST_CASE("hostile files are errors, soon") {
  const scratch_folder at;
  const auto rules = usual_invariants().value();
  const auto errors = [&](const std::string& text) {
    write_bytes(at / "plan.json", text);
    std::size_t count = 0;
    REQUIRE(validate_files({.paths = {at.path()}, .rules = &rules},
                           [&](const file_verdict& file) {
                             count = file.errors_total;
                             CHECK(file.errors.size() <= 40);
                           }));
    return count;
  };
  CHECK(errors(std::string(100'000, '[')) == 1);
  CHECK(errors("{\"plan_id\": " + std::string(1'000'000, '[')) == 1);
  CHECK(errors("{\"plan_id\": \"" + std::string(1 << 20, 'x') + "\"}") > 1);
  std::string steps = "{\"plan_id\": 1, \"steps\": [7";
  for (int i = 0; i < 200'000; ++i)
    steps += ",{}";
  CHECK(errors(steps + "]}") > 200'000);
}

TEST_CASE("a Trace of more sessions than can be followed is an error") {
  const scratch_folder at;
  std::string text = R"({"trace_id": "x", "events": [{})";
  for (std::size_t i = 0; i <= trace_open_max / 2; ++i)
    text += R"(,{"data":{"event_type":"MAPTurnDispatched","session_id":"s)"
            + std::to_string(i) + R"(","turn_number":1}})";
  write_bytes(at / "trace.json", text + "]}");
  const auto rules = usual_invariants().value();
  std::size_t limits = 0;
  REQUIRE(validate_files(
    {.paths = {at.path()}, .rules = &rules}, [&](const file_verdict& file) {
      limits += static_cast<std::size_t>(
        std::ranges::count(file.errors, "limit", &placed_violation::keyword));
      CHECK(file.errors.size() <= 60);
    }));
  CHECK(limits == 1);
}
