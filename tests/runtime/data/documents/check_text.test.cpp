#include <catch2/catch.hpp>
#include <convene/runtime/data/documents/check_text.hpp>

using namespace convene::host;

namespace {

constexpr auto role = R"({
  "$comment": "for the test",
  "meta": {"protocol_version": "1.0.0", "schema_version": "2.0.0"},
  "role_id": "5f3c3a7e-9a37-4b8e-8a0f-6a8f0b1c2d3e",
  "name": "coder"
})";

file_verdict check(std::string_view text, const validation_rules& rules = {}) {
  file_verdict out;
  REQUIRE(check_document(text, rules, out));
  return out;
}

} // namespace

TEST_CASE("a document is valid by the schema that it looks to be for") {
  const auto found = check(role);
  CHECK(found.valid());
  CHECK(found.schema == "mplp-role");
  CHECK(found.documents == 1);
}

TEST_CASE(
  "a document of another version of the protocol is told with its place") {
  auto text = std::string{role};
  text.replace(text.find("1.0.0"), 5, "2.0.0");
  const auto found = check(text);
  REQUIRE(found.errors.size() == 1);
  CHECK(found.errors[0].keyword == "protocol_version_unsupported");
  CHECK(found.errors[0].instance == "/meta/protocol_version");
  CHECK(found.errors[0].line == 3);
  CHECK(check(text, {.schema = "role"}).errors_total == 1);
  // The protocol's schemas, to the letter, have no opinion on it.
  text.erase(text.find("\"$comment\""),
             text.find("\"meta\"") - text.find("\"$comment\""));
  CHECK(check(text, {.schema = "role", .strict = true}).valid());
  // In a scenario too.
  const auto scenario = check(R"({"collab": {
    "meta": {"protocol_version": "1.3.0", "schema_version": "1.0.0"},
    "mode": "pair", "participants": [{"participant_id": "a"}]}})");
  REQUIRE_FALSE(scenario.valid());
  CHECK(std::ranges::count(scenario.errors, "/collab/meta/protocol_version",
                           &placed_violation::instance)
        == 1);
  CHECK(scenario.errors.back().keyword == "protocol_version_unsupported");
}

TEST_CASE("a violation has the place of the value in the text") {
  const auto found = check("{\"role_id\": 7,\n  \"name\": 8}",
                           {.schema = "role"});
  REQUIRE(found.errors.size() == found.errors_total);
  const auto name
    = std::find_if(found.errors.begin(), found.errors.end(),
                   [](const auto& one) { return one.instance == "/name"; });
  REQUIRE(name != found.errors.end());
  CHECK(name->keyword == "type");
  CHECK(name->schema_path == "/properties/name/type");
  CHECK(name->line == 2);
  CHECK(name->column == 11);
  CHECK(name->message.find("/name") == std::string::npos);
}

TEST_CASE("the place is no part of the message") {
  const auto found = check("{\"role_id\": 1}");
  for (const auto& one : found.errors)
    CHECK(one.message.starts_with("expected "));
  CHECK(found.errors_total == 3); // meta, role_id, name
}

TEST_CASE("what is no JSON is an error with its place") {
  const auto found = check("{\n  \"role_id\": ]");
  REQUIRE(found.errors.size() == 1);
  CHECK(found.errors[0].keyword == "json");
  CHECK(found.errors[0].line == 2);
  CHECK(found.errors[0].column == 14);
  CHECK_FALSE(check("").valid());
}

TEST_CASE("comments are for scenarios only") {
  const auto scenario = check("// why\n{\"collab\": {\"mode\": \"pair\"},}");
  CHECK(scenario.schema == "convene-scenario");
  for (const auto& one : scenario.errors)
    CHECK(one.keyword != "json");
  const auto plan = check("// why\n{\"plan_id\": \"x\"}");
  REQUIRE(plan.errors.size() == 1);
  CHECK(plan.errors[0].keyword == "json");
}

TEST_CASE("a document of no known kind is an error, or passed over") {
  const auto refused = check("{\"a\": 1}");
  REQUIRE(refused.errors.size() == 1);
  CHECK(refused.errors[0].keyword == "schema");
  const auto passed = check("{\"a\": 1}", {.unknown_is_error = false});
  CHECK(passed.valid());
  CHECK(passed.documents == 0);
  CHECK(passed.passed_over == 1);
}

TEST_CASE("a schema that is not there is refused") {
  file_verdict out;
  const auto refused = check_document("{}", {.schema = "rolle"}, out);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "unknown_schema");
  CHECK(refused.error().message.find("\"role\"") != std::string::npos);
  CHECK_FALSE(check_document("{}", {.schema = "sa"}, out));
}

TEST_CASE("lines of a log are validated each, what frames them is not") {
  file_verdict out;
  const auto feed = [&](std::string_view line, std::size_t number) {
    REQUIRE(check_line(line, number, {}, out));
  };
  feed(R"({"log_opened":{"format":1,"segment":1,"previous":null}})", 1);
  feed("\r", 2);
  feed(R"({"log_group":{"bytes":1}})", 3);
  CHECK(out.documents == 0);
  feed(R"({"event_type":"MAPNever","session_id":"x"})", 4);
  CHECK(out.schema == "convene-native-event");
  REQUIRE(out.errors.size() == 1);
  CHECK(out.errors[0].instance == "/event_type");
  CHECK(out.errors[0].line == 4);
  CHECK(out.errors[0].column == 15);
  feed("{", 5);
  REQUIRE(out.errors.size() == 2);
  CHECK(out.errors[1].line == 5);
  CHECK(out.documents == 2);
}

TEST_CASE("errors beyond the bound are counted, not kept") {
  file_verdict out;
  for (std::size_t i = 1; i <= violations_kept + 5; ++i)
    REQUIRE(check_line("{", i, {}, out));
  CHECK(out.errors.size() == violations_kept);
  CHECK(out.errors_total == violations_kept + 5);
}

TEST_CASE("a scenario in YAML is validated, with its own lines") {
  file_verdict sound;
  const std::string text = "collab:\n  mode: pair\n  participants:\n"
                           "    - {participant_id: ada, role_id: r}\n"
                           "    - {participant_id: bob, role_id: r}\n"
                           "task: t\nbehaviours: {'*': {type: echo}}\n";
  REQUIRE(check_yaml(text, {}, sound));
  CHECK(sound.valid());
  CHECK(sound.schema == "convene-scenario");
  file_verdict wrong;
  REQUIRE(check_yaml(text + "session:\n  rounds: many\n", {}, wrong));
  REQUIRE(wrong.errors.size() == 1);
  CHECK(wrong.errors.front().instance == "/session/rounds");
  CHECK(wrong.errors.front().line == 9);
  CHECK(wrong.errors.front().column == 11);
  file_verdict broken;
  REQUIRE(check_yaml("a: 1\na: 2\n", {}, broken));
  REQUIRE(broken.errors.size() == 1);
  CHECK(broken.errors.front().keyword == "yaml");
  CHECK(broken.errors.front().line == 2);
}
