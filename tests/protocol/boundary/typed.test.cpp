#include <catch2/catch.hpp>
#include <convene/modes/catalog.hpp>
#include <convene/protocol/boundary/wording.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/protocol/embedded_schemas/compiled_ahead.hpp>
#include <convene/protocol/embedded_schemas/registry.hpp>
#include <convene/protocol/json_schema/typed_cursor.hpp>
#include <convene/protocol/json_schema/validate.hpp>
#include <convene/session/spec/describe_spec.hpp>
#include <protocol/boundary/other_schemas.hpp>
#include <support/random_parts.hpp>

#include <algorithm>

using namespace convene;
using namespace convene::test;
namespace json = boost::json;
using protocol::reply;
using protocol::validation::typed_cursor;

namespace {

std::shared_ptr<const protocol::boundary::rules> the_rules() {
  return protocol::boundary::embedded_rules().value();
}

/// What is wrong with a reply by the embedded schema, as "pointer keyword".
std::string wrong_with(const reply& what) {
  const auto found = protocol::boundary::check_reply(*the_rules(), what);
  return found ? found->pointer + ' ' + found->rule : std::string{};
}

} // namespace

TEST_CASE("the build compiles every schema that sessions are judged by") {
  const auto made = protocol::boundary::make_rules([](std::string_view id) {
    INFO(id);
    CHECK(std::ranges::count(protocol::compiled_ahead(), id,
                             &protocol::schema_image::reference)
          == 1);
    return protocol::embedded_schema(id);
  });
  CHECK(made);
}

TEST_CASE("a scenario gets the verdict of its JSON form") {
  const auto schema = the_rules()->scenario;
  std::size_t invalid = 0;
  for (const auto* policy : modes::catalog())
    for (std::uint32_t seed = 1; seed <= 100; ++seed) {
      dice d{seed};
      auto spec = random_spec(d, *policy);
      if (d.chance(20))
        spec.tasks.push_back({});
      if (d.chance(20))
        spec.collab.meta.tags = {"twice", "twice"};
      if (d.chance(20))
        spec.options.quorum = 2;
      if (d.chance(20) && spec.plan)
        spec.plan->steps.back().step_id = "no id";
      if (d.chance(20))
        spec.context.root.erase("domain");
      if (d.chance(20))
        spec.behaviours = {{"*", 1}};
      INFO("seed " << seed);
      const auto typed = validate_typed(schema, typed_cursor{spec});
      const auto written = validate(schema, json::value(session::encode(spec)));
      CHECK(typed.valid == written.valid);
      CHECK(typed.violations == written.violations);
      invalid += typed.valid ? 0 : 1;
    }
  CHECK(invalid > 20 * modes::catalog().size());
  CHECK(invalid < 90 * modes::catalog().size());
}

TEST_CASE("a reply that its schema refuses is refused with its place") {
  CHECK(wrong_with({.content = "good", .end = true}) == "");
  CHECK(wrong_with({.tasks = {{.title = ""}}}) == "/tasks/0/title minLength");
  CHECK(wrong_with({.decision = {protocol::dispatch_decision{}}})
        == "/decision/0/dispatch anyOf");
  CHECK(wrong_with({.decision = {protocol::close_step_decision{}}})
        == "/decision/0/close_step/step_id minLength");
  CHECK(wrong_with({.decision = {protocol::ask_decision{}}})
        == "/decision/0/ask/task minLength");
  CHECK(wrong_with({.handoff = protocol::handoff{}})
        == "/handoff/to minLength");
  CHECK(wrong_with({.claim = {{"file", ""}}})
        == "/claim/0/resource_id minLength");
  CHECK(wrong_with({.writes = {{"", "a"}}})
        == "/writes/0/resource_type minLength");
  CHECK(wrong_with({.usage = {.prompt_tokens = -1}})
        == "/usage/prompt_tokens minimum");
  CHECK(wrong_with({.reasoning = std::vector<std::string>(65)})
        == "/reasoning maxItems");
  CHECK(wrong_with({.writes = {{"file", "a", 1, {}, {1, nullptr}}},
                    .claim = {{"file", "a", true}},
                    .handoff = protocol::handoff{"b", "go on", ""},
                    .decision = {protocol::wait_decision{},
                                 protocol::ask_decision{"a", "why?"},
                                 protocol::handoff{"b"},
                                 protocol::broadcast_decision{"all"},
                                 protocol::complete_decision{false, "done"}},
                    .usage = {1, 2, 3},
                    .result = {{"any", {1, 2.5, nullptr, "thing"}}}})
        == "");
}

TEST_CASE("what says and writes something is judged member by member") {
  const auto& plain = the_rules()->plain;
  CHECK(plain.passes({.content = "good", .end = true}));
  CHECK(
    plain.passes({.writes = {{"file", "a", 0, {}, "text"},
                             {"file", "b", 1, protocol::write_op::remove}}}));
  CHECK_FALSE(plain.passes({.writes = {{"file", "a", -1}}}));
  CHECK_FALSE(plain.passes({.writes = {{"file", ""}}}));
  CHECK_FALSE(plain.passes({.claim = {{"file", "a"}}}));
  using protocol::dispatch_decision;
  CHECK(plain.passes({.decision = {dispatch_decision{.participant = "a"},
                                   dispatch_decision{.participant = "b",
                                                     .task = "do it",
                                                     .step_id = "s"}}}));
  CHECK_FALSE(plain.passes({.decision = {dispatch_decision{}}}));
  CHECK_FALSE(plain.passes({.decision = {dispatch_decision{.role = "a"}}}));
  CHECK_FALSE(plain.passes({.decision = {protocol::wait_decision{}}}));
}

TEST_CASE("a reply with writes gets the verdict of its JSON form") {
  const std::string writes = "/definitions/reply/properties/writes";
  const std::string item
    = R"({"allOf": [{"$ref": )"
      R"("urn:convene:schema:scenario#/definitions/write"})";
  const auto [pointer, text] = GENERATE_COPY(table<std::string, std::string>(
    {{writes + "/maxItems", "2"},
     {writes + "/minItems", "2"},
     {writes + "/uniqueItems", "true"},
     {writes + "/contains", R"({"properties": {"op": {"const": "delete"}}})"},
     {writes + "/items",
      item + R"(, {"properties": {"value": {"type": "object"}}}]})"},
     {writes + "/items",
      item + R"(, {"properties": {"base_version": {"maximum": 1}}}]})"},
     {writes + "/items", item + R"(, {"required": ["op"]}]})"},
     {writes + "/items", item + R"(, {"required": ["value"]}]})"},
     {writes + "/items", item + R"(, {"dependencies": {"op": ["value"]}}]})"},
     {writes + "/items", item + R"(, {"if": {"required": ["op"]},
                   "then": {"properties": {"value": false}}}]})"},
     {writes + "/items", "[" + item + R"(, {"required": ["op"]}]}])"},
     {"/definitions/reply/dependencies", R"({"writes": ["end"]})"},
     {"/definitions/reply/allOf",
      R"([{"if": {"properties": {"end": {"const": false}}},
           "then": {"properties": {"content": {"maxLength": 4}}}}])"},
     {"/definitions/reply/not", R"({"required": ["writes", "content"]})"}}));
  INFO(pointer << " = " << text);
  const auto rules = changed_rules(pointer, text);
  std::size_t refused = 0, admitted = 0;
  for (std::uint32_t seed = 1; seed <= 400; ++seed) {
    dice d{seed};
    reply what{.content = d.chance(50) ? "words" : "", .end = d.chance(50)};
    for (auto n = d.below(4); n > 0; --n)
      what.writes.push_back(
        {.resource_type = d.chance(95) ? "file" : "",
         .resource_id = "one",
         .base_version = static_cast<std::int64_t>(d.below(3)),
         .op = static_cast<protocol::write_op>(d.below(4)),
         .value = d.chance(50)   ? json::value(nullptr)
                  : d.chance(50) ? json::value("text")
                                 : json::value{{"a", 1}}});
    const bool fine = !protocol::boundary::check_reply(*rules, what);
    INFO("seed " << seed);
    CHECK(fine
          == validate(rules->reply, json::value(protocol::encode(what))).valid);
    ++(fine ? admitted : refused);
  }
  CHECK(refused > 10);
  CHECK(admitted > 10);
}

TEST_CASE("a reply that gives turns gets the verdict of its JSON form") {
  const std::string decision = "/definitions/reply/properties/decision";
  const std::string item = R"({"allOf": [{"$ref": "#/definitions/decision"})";
  const auto dispatch = [&](const std::string& asks) {
    return item + R"(, {"properties": {"dispatch": )" + asks + "}}]}";
  };
  const auto [pointer, text] = GENERATE_COPY(table<std::string, std::string>(
    {{decision + "/maxItems", "1"},
     {decision + "/items",
      dispatch(R"({"properties": {"task": {"maxLength": 4}}})")},
     {decision + "/items", dispatch(R"({"required": ["task"]})")},
     {decision + "/items", dispatch(R"({"not": {"required": ["step_id"]}})")},
     {decision + "/items", dispatch(R"({"minProperties": 2})")},
     {decision + "/items", dispatch(R"({"maxProperties": 1})")},
     {decision + "/items", dispatch(R"({"oneOf": [{"required": ["task"]},
                                        {"required": ["step_id"]}]})")},
     {decision + "/items",
      dispatch(R"({"anyOf": [{"properties": {"task": {"const": "do it"}}},
                             {"required": ["step_id"]}]})")},
     {decision + "/items",
      dispatch(R"({"not": {"properties": {"participant": {"const": "b"}}}})")},
     {"/definitions/reply/not", R"({"required": ["decision", "content"]})"},
     {"/definitions/reply/oneOf",
      R"([{"required": ["decision"]}, {"required": ["writes"]}])"}}));
  INFO(pointer << " = " << text);
  const auto rules = changed_rules(pointer, text);
  std::size_t refused = 0, admitted = 0;
  for (std::uint32_t seed = 1; seed <= 400; ++seed) {
    dice d{seed};
    reply what{.content = d.chance(50) ? "words" : ""};
    if (d.chance(50))
      what.writes = {{.resource_type = "file", .resource_id = "one"}};
    for (auto n = d.below(3); n > 0; --n)
      what.decision.push_back(
        protocol::dispatch_decision{.participant = d.chance(50) ? "a" : "b",
                                    .task = d.chance(50)   ? ""
                                            : d.chance(50) ? "do"
                                                           : "do it",
                                    .step_id = d.chance(50) ? "s" : ""});
    const bool fine = !protocol::boundary::check_reply(*rules, what);
    INFO("seed " << seed);
    CHECK(fine
          == validate(rules->reply, json::value(protocol::encode(what))).valid);
    ++(fine ? admitted : refused);
  }
  CHECK(refused > 10);
  CHECK(admitted > 10);
}

TEST_CASE("a changed schema changes what replies may say") {
  const auto rules
    = changed_rules("/definitions/reply/properties/content/maxLength", "3");
  CHECK_FALSE(protocol::boundary::check_reply(*rules, {.content = "yes"}));
  const auto wrong = protocol::boundary::check_reply(*rules,
                                                     {.content = "maybe"});
  REQUIRE(wrong);
  CHECK(wrong->message == "expected at most 3 characters");
  CHECK(wrong->value == "\"maybe\"");
  const auto no_end = changed_rules("/definitions/reply/properties/end/const",
                                    "false");
  CHECK(protocol::boundary::check_reply(*no_end, {.end = true}));
}
